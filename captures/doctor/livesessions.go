package doctor

import (
	"net/netip"
	"strings"

	"dplay4/wire"
)

// A bar is what keeps everybody out of a session that was found.
type bar uint8

const (
	open         bar = iota
	closed           // to everybody
	noNewPlayers     // a machine may come in, but gets no player
	full
)

// bar returns why nobody can join a session, as its description says.
func (o LiveOffer) bar() bar {
	switch {
	case o.Flags&wire.SessionJoinDisabled != 0:
		return closed
	case o.Flags&wire.SessionNewPlayersDisabled != 0:
		return noNewPlayers
	case o.Max > 0 && o.Players >= o.Max:
		return full
	}
	return open
}

// show makes evidence of a session's description.
func (o LiveOffer) show(field, value string) Evidence {
	return Evidence{Message: "ENUMSESSIONSREPLY", Field: field, Value: value}
}

// title names a session for people.
func (o LiveOffer) title() string { return named(o.Name) + " of " + o.Host.Addr().String() }

// sessions returns the sessions of the game that is wanted, each once: a host is asked in several ways.
func (l *Live) sessions() []LiveOffer {
	type key struct {
		host     netip.AddrPort
		instance wire.GUID
		name     string
	}
	wanted := where(l.offers(), func(o LiveOffer) bool { return l.App.IsZero() || o.App == l.App })
	return once(wanted, func(o LiveOffer) key { return key{o.Host, o.Instance, o.Name} })
}

// barred returns a rule's function: it returns a finding for each session that has a bar, and a warning where another session can be joined.
// tell returns the words behind the session's name, and the evidence.
func barred(b bar, tell func(LiveOffer) (string, Evidence)) func(*Live) []*Finding {
	return each(func(l *Live) []LiveOffer {
		return where(l.sessions(), func(o LiveOffer) bool { return o.bar() == b })
	}, func(l *Live, o LiveOffer) *Finding {
		text, ev := tell(o)
		joinable := exists(l.sessions(), func(o LiveOffer) bool { return o.bar() == open })
		return found(o.title()+" "+text, ev).as(pick(joinable, Warning, Failure))
	})
}

// notes returns what is worth knowing though nothing is wrong with it.
func (l *Live) notes() (list []string) {
	if name := l.hosts(); name != "" {
		list = append(list, "this machine hosts "+quote(clip(name)))
	}
	if found := l.sessions(); l.ThroughBridge() && len(found) > 0 {
		list = append(list, l.Host.String()+" is the bridge of this machine, and "+named(found[0].Name)+" is hosted behind it")
	}
	if l.Unlisted != "" {
		list = append(list, "not checked, because this machine's network adapters cannot be listed ("+clip(l.Unlisted)+
			"): VPNs, and whether the right adapter is used")
	}
	locked := mapped(where(l.sessions(), func(o LiveOffer) bool {
		return o.Flags&wire.SessionPasswordRequired != 0 && o.bar() == open
	}), LiveOffer.title)
	switch n := len(locked); {
	case n == 1:
		list = append(list, locked[0]+" wants a password")
	case n > 3:
		list = append(list, count(n, "session")+" want a password")
	case n > 1:
		list = append(list, strings.Join(locked, " and ")+" want a password")
	}
	return list
}
