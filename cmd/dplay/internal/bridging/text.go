package bridging

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// Lines returns the lines of an event for people; none if there is nothing to say.
func Lines(e bridge.Event) []string { return kinds.Lines(inner(e), nameOf) }

// LinesBeside is Lines among lines about players, who may have the names of the machines.
func LinesBeside(e bridge.Event) []string {
	return kinds.Lines(inner(e), func(m *bridge.Member) string {
		if m.Name == "" {
			return nameOf(m)
		}
		return nameOf(m) + "'s machine"
	})
}

// inner returns the event in a bridge.Local, and any other event as it is.
func inner(e bridge.Event) any {
	if here, is := e.(bridge.Local); is {
		return here.Event
	}
	return e
}

// NameOf returns the name of an event.
func NameOf(e bridge.Event) string { return cmp.Or(kinds.Name(inner(e)), "other") }

// The events that are told before there is a session, or instead of one.
const (
	waitingName = "bridge_waiting"
	failedName  = "bridge_failed"
)

// Names returns the names of all events, in order.
func Names() []string {
	return slices.Sorted(slices.Values(append(kinds.Names(), waitingName, failedName)))
}

// A naming returns the name of a machine that comes or goes.
type naming = func(*bridge.Member) string

// kinds has all events.
var kinds = events.Table[naming]{
	events.Silent[bridge.Opened, naming]("bridge_opened"),
	events.On("bridge_code", func(e bridge.CodeChanged, _ naming) string {
		return "the code is another one now, for newcomers: " + e.Code
	}),
	events.On("machine_joined", func(e bridge.Joined, called naming) string {
		switch {
		case e.Member.Self:
			return ""
		case !e.Member.Linked && e.Member.Name == "": // it never was
			return called(&e.Member) + " is in the session, but cannot be reached from here"
		}
		return called(&e.Member) + " is here, " + wayText(&e.Member)
	}),
	events.On("machine_left", func(e bridge.Left, called naming) string { return called(&e.Member) + " is gone" + because(e.Reason) }),
	events.On("machine_way", func(e bridge.WayChanged, called naming) string {
		if e.First {
			return called(&e.Member) + " is here, " + wayText(&e.Member)
		}
		return called(&e.Member) + ": " + wayText(&e.Member)
	}),
	events.On("keeper_changed", func(e bridge.KeeperChanged, _ naming) string {
		switch {
		case !e.Ask: // it makes no difference to anybody
			return ""
		case e.Member.Self:
			return "it is you who lets newcomers in now"
		}
		return nameOf(&e.Member) + " lets newcomers in now"
	}),
	events.On("machine_hosts", func(e bridge.GameHosts, _ naming) string {
		if e.Member.Hosts {
			return nameOf(&e.Member) + "'s game hosts"
		}
		return nameOf(&e.Member) + "'s game does not host any more"
	}),
	events.On("slot_changed", func(e bridge.SlotChanged, _ naming) string {
		return fmt.Sprintf("another machine has our place: ours is TCP %d and UDP %d now. Start the game again",
			e.Self.Ports.TCP, e.Self.Ports.UDP)
	}),
	events.On("machine_asks", func(e bridge.Asked, _ naming) string {
		return Question(e, `"dplay bridge admit" in another terminal lets it in, "dplay bridge refuse" does not`)
	}),
	events.On("machine_asks_no_more", func(e bridge.Unasked, _ naming) string { return asker(e.Name) + because(e.Reason) }),
	events.On("relay_lost", func(e bridge.RelayLost, _ naming) string { return lostText(&e) }),
	events.On("relay_found", func(e bridge.RelayFound, _ naming) string {
		switch by := strings.ToUpper(e.Transport); {
		case e.Again:
			return "the relay " + e.Relay + " answers now, by " + by
		case by != "UDP":
			return "the relay " + e.Relay + " is used by " + by + ": UDP is blocked on the way there, or its UDP port is another one"
		}
		return ""
	}),
	events.On("host_elsewhere", func(e bridge.HostElsewhere, _ naming) string {
		if e.On {
			return "while " + nameOf(&e.Member) + "'s game hosts, a game here can join, not host"
		}
		return "a game here can host now"
	}),
	events.On("bridge_closed", func(e bridge.Ended, _ naming) string {
		if e.Reason == "" {
			return ""
		}
		return "out of the session" + because(e.Reason)
	}),
	events.On("waiting", func(e local.Waiting, _ naming) string {
		if e.For == "" {
			return ""
		}
		return "waiting" + because(e.For)
	}),
	events.On("game_searching", func(local.Searching, naming) string { return "the game looks for sessions" }),
	events.On("game_hosting", func(e local.Hosting, _ naming) string {
		if e.On {
			return "a game hosts here" + because(e.By)
		}
		return "no game hosts here any more"
	}),
	events.On("game_playing", func(e local.Playing, _ naming) string {
		if e.On {
			return "the game is connected to others"
		}
		return "the game is not connected to others any more"
	}),
	events.On("game_translated", func(e local.Translating, _ naming) string {
		return fmt.Sprintf("the game is on TCP %d and UDP %d: what it says is translated to %d and %d",
			e.Game.TCP, e.Game.UDP, e.Plan.TCP, e.Plan.UDP)
	}),
	events.On("stream_cut", func(e local.Cut, _ naming) string {
		return fmt.Sprintf("a connection of machine %d was cut%s", e.Slot, because(e.Err.Error()))
	}),
	events.On("address_taken", func(e local.Taken, _ naming) string {
		if e.For < 0 {
			return fmt.Sprintf("the game of machine %d names %s, where no machine of this session is: a bridge has to run there, too",
				e.Slot, e.At)
		}
		return fmt.Sprintf("the game of machine %d names %s, which is taken for machine %d", e.Slot, e.At, e.For)
	}),
	events.On("messages_dropped", func(e local.Dropped, _ naming) string {
		return fmt.Sprintf("messages of machine %d were kept from the game: %d%s", e.Slot, e.Count, because(e.Err.Error()))
	}),
}

