package dpsp

import (
	"errors"

	"dplay4/playerlist"
	"dplay4/wire"
)

// A newcomer gets the list in one message, of 1 MiB at most, and who cannot be sent it cannot join. So no member may fill
// it: what a member owns in it is bounded. Every engine that takes a change judges it by what its owner has already, which
// all know in the same order, so that all refuse the same. Games have a few players of some hundred octets to a machine.
const (
	// maxShareOctets is what the names and data of a member's players and groups take, entryOctets each in addition: an
	// eighth of the list, or 2,048 players without names.
	maxShareOctets = wire.MaxMessage / 8
	// entryOctets is about what an entry of the list takes without its names and data (2.2.3), as it is counted here.
	entryOctets = 64
	// maxShareLinks is how many players and shortcuts are in a member's groups together: 32 KiB of the list.
	maxShareLinks = 1 << 13
)

// ErrShare says that a machine's players and groups would take more of the list than one machine may have.
var ErrShare = errors.New("more of the list of players than one machine may have")

// share returns ErrShare for a change that makes what a machine owns larger than its share.
func share(list *playerlist.List, op playerlist.Op) error {
	switch op := op.(type) {
	case playerlist.AddPlayer:
		return shareOctets(list, op.Entry.System, entryOctets+held(&op.Entry))
	case playerlist.AddGroup:
		return shareOctets(list, op.Entry.System, entryOctets+held(&op.Entry))
	case playerlist.SetName:
		p, _ := list.Look(op.ID)
		return shareOctets(list, p.System, len(op.ShortName)+len(op.LongName)-len(p.ShortName)-len(p.LongName))
	case playerlist.SetData:
		p, _ := list.Look(op.ID)
		return shareOctets(list, p.System, len(op.Data)-len(p.Data))
	case playerlist.AddMember:
		return shareLinks(list, op.Group)
	case playerlist.AddShortcut:
		return shareLinks(list, op.Parent)
	}
	return nil
}

// applyShared is apply for what has to stay within its owner's share.
func (e *Engine) applyShared(op playerlist.Op) error {
	if err := share(e.list, op); err != nil {
		return err
	}
	return e.apply(op)
}

// held returns what an entry's names and data take.
func held(p *playerlist.Entry) int {
	return len(p.ShortName) + len(p.LongName) + len(p.SPData) + len(p.Data)
}

// shareOctets returns ErrShare if a machine may not have so many octets more. It may always have fewer.
func shareOctets(list *playerlist.List, system wire.PlayerID, more int) error {
	if rows, octets, _ := list.Share(system); more > 0 && octets+entryOctets*rows+more > maxShareOctets {
		return ErrShare
	}
	return nil
}

func shareLinks(list *playerlist.List, group wire.PlayerID) error {
	system, _ := list.System(group)
	if _, _, links := list.Share(system); links >= maxShareLinks {
		return ErrShare
	}
	return nil
}

// refuseShare drops what another machine made beyond its share. As the host we say that it is gone again, to its owner and
// to those who may have taken it: other peers of ours have refused it themselves.
func (e *Engine) refuseShare(o origin, name string, gone wire.Message, owner wire.PlayerID) {
	e.drop(o, name, LimitReached, owner.String()+" has its share: "+ErrShare.Error())
	if !e.hosting() {
		return
	}
	for _, p := range e.peers.all {
		if p.system == owner || !p.modern {
			e.sendTCP(p.stream, gone)
		}
	}
}
