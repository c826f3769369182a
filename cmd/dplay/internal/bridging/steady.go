package bridging

import (
	"slices"
	"time"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// lasts is how long something has to last that is often over in a moment, for people to be told: a game is connected to others while
// it searches, and a machine that was cut off lets newcomers in for a moment when it is back.
const lasts = time.Second

// A steady holds such events back.
type steady struct {
	told map[string]string // what people know, by what it is about
	held []held
}

type held struct {
	about, state string
	since        time.Time
	event        bridge.Event
}

// about returns what an event that may be over in a moment is about, and how it is now; "": it is none.
func about(e bridge.Event) (about, state string) {
	on := map[bool]string{true: "on"}
	switch e := inner(e).(type) {
	case bridge.KeeperChanged:
		return "keeper", string(e.Member.ID[:])
	case bridge.GameHosts:
		return hostsOf(e.Member.ID), on[e.Member.Hosts]
	case bridge.HostElsewhere:
		return "elsewhere", on[e.On]
	case local.Playing:
		return "playing", on[e.On]
	}
	return "", ""
}

// hostsOf is whether the game of a machine hosts.
func hostsOf(id link.ID) string { return "hosts " + string(id[:]) }

// begin takes it that people know how it is now.
func (s *steady) begin(members []bridge.Member) {
	s.told = map[string]string{}
	for _, m := range members {
		if m.Keeper {
			s.told["keeper"] = string(m.ID[:])
		}
	}
}

// playing reports whether people know that the game is connected to others.
func (s *steady) playing() bool { return s.told["playing"] != "" }

// hold takes an event, and reports whether it is held back.
func (s *steady) hold(now time.Time, e bridge.Event) bool {
	if left, is := e.(bridge.Left); is {
		s.forget(left.Member.ID)
	}
	about, state := about(e)
	if about == "" {
		return false
	}
	if slices.ContainsFunc(s.held, func(h held) bool { return h.about == about && h.state == state }) {
		return true
	}
	s.held = slices.DeleteFunc(s.held, func(h held) bool { return h.about == about })
	if state != s.told[about] {
		s.held = append(s.held, held{about, state, now, e})
	}
	return true
}

// forget takes it that a machine is gone: its game does not host, and if it is back soon people are told anew.
func (s *steady) forget(id link.ID) {
	delete(s.told, hostsOf(id))
	s.held = slices.DeleteFunc(s.held, func(h held) bool {
		there, is := h.event.(bridge.HostElsewhere)
		return h.about == hostsOf(id) || is && there.Member.ID == id
	})
}

// due returns what has lasted.
func (s *steady) due(now time.Time) (events []bridge.Event) {
	s.held = slices.DeleteFunc(s.held, func(h held) bool {
		if now.Sub(h.since) < lasts {
			return false
		}
		s.told[h.about] = h.state
		events = append(events, h.event)
		return true
	})
	return events
}

// wait returns what tells when something is due; nil: nothing will be.
func (s *steady) wait(now time.Time) <-chan time.Time {
	if len(s.held) == 0 {
		return nil
	}
	return time.After(max(0, lasts-now.Sub(s.held[0].since)))
}
