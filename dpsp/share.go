package dpsp

import (
	"errors"
	"fmt"
	"net/netip"

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

// Who has many machines must not fill the list either. The host alone knows where connections come from, so it alone judges by address.
// After a refusal it tells all members that the player or group is gone, or which name, data or membership it keeps.
const (
	// maxShareAddress is what the machines of one address have in the list together, linkOctets for each membership and shortcut
	// included: two full shares, or 32 KiB each for a household of eight. They may go on to join until they have maxShareOctets more.
	maxShareAddress = 2 * maxShareOctets
	// maxShareAll is what all machines have in it. The rest is for newcomers, who are one entry each.
	maxShareAll = wire.MaxMessage - maxShareOctets
	// linkOctets is what a membership or shortcut takes of the list.
	linkOctets = 4
)

// bridgeAddr is the address of all machines of a session over the bridge, and of others on this machine. The shares by address do not
// apply to it, because they would stop a party of 16.
var bridgeAddr = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// The reasons why the host refuses what is within its owner's share.
var (
	errShareAddress = fmt.Errorf("%w: the machines of its address have %d KiB of it, which is all that they may have", ErrShare,
		(maxShareAddress+512)>>10)
	errShareAll = fmt.Errorf("%w: all machines have %d KiB of it, and the rest is for newcomers", ErrShare, (maxShareAll+512)>>10)
)

// growth returns what a change adds to the list, in octets and in memberships and shortcuts, and the machine that it counts for.
func growth(list *playerlist.List, op playerlist.Op) (system wire.PlayerID, octets, links int) {
	switch op := op.(type) {
	case playerlist.AddPlayer:
		return op.Entry.System, entryOctets + held(&op.Entry), 0
	case playerlist.AddGroup:
		return op.Entry.System, entryOctets + held(&op.Entry), 0
	case playerlist.SetName:
		p, _ := list.Look(op.ID)
		return p.System, len(op.ShortName) + len(op.LongName) - len(p.ShortName) - len(p.LongName), 0
	case playerlist.SetData:
		p, _ := list.Look(op.ID)
		return p.System, len(op.Data) - len(p.Data), 0
	case playerlist.SetSPData:
		p, _ := list.Look(op.ID)
		return p.System, len(op.SPData) - len(p.SPData), 0
	case playerlist.AddMember:
		system, _ = list.System(op.Group)
		return system, 0, 1
	case playerlist.AddShortcut:
		system, _ = list.System(op.Parent)
		return system, 0, 1
	}
	return 0, 0, 0
}

// held returns what an entry's names and data take.
func held(p *playerlist.Entry) int {
	return len(p.ShortName) + len(p.LongName) + len(p.SPData) + len(p.Data)
}

// ownShare returns ErrShare for a change that makes what a machine owns larger than its share. It may always have fewer.
func ownShare(list *playerlist.List, op playerlist.Op) error {
	system, octets, links := growth(list, op)
	rows, have, linked := list.Share(system)
	if octets > 0 && have+entryOctets*rows+octets > maxShareOctets || links > 0 && linked+links > maxShareLinks {
		return ErrShare
	}
	return nil
}

// share returns an error, which is ErrShare, for a change that makes what somebody has of the list larger than its share: what a
// machine has and, if we are the host, what the machines of an address have, and all machines.
func (e *Engine) share(op playerlist.Op) error {
	if err := ownShare(e.list, op); err != nil || !e.hosting() {
		return err
	}
	system, octets, links := growth(e.list, op)
	octets += linkOctets * links
	add, _ := op.(playerlist.AddPlayer)
	newcomer := add.Entry.Flags&wire.PlayerSystem != 0
	switch {
	case octets <= 0 || newcomer:
		return nil // requestAdmission sees to newcomers
	case e.list.SuperSize()+octets > maxShareAll:
		return errShareAll
	}
	if p := e.peerByID(system); p != nil && e.sharedAt(p.source())+octets > maxShareAddress {
		return errShareAddress
	}
	return nil
}

// room returns the judge of changes of a list that members ask for with views. It judges as share does for a host. A change that is within
// the shares counts for the next one, because it is made then. An address is the one from which a machine's messages come or, of a machine
// that is no peer, that of its listener.
func room(e *Engine) func(*playerlist.List) func(playerlist.Op) bool {
	at := func(system wire.PlayerID, sp []byte) netip.Addr {
		if p := e.peerByID(system); p != nil {
			return p.source()
		}
		d, _ := wire.ParseSPData(sp)
		return resolve(d.Stream, netip.Addr{}).Addr()
	}
	return func(list *playerlist.List) func(playerlist.Op) bool {
		all, of, told := list.SuperSize(), map[netip.Addr]int{}, false
		for _, id := range list.AppendSystems(nil) {
			p, _ := list.Look(id)
			rows, octets, links := list.Share(id)
			of[at(id, p.SPData)] += entryOctets*(rows+1) + octets + linkOctets*links
		}
		return func(op playerlist.Op) bool {
			system, octets, links := growth(list, op)
			octets += linkOctets * links
			p, _ := list.Look(system)
			add, _ := op.(playerlist.AddPlayer)
			most, newcomer := maxShareAddress, add.Entry.Flags&wire.PlayerSystem != 0
			if newcomer {
				most, p, system = most+maxShareOctets, add.Entry, add.Entry.ID
			}
			from, err := at(system, p.SPData), ownShare(list, op)
			switch {
			case err != nil || octets <= 0:
			case !newcomer && all+octets > maxShareAll:
				err = errShareAll
			case system != e.self && from != bridgeAddr && of[from]+octets > most:
				err = errShareAddress
			}
			switch {
			case err == nil:
				all, of[from] = all+octets, of[from]+octets
			case !told: // once for a message
				told = true
				e.drop(origin{from: netip.AddrPortFrom(from, 0)}, "EXTENSION VIEW", LimitReached, system.String()+" has its share: "+err.Error())
			}
			return err == nil
		}
	}
}

// sharedAt returns what the machines of an address have of the list, without us: a host trusts its own program. It returns 0 for
// bridgeAddr.
func (e *Engine) sharedAt(ip netip.Addr) (octets int) {
	if ip == bridgeAddr {
		return 0
	}
	for _, p := range e.peers.all {
		if p.source() == ip {
			rows, held, links := e.list.Share(p.system)
			octets += entryOctets*(rows+1) + held + linkOctets*links
		}
	}
	return octets
}

// source returns the address that counts for what a machine has: the one that its connections come from, which is hard to forge.
func (m *peer) source() netip.Addr {
	if m.seen.IsValid() {
		return m.seen
	}
	return m.stream.Addr()
}

// site returns the address of a peer for the table of objects. It returns the id of a machine that is no peer or has bridgeAddr.
func (e *Engine) site(system wire.PlayerID) any {
	if p := e.peerByID(system); p != nil && p.source() != bridgeAddr {
		return p.source()
	}
	return system
}

// applyShared is apply for what has to stay within the shares.
func (e *Engine) applyShared(op playerlist.Op) error {
	if err := e.share(op); err != nil {
		return err
	}
	return e.apply(op)
}

// refuseShare drops what another machine made beyond a share, why says which. As the host we say that it is gone again, to its owner
// and to those who may have taken it: other peers of ours refuse themselves what is beyond its owner's share.
func (e *Engine) refuseShare(o origin, name string, gone wire.Message, owner wire.PlayerID, why error) {
	e.drop(o, name, LimitReached, owner.String()+" has its share: "+why.Error())
	if !e.hosting() {
		return
	}
	for _, p := range e.peers.all {
		if p.system == owner || !p.modern || why != ErrShare {
			e.sendTCP(p.stream, gone)
		}
	}
}