// lostText says that a relay does not answer, and what becomes of what went over it.
func lostText(e *bridge.RelayLost) string {
	if !e.Found {
		return "the relay " + e.Relay + " cannot be used" + because(e.Reason)
	}
	rest := "the other ones go on"
	switch e.Others {
	case 0:
		rest = "what goes directly goes on, and nobody can join"
	case 1:
		rest = "the other one goes on"
	}
	return "the relay " + e.Relay + " is lost" + because(e.Reason) + "; " + rest
}

// WaitText says what is waited for before the session is there.
func WaitText(w bridge.Wait) string {
	return "waiting for " + map[bridge.Wait]string{bridge.ForRelay: "a relay", bridge.ForSession: "the session to answer",
		bridge.ForYes: "somebody in the session to let this machine in"}[w]
}

// Question asks about a newcomer. The answer says how to answer.
func Question(e bridge.Asked, answer string) string {
	return asker(e.Name) + " wants to join: " + answer
}

// because introduces a reason, or the name of a program, if there is one.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + captures.Printable(reason)
}

// wayText says how octets go to a machine.
func wayText(m *bridge.Member) string {
	if !m.Linked {
		return "no way at the moment"
	}
	text := []string{wayWord(m)}
	if m.Way.RTT > 0 {
		text = append(text, tripText(m))
	}
	if m.Way.Loss > 0 {
		text = append(text, lossText(m)+" lost")
	}
	if m.Way.Over != "" {
		text = append(text, "("+captures.Printable(m.Way.Over)+")")
	}
	return strings.Join(text, " ")
}

// wayWord says in a word how octets go to a machine.
func wayWord(m *bridge.Member) string {
	switch {
	case m.Self:
		return "-"
	case !m.Linked:
		return "none"
	case m.Way.Direct:
		return "direct"
	}
	return "relayed"
}

// tripText returns a round trip in three digits.
func tripText(m *bridge.Member) string {
	switch ms := float64(m.Way.RTT) / float64(time.Millisecond); {
	case m.Self || !m.Linked || m.Way.RTT == 0:
		return "-"
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	default:
		return fmt.Sprintf("%.0f ms", ms)
	}
}

// lossText says how much is lost.
func lossText(m *bridge.Member) string {
	if m.Self || !m.Linked {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", m.Way.Loss*100)
}
