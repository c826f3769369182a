package events

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A Roster knows who is in a session, and who is called what, from its events.
type Roster struct {
	players  []*dpsp.PlayerCreated // in the order in which they came
	byID     map[wire.PlayerID]*dpsp.PlayerCreated
	groups   []*group // likewise
	machines map[wire.PlayerID]*machine
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

// A group has members.
type group struct {
	dpsp.GroupCreated
	members []wire.PlayerID
}

// A machine is another one, or was.
type machine struct {
	addr netip.Addr // invalid: not known
	name string     // of its first player; "": it had none
}

// NewRoster returns one of a session in which nobody is.
func NewRoster() *Roster {
	return &Roster{byID: map[wire.PlayerID]*dpsp.PlayerCreated{}, machines: map[wire.PlayerID]*machine{},
		alike: likenesses{of: map[wire.PlayerID]string{}, count: map[string]int{}}}
}

// Learn takes in an event.
func (r *Roster) Learn(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.SessionOpened:
		r.self, r.client = e.System, !e.Hosting && e.Desc.Flags&wire.SessionClientServer != 0
	case dpsp.SessionHealed:
		r.self = e.System // also where we have no player that would tell
	case dpsp.PeerJoined:
		r.remember(e.System).addr = e.Addr.Addr()
	case dpsp.PlayerCreated:
		if e.Local {
			r.self = e.System // another one than before if we came back into the session as a stranger
		}
		if m := r.remember(e.System); m.name == "" || r.first(e.System) == nil {
			m.name = e.ShortName
		}
		r.remove(e.ID)
		r.alike.add(e.ID, e.ShortName)
		r.players, r.byID[e.ID] = append(r.players, &e), &e
	case dpsp.PlayerChanged:
		if p := r.byID[e.ID]; p != nil {
			if r.first(p.System) == p {
				r.remember(p.System).name = e.ShortName
			}
			p.ShortName, p.LongName, p.Data = e.ShortName, e.LongName, e.Data
			r.alike.add(e.ID, e.ShortName)
		}
	case dpsp.PlayerDeleted:
		r.remove(e.ID)
		for _, g := range r.groups {
			g.remove(e.ID)
		}
	default:
		r.learnGroup(e)
	}
}

// learnGroup is Learn for groups.
func (r *Roster) learnGroup(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.GroupCreated:
		r.groups = append(r.groupsWithout(e.ID), &group{GroupCreated: e})
		r.alike.add(e.ID, e.ShortName)
	case dpsp.GroupChanged:
		if g := r.group(e.ID); g != nil {
			g.ShortName, g.LongName, g.Data = e.ShortName, e.LongName, e.Data
			r.alike.add(e.ID, e.ShortName)
		}
	case dpsp.GroupDeleted:
		r.groups = r.groupsWithout(e.ID)
		r.alike.remove(e.ID)
	case dpsp.MemberAdded:
		if g := r.group(e.Group); g != nil {
			g.remove(e.Player)
			g.members = append(g.members, e.Player)
		}
	case dpsp.MemberRemoved:
		if g := r.group(e.Group); g != nil {
			g.remove(e.Player)
		}
	}
}

func (g *group) remove(id wire.PlayerID) {
	g.members = slices.DeleteFunc(g.members, func(m wire.PlayerID) bool { return m == id })
}

// maxMachines is more than a session has. Beyond it those are forgotten that have no player.
const maxMachines = 1024

// remember returns what is known of a machine.
func (r *Roster) remember(system wire.PlayerID) *machine {
	m := r.machines[system]
	if m == nil {
		if len(r.machines) >= maxMachines {
			for id := range r.machines {
				if r.first(id) == nil {
					delete(r.machines, id)
				}
			}
		}
		m = &machine{}
		r.machines[system] = m
	}
	return m
}

// first returns the oldest player of a machine, nil if it has none.
func (r *Roster) first(system wire.PlayerID) *dpsp.PlayerCreated {
	i := slices.IndexFunc(r.players, func(p *dpsp.PlayerCreated) bool { return p.System == system })
	if i < 0 {
		return nil
	}
	return r.players[i]
}

// Ours returns the oldest player of ours, 0 if there is none.
func (r *Roster) Ours() wire.PlayerID {
	for _, p := range r.players {
		if p.Local {
			return p.ID
		}
	}
	return 0
}

// remove takes a player out.
func (r *Roster) remove(id wire.PlayerID) {
	if r.byID[id] == nil {
		return
	}
	delete(r.byID, id)
	r.alike.remove(id)
	r.players = slices.DeleteFunc(r.players, func(p *dpsp.PlayerCreated) bool { return p.ID == id })
}

func (r *Roster) group(id wire.PlayerID) *group {
	i := slices.IndexFunc(r.groups, func(g *group) bool { return g.ID == id })
	if i < 0 {
		return nil
	}
	return r.groups[i]
}

func (r *Roster) groupsWithout(id wire.PlayerID) []*group {
	return slices.DeleteFunc(r.groups, func(g *group) bool { return g.ID == id })
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
func (r *Roster) shown(m *machine) (at netip.Addr, ok bool) {
	if m == nil || r.Code != "" && m.addr.IsLoopback() {
		return at, false
	}
	return m.addr, m.addr.IsValid()
}

// where returns the addresses at which a host can be joined, for an object; nil if none is known.
func (r *Roster) where(host wire.PlayerID, us bool) *[]string {
	all := []string{}
	if m := r.machines[host]; !us && m != nil && m.addr.IsValid() {
		all = append(all, m.addr.String())
	}
	if us {
		for _, a := range r.addresses() {
			all = append(all, a.String())
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &all
}

// nameJSON returns a player's name for an object; nil if it is not known.
func (r *Roster) nameJSON(id wire.PlayerID) *string {
	if p := r.byID[id]; p != nil {
		return &p.ShortName
	}
	return nil
}

// who returns what people call a player or group: the name, or the id of one that has none. A name that another one could be taken for
// has the id behind it.
func (r *Roster) who(id wire.PlayerID) string {
	name := ""
	if p := r.byID[id]; p != nil {
		name = p.ShortName
	} else if g := r.group(id); g != nil {
		name = g.ShortName
	}
	switch {
	case name != "":
		return r.named(id, name)
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
	for _, g := range r.groups {
		if slices.Contains(g.members, e.To) && slices.Contains(g.members, e.From) {
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
	case m == nil || m.name == "" && !shown:
		return "the machine " + id.String()
	case m.name == "":
		return "the machine " + at.String()
	case !shown:
		return r.named(id, m.name) + "'s machine"
	}
	return fmt.Sprintf("%s's machine (%s)", captures.Shown(m.name), at)
}
