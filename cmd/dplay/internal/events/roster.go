package events

import (
	"fmt"
	"iter"
	"maps"
	"net/netip"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// A Roster knows who is in a session, and who is called what, from its events.
type Roster struct {
	list     playerlist.List // follows the events
	machines map[wire.PlayerID]machine
	alike    likenesses
	self     wire.PlayerID // our machine
	client   bool          // of a server: it is not told of groups
	// Our sockets, which no event tells, and the address that others are told; invalid: none in particular.
	Stream, Datagram netip.AddrPort
	Advertised       netip.Addr
	// Own are the addresses of this machine at which others may reach it.
	Own []netip.Addr
	// Code is what others join by over the internet; "": they join at an address alone.
	Code string
	// Beside says that the code is that of a bridge which another program of this machine is: others can join at an address, too.
	Beside bool
}

// A machine is another one, or was.
type machine struct {
	addr netip.Addr // invalid: not known
	name string     // of its first player; "": it had none
}

// NewRoster returns one of a session in which nobody is.
func NewRoster() *Roster {
	return &Roster{machines: map[wire.PlayerID]machine{},
		alike: likenesses{of: map[wire.PlayerID]string{}, with: map[string][]wire.PlayerID{}}}
}

// Learn takes in an event: it applies the operation of a [dpsp.Change] to the list, and stores what no operation has.
func (r *Roster) Learn(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.SessionOpened:
		r.self, r.client = e.System, !e.Hosting && e.Desc.Flags&wire.SessionClientServer != 0
	case dpsp.SessionHealed:
		r.self = e.System // also where we have no player that would tell
	case dpsp.PeerJoined:
		r.remember(e.System, machine{e.Addr.Addr(), r.machines[e.System].name})
	case dpsp.PlayerCreated:
		if e.Local {
			r.self = e.System // another one than before if we came back into the session as a stranger
		}
	}
	dpsp.Follow(&r.list, e) //nolint:errcheck // the events of one session fit
	if c, ok := e.(dpsp.Change); ok {
		r.rename(c.Op())
	}
}

// rename updates the names that an operation changed: those that are alike, and that of the machine.
func (r *Roster) rename(op playerlist.Op) {
	var id wire.PlayerID
	isNew := false
	switch op := op.(type) {
	case playerlist.AddPlayer:
		id, isNew = op.Entry.ID, true
	case playerlist.AddGroup:
		id = op.Entry.ID
	case playerlist.SetName:
		id = op.ID
	case playerlist.DeletePlayer:
		id = op.ID
	case playerlist.DeleteGroup:
		id = op.ID
	default:
		return
	}
	r.alike.update(&r.list, id)
	if p, ok := r.list.Look(id); ok && !p.Group {
		if m := r.machines[p.System]; isNew && m.name == "" || r.first(p.System) == id {
			r.remember(p.System, machine{m.addr, name(&p)})
		}
	}
}

// maxMachines is more than a session has. Beyond it those are forgotten that have no player.
const maxMachines = 1024

// remember stores what is known of a machine.
func (r *Roster) remember(system wire.PlayerID, m machine) {
	if len(r.machines) >= maxMachines {
		maps.DeleteFunc(r.machines, func(id wire.PlayerID, _ machine) bool {
			rows, _, _ := r.list.Share(id)
			return rows == 0
		})
	}
	r.machines[system] = m
}

// players returns the players, in the order in which they came.
func (r *Roster) players() iter.Seq[playerlist.Entry] {
	return func(yield func(playerlist.Entry) bool) {
		for p := range r.list.EachPlayer() {
			if !isMachine(&p) && !yield(p) {
				return
			}
		}
	}
}

// first returns the oldest player of a machine, 0 if it has none.
func (r *Roster) first(system wire.PlayerID) wire.PlayerID {
	for p := range r.players() {
		if p.System == system {
			return p.ID
		}
	}
	return 0
}

// Ours returns the oldest player of ours, 0 if there is none.
func (r *Roster) Ours() wire.PlayerID { return r.first(r.self) }

