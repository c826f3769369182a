package doctor

import (
	"net/netip"
	"slices"
	"strings"

	"dplay4/wire"
)

// A bar is the reason for which nobody can join a session that was found.
type bar uint8

const (
	closed       bar = iota // to everybody
	noNewPlayers            // a machine may come in, but gets no player
	full
	open // anybody can join
)

// bar returns why nobody can join a session, as its description says.
func (o LiveOffer) bar() bar {
	return bar(slices.Index([]bool{
		closed:       o.Flags&wire.SessionJoinDisabled != 0,
		noNewPlayers: o.Flags&wire.SessionNewPlayersDisabled != 0,
		full:         isFull(o.Players, o.Max),
		open:         true,
	}, true))
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
	wanted := where(l.Offers(), func(o LiveOffer) bool { return l.App.IsZero() || o.App == l.App })
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

// notes returns sentences about things that are not wrong, and worth a word.
func (l *Live) notes() []string {
	locked := mapped(where(l.sessions(), func(o LiveOffer) bool {
		return o.Flags&wire.SessionPasswordRequired != 0 && o.bar() == open
	}), LiveOffer.title)
	name, found := l.hosts(), l.sessions()
	return said([]saying{
		{name != "", "this machine hosts " + quote(clip(name))},
		{l.ThroughBridge() && len(found) > 0, l.Host.String() + " is the bridge of this machine, and " + named(first(found).Name) + " is hosted behind it"},
		{l.Unlisted != "", "not checked, because this machine's network adapters cannot be listed (" + clip(l.Unlisted) +
			"): VPNs, and whether the right adapter is used"},
		{len(locked) > 0, pick(len(locked) > 3, count(len(locked), "session"), strings.Join(locked, " and ")) +
			pick(len(locked) == 1, " wants a password", " want a password")},
	})
}
