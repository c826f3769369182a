package sim

import (
	"net/netip"
	"slices"

	"dplay4/dpsp"
	"dplay4/playerlist"
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
	list     playerlist.List          // follows the events
	players  map[wire.PlayerID]*thing // of the list
	groups   map[wire.PlayerID]*thing // likewise
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
		t.look()
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
		return t.follow(ev)
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
	t.look()
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
		t.look()
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

// follow takes in an event about players and groups.
func (t *told) follow(ev dpsp.Event) complaint {
	switch ev := ev.(type) {
	case dpsp.PlayerCreated:
		if t.in && ev.Local && t.self != ev.System { // a machine that came back like a stranger
			t.self = ev.System
			t.look()
		}
		// Names are used once in a world: the same one again is the same player.
		name, ok := t.gone[ev.ID]
		t.risen = ok && name == ev.ShortName && name != ""
	case dpsp.PlayerDeleted:
		t.gone[ev.ID] = ev.Name
	}
	if err := dpsp.Follow(&t.list, ev); err != nil {
		return err.Error()
	}
	if c, ok := ev.(dpsp.Change); ok && t.in {
		t.changed(c.Op())
	}
	return ""
}

// changed makes players and groups of what an operation changed in the list.
func (t *told) changed(op playerlist.Op) {
	switch op := op.(type) {
	case playerlist.AddPlayer:
		t.lookAt(op.Entry.ID)
	case playerlist.AddGroup:
		t.lookAt(op.Entry.ID)
	case playerlist.SetName:
		t.lookAt(op.ID)
	case playerlist.SetData:
		t.lookAt(op.ID)
	case playerlist.AddMember:
		t.lookAt(op.Group)
	case playerlist.RemoveMember:
		t.lookAt(op.Group)
	case playerlist.AddShortcut:
		t.lookAt(op.Parent)
	case playerlist.RemoveShortcut:
		t.lookAt(op.Parent)
	default:
		t.prune()
	}
}

// prune forgets what was deleted, and what went with it.
func (t *told) prune() {
	for id := range t.players {
		if player, _ := t.list.Kind(id); !player {
			delete(t.players, id)
		}
	}
	for id := range t.groups {
		if _, group := t.list.Kind(id); group {
			t.lookAt(id)
		} else {
			delete(t.groups, id)
		}
	}
}

// look makes players and groups of the list.
func (t *told) look() {
	t.players, t.groups = map[wire.PlayerID]*thing{}, map[wire.PlayerID]*thing{}
	for p := range t.list.EachPlayer() {
		if p.Flags&wire.PlayerSystem == 0 {
			t.lookAt(p.ID)
		}
	}
	for g := range t.list.EachGroup() {
		t.lookAt(g.ID)
	}
}

// lookAt makes one of them.
func (t *told) lookAt(id wire.PlayerID) {
	e, _ := t.list.Look(id)
	x := t.thing(&e)
	if !e.Group {
		t.players[id] = x
		return
	}
	x.members, x.subgroups = t.list.AppendMembers(nil, id), t.list.AppendShortcuts(nil, id)
	slices.Sort(x.members)
	slices.Sort(x.subgroups)
	t.groups[id] = x
}

func (t *told) thing(e *playerlist.Entry) *thing {
	short, long := dpsp.Names(e)
	return &thing{system: e.System, name: short, long: long, data: string(e.Data), local: e.System == t.self}
}

func without(l []wire.PlayerID, id wire.PlayerID) []wire.PlayerID {
	return slices.DeleteFunc(l, func(x wire.PlayerID) bool { return x == id })
}