func isMachine(e *playerlist.Entry) bool { return e.Flags&wire.PlayerSystem != 0 }

// name returns the name of a player or group.
func name(e *playerlist.Entry) string {
	short, _ := dpsp.Names(e)
	return short
}

// maxShown is how many addresses of this machine a line shows. The event has them all.
const maxShown = 4

// addresses returns where others find us as host, as far as it is known.
func (r *Roster) addresses() []netip.Addr {
	switch at := r.Stream.Addr(); {
	case r.Advertised.IsValid():
		return []netip.Addr{r.Advertised}
	case at.IsUnspecified() || !at.IsValid():
		return r.Own
	default:
		return []netip.Addr{at}
	}
}

// joinAt says where others can join us.
func (r *Roster) joinAt() string {
	switch {
	case r.Beside:
		return "others can join us " + r.joinAtAddress() + ", or with the code of the bridge on this machine: " + r.Code
	case r.Code != "":
		return "others can join us with the code " + r.Code
	}
	return "others can join us " + r.joinAtAddress()
}

// joinAtAddress says at which addresses.
func (r *Roster) joinAtAddress() string {
	all := r.addresses()
	if len(all) == 0 {
		return "at this machine's address"
	}
	var words []string
	for _, a := range all[:min(len(all), maxShown)] {
		words = append(words, a.String())
	}
	text := "at " + strings.Join(words, " or ")
	if more := len(all) - maxShown; more > 0 {
		text += fmt.Sprintf(", and %d addresses more", more)
	}
	return text
}

// shown returns where a machine is, if that says anything: over a bridge all are at 127.0.0.1.
func (r *Roster) shown(m machine) (at netip.Addr, ok bool) {
	return m.addr, m.addr.IsValid() && (r.Code == "" || !m.addr.IsLoopback())
}

// addWhere appends the addresses at which a host can be joined, if any is known.
func (r *Roster) addWhere(o Object, host wire.PlayerID, us bool) Object {
	all := []netip.Addr{r.machines[host].addr}
	if us {
		all = r.addresses()
	}
	if len(all) == 0 || !all[0].IsValid() {
		return o
	}
	return o.Add("addresses", all)
}

// who returns what people call a player or group: the name, or the id of one that has none. A name that another one could be taken for
// has the id behind it.
func (r *Roster) who(id wire.PlayerID) string {
	e, _ := r.list.Look(id)
	switch text := name(&e); {
	case text != "":
		return r.named(id, text)
	case id == wire.IDAll:
		return "everybody"
	}
	return id.String()
}

// asideText stands behind the name of who says something to a player of ours alone.
const asideText = " (to you alone)"

// aside says whether text was meant for one player of ours alone. What another machine says to a group comes to each in it as if it
// were (dpsp.ChatMessage).
func (r *Roster) aside(e *dpsp.ChatMessage) string {
	for g := range r.list.EachGroup() {
		if r.list.IsMember(g.ID, e.To) && r.list.IsMember(g.ID, e.From) {
			return ""
		}
	}
	if e.Sent == e.To && !r.client {
		return asideText
	}
	return ""
}

// lostBy returns why a machine is lost. Over the internet it is the bridge that ended the connection, for whatever reason it has.
func (r *Roster) lostBy(reason string) string {
	if r.Code != "" && reason == dpsp.ClosedConnection {
		return "the connection to it is gone"
	}
	return captures.Printable(reason)
}

// machine returns what people call a machine: by its first player, and where it is. Ours is what ours is called here. Of one that is
// gone the last name is known.
func (r *Roster) machine(id wire.PlayerID, ours string) string {
	m := r.machines[id]
	at, shown := r.shown(m)
	switch {
	case id == r.self:
		return ours
	case m.name == "" && shown:
		return "the machine " + at.String()
	case m.name == "":
		return "the machine " + id.String()
	case !shown:
		return r.named(id, m.name) + "'s machine"
	}
	return fmt.Sprintf("%s's machine (%s)", captures.Shown(m.name), at)
}
