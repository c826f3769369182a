package sim

import (
	"net/netip"
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A told is what a program knows from events alone. What it is told must fit what it was told before.
type told struct {
	joining  bool
	in       bool
	instance wire.GUID
	self     wire.PlayerID
	host     wire.PlayerID
	electing bool // MigrationStarted came, and HostChanged not yet
	flags    wire.SessionFlags
	players  map[wire.PlayerID]*thing
	groups   map[wire.PlayerID]*thing
	peers    map[wire.PlayerID]netip.AddrPort
	gone     map[wire.PlayerID]string    // names of players that are gone
	risen    bool                        // the last player that was created had been deleted before
	order    map[[2]wire.PlayerID]uint64 // by linkOf: the sender's membership and the number of the last guaranteed message
	objects  map[wire.ObjectID]*toy
}

// A thing is a player or a group.
type thing struct {
	system             wire.PlayerID
	name, long, data   string
	local              bool
	members, subgroups []wire.PlayerID // sorted: players, and groups that are visible in it
}

func (t *told) reset() {
	*t = told{
		players: map[wire.PlayerID]*thing{}, groups: map[wire.PlayerID]*thing{}, peers: map[wire.PlayerID]netip.AddrPort{},
		gone: map[wire.PlayerID]string{}, order: map[[2]wire.PlayerID]uint64{}, objects: map[wire.ObjectID]*toy{},
	}
}

// A complaint is one sentence about an event that contradicts an earlier one; "" for none.
type complaint = string

// hear takes an event in.
func (t *told) hear(ev dpsp.Event) complaint {
	if !t.in && !t.joining {
		if inSession(ev) {
			return "it is in no session"
		}
		if _, ok := ev.(dpsp.SessionOpened); !ok {
			return ""
		}
	}
	switch ev := ev.(type) {
	case dpsp.SessionOpened:
		return t.opened(ev)
	case dpsp.SessionClosed, dpsp.SessionLost:
		t.reset()
	case dpsp.SessionChanged:
		t.flags = ev.Desc.Flags
		if ev.Desc.Instance != t.instance {
			return "the session has another instance GUID now"
		}
	case dpsp.MigrationStarted:
		t.electing = true
	case dpsp.HostChanged:
		return t.hostChanged(ev)
	case dpsp.SessionHealed:
		t.self = ev.System
		if ev.Host != t.host {
			return "the session is whole, and its host was " + t.host.String() + ", not " + ev.Host.String()
		}
	case dpsp.PeerJoined:
		t.peers[ev.System] = ev.Addr
	case dpsp.PeerLost:
		if !t.has(ev.System) {
			return "there is no machine " + ev.System.String()
		}
		delete(t.peers, ev.System)
	case dpsp.ConnectionRenewed:
		if !t.has(ev.System) {
			return "there is no machine " + ev.System.String()
		}
	case dpsp.Message:
		return t.message(ev.From, ev.To)
	case dpsp.ChatMessage:
		return t.message(ev.From, ev.To)
	case dpsp.ObjectCreated, dpsp.ObjectUpdated, dpsp.ObjectMigrated, dpsp.ObjectDestroyed:
		return t.object(ev)
	default:
		return t.list(ev)
	}
	return ""
}

// inSession reports whether an event makes sense only in a session.
func inSession(ev dpsp.Event) bool {
	switch ev.(type) {
	case dpsp.Done, dpsp.SessionFound, dpsp.Dropped, dpsp.SessionOpened:
		return false
	}
	return true
}

func (t *told) opened(ev dpsp.SessionOpened) complaint {
	if t.in {
		return "it is in a session already"
	}
	t.in, t.joining = true, false
	t.instance, t.self, t.host, t.flags = ev.Desc.Instance, ev.System, ev.Host, ev.Desc.Flags
	switch {
	case ev.Hosting != (ev.Host == ev.System):
		return "hosting or not: the ids say the contrary"
	case ev.Host != ev.System && !t.has(ev.Host):
		return "the host, " + ev.Host.String() + ", did not join"
	}
	return ""
}

func (t *told) hostChanged(ev dpsp.HostChanged) complaint {
	was, stood := t.host, t.electing
	t.host, t.electing = ev.New, false
	switch {
	case ev.Old != was:
		return "the host was " + was.String() + ", not " + ev.Old.String()
	case ev.New == was && !stood:
		return "the host was " + was.String() + " already"
	case ev.Hosting && !t.in:
		return "it hosts what it is not in"
	case ev.Hosting:
		t.self = ev.New
	case ev.New == t.self:
		return "it is the host by its id, and is told that it is not"
	case !t.has(ev.New):
		return "there is no machine " + ev.New.String() + " that could be host"
	}
	return ""
}

// has reports whether a machine is in our session.
func (t *told) has(system wire.PlayerID) bool {
	_, ok := t.peers[system]
	return ok
}

// message checks the players that a message is from and for.
func (t *told) message(from, to wire.PlayerID) complaint {
	p := t.players[to]
	if p == nil || !p.local {
		return to.String() + ", whom a message is for, is no player of ours"
	}
	if t.flags&wire.SessionNoMessageID != 0 {
		return ""
	}
	if t.players[from] == nil {
		return from.String() + ", whom a message is from, is no player"
	}
	return ""
}

// list takes in an event about players and groups.
func (t *told) list(ev dpsp.Event) complaint {
	switch ev := ev.(type) {
	case dpsp.PlayerCreated:
		return t.playerCreated(ev)
	case dpsp.PlayerDeleted:
		p := t.players[ev.ID]
		if p == nil {
			return "there is no player " + ev.ID.String()
		}
		t.gone[ev.ID] = p.name
		delete(t.players, ev.ID)
		for _, g := range t.groups {
			g.members = without(g.members, ev.ID)
		}
	case dpsp.PlayerChanged:
		return change(t.players[ev.ID], "player", ev.ID, ev.ShortName, ev.LongName, ev.Data)
	case dpsp.GroupChanged:
		return change(t.groups[ev.ID], "group", ev.ID, ev.ShortName, ev.LongName, ev.Data)
	case dpsp.GroupCreated:
		if t.groups[ev.ID] != nil || t.players[ev.ID] != nil {
			return ev.ID.String() + " is there already"
		}
		t.groups[ev.ID] = &thing{system: ev.System, name: ev.ShortName, long: ev.LongName, data: string(ev.Data), local: ev.Local}
	case dpsp.GroupDeleted:
		if t.groups[ev.ID] == nil {
			return "there is no group " + ev.ID.String()
		}
		delete(t.groups, ev.ID)
		for _, g := range t.groups {
			g.subgroups = without(g.subgroups, ev.ID)
		}
	case dpsp.MemberAdded:
		return add(t.groups[ev.Group], t.players[ev.Player], ev.Player, false)
	case dpsp.MemberRemoved:
		return remove(t.groups[ev.Group], ev.Player, false)
	case dpsp.ShortcutAdded:
		return add(t.groups[ev.Parent], t.groups[ev.Child], ev.Child, true)
	case dpsp.ShortcutRemoved:
		return remove(t.groups[ev.Parent], ev.Child, true)
	}
	return ""
}

func (t *told) playerCreated(ev dpsp.PlayerCreated) complaint {
	if t.groups[ev.ID] != nil || t.players[ev.ID] != nil {
		return ev.ID.String() + " is there already"
	}
	t.players[ev.ID] = &thing{system: ev.System, name: ev.ShortName, long: ev.LongName, data: string(ev.Data), local: ev.Local}
	if t.in && ev.Local {
		t.self = ev.System // of a machine that came back like a stranger
	}
	// Names are used once in a world: the same one again is the same player.
	name, ok := t.gone[ev.ID]
	t.risen = ok && name == ev.ShortName && name != ""
	return ""
}

func change(p *thing, what string, id wire.PlayerID, short, long string, data []byte) complaint {
	if p == nil {
		return "there is no " + what + " " + id.String()
	}
	p.name, p.long, p.data = short, long, string(data)
	return ""
}

func (p *thing) list(sub bool) *[]wire.PlayerID {
	if sub {
		return &p.subgroups
	}
	return &p.members
}

func add(group, member *thing, id wire.PlayerID, sub bool) complaint {
	if group == nil || member == nil {
		return id.String() + " or the group that it comes into is not there"
	}
	l := group.list(sub)
	i, there := slices.BinarySearch(*l, id)
	if there {
		return id.String() + " is in the group already"
	}
	*l = slices.Insert(*l, i, id)
	return ""
}

func remove(group *thing, id wire.PlayerID, sub bool) complaint {
	if group == nil {
		return "the group that " + id.String() + " leaves is not there"
	}
	l := group.list(sub)
	if !slices.Contains(*l, id) {
		return id.String() + " is not in the group"
	}
	*l = without(*l, id)
	return ""
}

func without(l []wire.PlayerID, id wire.PlayerID) []wire.PlayerID {
	return slices.DeleteFunc(l, func(x wire.PlayerID) bool { return x == id })
}

// against holds what a program was told against the engine's list of players.
func (t *told) against(list []dpsp.PlayerCreated) complaint {
	if !t.in {
		if len(list) > 0 {
			return "it is in no session, and its list has players"
		}
		return ""
	}
	if len(list) != len(t.players) {
		return "the list of players has another length than what was told"
	}
	for i := range list {
		p, q := &list[i], t.players[list[i].ID]
		if q == nil || q.system != p.System || q.name != p.ShortName || q.long != p.LongName || q.data != string(p.Data) ||
			q.local != p.Local {
			return "player " + p.ID.String() + " is not as it was told"
		}
	}
	return ""
}
