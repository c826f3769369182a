package show

import (
	"dplay4/captures"
	"dplay4/playerlist"
	"dplay4/wire"
)

// lineOps is how many operations of a message about views a line has.
const lineOps = 4

// refusals are the reasons of REFUSE (package hostmigrate/view).
var refusals = [...]string{"promised", "leader-answers", "other-part"}

// view writes a message about views: the fields that its step has a meaning for. Zero counts as none.
func (d *detail) view(b *wire.ExtensionView) {
	num := func(name string, n uint32) { d.count(name, int(n)) }
	num("epoch", b.View.Epoch)
	if b.View.Leader != 0 {
		d.id("leader", b.View.Leader)
	}
	switch b.Step {
	case wire.ViewRefuse:
		if int(b.Index) < len(refusals) {
			d.text("reason", refusals[b.Index])
		} else {
			d.num("reason", b.Index)
		}
	case wire.ViewAck: // Base is a token
		num("place", b.Place.Epoch)
		num("index", b.Index)
	case wire.ViewPosition:
		if b.Place.Newer(b.View) {
			num("promised", b.Place.Epoch)
		}
		num("index", b.Index)
	default:
		num("base", b.Base)
		num("index", b.Index)
	}
	if b.Parts > 1 {
		d.of("part", uint32(b.Part), uint32(b.Parts))
	}
	if b.Step == wire.ViewAccuse && len(b.Members) > 0 {
		d.id("accused", b.Members[0].System)
	} else {
		d.count("members", len(b.Members))
	}
	d.count("lost", len(b.Lost)).count("left", len(b.Left)).count("renamed", len(b.Renamed))
	shown := b.Ops[:min(len(b.Ops), lineOps)]
	for _, o := range shown {
		if n, err := captures.ViewOperation(o); err != nil {
			d.octets("operation", o)
		} else {
			d.operation(n.Op)
		}
	}
	d.count("more", len(b.Ops)-len(shown))
}

// operation writes an operation on the list of players.
func (d *detail) operation(o playerlist.Op) {
	switch o := o.(type) {
	case playerlist.AddPlayer:
		d.id("adds", o.Entry.ID)
	case playerlist.AddGroup:
		d.id("adds_group", o.Entry.ID)
	case playerlist.DeletePlayer:
		d.id("deletes", o.ID)
	case playerlist.DeleteGroup:
		d.id("deletes_group", o.ID)
	case playerlist.AddMember:
		d.id("enters", o.Group).id("player", o.Player)
	case playerlist.RemoveMember:
		d.id("leaves", o.Group).id("player", o.Player)
	case playerlist.AddShortcut:
		d.id("links", o.Parent).id("group", o.Child)
	case playerlist.RemoveShortcut:
		d.id("unlinks", o.Parent).id("group", o.Child)
	case playerlist.SetName:
		d.id("names", o.ID).name("name", o.ShortName)
	case playerlist.SetInfo:
		d.id("names", o.ID).name("name", o.ShortName).octets("data", o.Data)
	case playerlist.SetData:
		d.id("sets", o.ID).octets("data", o.Data)
	case playerlist.SetSPData:
		d.id("address", o.ID).sockets(o.SPData)
	case playerlist.SetHost:
		d.id("host", o.ID)
	case playerlist.SetDesc:
		d.name("session", o.Session.Name)
	case playerlist.InstructConnect:
		d.id("connects", o.ID)
	}
}
