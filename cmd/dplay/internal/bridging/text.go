package bridging

import (
	"fmt"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// Lines says what happened, a line each; none of what is not worth one.
func Lines(e bridge.Event) []string { return lines(e, nameOf) }

// LinesBeside is Lines among lines about players, who may have the names of the machines.
func LinesBeside(e bridge.Event) []string {
	return lines(e, func(m *bridge.Member) string {
		if m.Name == "" {
			return nameOf(m)
		}
		return nameOf(m) + "'s machine"
	})
}

// lines says what happened. Machines that come and go are called in a way.
func lines(e bridge.Event, called func(*bridge.Member) string) []string {
	switch e := e.(type) {
	case bridge.CodeChanged:
		return []string{"the code is another one now, for newcomers: " + e.Code}
	case bridge.Joined:
		switch {
		case e.Member.Self:
			return nil
		case !e.Member.Linked && e.Member.Name == "": // it never was
			return []string{called(&e.Member) + " is in the session, but cannot be reached from here"}
		}
		return []string{called(&e.Member) + " is here, " + wayText(&e.Member)}
	case bridge.Left:
		return []string{called(&e.Member) + " is gone" + because(e.Reason)}
	case bridge.WayChanged:
		if e.First {
			return []string{called(&e.Member) + " is here, " + wayText(&e.Member)}
		}
		return []string{called(&e.Member) + ": " + wayText(&e.Member)}
	case bridge.KeeperChanged:
		switch {
		case !e.Ask: // it makes no difference to anybody
			return nil
		case e.Member.Self:
			return []string{"it is you who lets newcomers in now"}
		}
		return []string{nameOf(&e.Member) + " lets newcomers in now"}
	case bridge.GameHosts:
		if e.Member.Hosts {
			return []string{nameOf(&e.Member) + "'s game hosts"}
		}
		return []string{nameOf(&e.Member) + "'s game does not host any more"}
	case bridge.SlotChanged:
		return []string{fmt.Sprintf("another machine has our place: ours is TCP %d and UDP %d now. Start the game again",
			e.Self.Ports.TCP, e.Self.Ports.UDP)}
	case bridge.Asked:
		return []string{Question(e, `"dplay bridge admit" in another terminal lets it in, "dplay bridge refuse" does not`)}
	case bridge.Unasked:
		return []string{asker(e.Name) + because(e.Reason)}
	case bridge.RelayLost, bridge.RelayFound:
		return relayLines(e)
	case bridge.HostElsewhere:
		if e.On {
			return []string{"while " + nameOf(&e.Member) + "'s game hosts, a game here can join, not host"}
		}
		return []string{"a game here can host now"}
	case bridge.Local:
		return localLines(e.Event)
	case bridge.Ended:
		if e.Reason != "" {
			return []string{"out of the session" + because(e.Reason)}
		}
	}
	return nil
}

// relayLines says what became of a relay.
func relayLines(e bridge.Event) []string {
	switch e := e.(type) {
	case bridge.RelayLost:
		return []string{lostText(&e)}
	case bridge.RelayFound:
		switch by := strings.ToUpper(e.Transport); {
		case e.Again:
			return []string{"the relay " + e.Relay + " answers now, by " + by}
		case by != "UDP":
			return []string{"the relay " + e.Relay + " is used by " + by + ": UDP is blocked on the way there, or its UDP port is another one"}
		}
	}
	return nil
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

// localLines says what happened on this machine.
func localLines(e local.Event) []string {
	switch e := e.(type) {
	case local.Waiting:
		if e.For != "" {
			return []string{"waiting: " + captures.Printable(e.For)}
		}
	case local.Searching:
		return []string{"the game looks for sessions"}
	case local.Hosting:
		if e.On {
			return []string{"a game hosts here" + of(e.By)}
		}
		return []string{"no game hosts here any more"}
	case local.Playing:
		if e.On {
			return []string{"the game is connected to others"}
		}
		return []string{"the game is not connected to others any more"}
	case local.Translating:
		return []string{fmt.Sprintf("the game is on TCP %d and UDP %d: what it says is translated to %d and %d",
			e.Game.TCP, e.Game.UDP, e.Plan.TCP, e.Plan.UDP)}
	case local.Cut:
		return []string{fmt.Sprintf("a connection of machine %d was cut%s", e.Slot, because(e.Err.Error()))}
	case local.Taken:
		if e.For < 0 {
			return []string{fmt.Sprintf("the game of machine %d names %s, where no machine of this session is: a bridge has to run there, too",
				e.Slot, e.At)}
		}
		return []string{fmt.Sprintf("the game of machine %d names %s, which is taken for machine %d", e.Slot, e.At, e.For)}
	case local.Dropped:
		return []string{fmt.Sprintf("messages of machine %d were kept from the game: %d%s", e.Slot, e.Count, because(e.Err.Error()))}
	}
	return nil
}

// because introduces a reason, if there is one.
func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + captures.Printable(reason)
}

// of names a program, if it is known.
func of(program string) string {
	if program == "" {
		return ""
	}
	return ": " + captures.Printable(program)
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
