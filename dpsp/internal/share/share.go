// Package share says how much of the list of players and groups a machine may have, the machines of an address, and all machines.
//
// A newcomer gets the list in one message, of 1 MiB at most, and who cannot be sent it cannot join. So no member may fill it.
//
// # Rules
//
//   - What a machine owns is bounded. Every engine that takes a change judges it by what its owner has already, which all know in the same
//     order, so that all refuse the same. Games have a few players of some hundred octets to a machine.
//   - Who has many machines must not fill the list either. The host alone knows where connections come from, so it alone judges by address.
//   - It may always have fewer: no change that adds nothing is refused.
//   - The rest is for newcomers, who are one entry each.
//
// # Invariants
//
//   - A list that Own judged has at most MaxOctets and MaxLinks of each machine.
//   - A list that a Judge judged besides has at most MaxAll of all machines, and MaxAddress of those of each address but Bridge.
package share

import (
	"errors"
	"fmt"
	"net/netip"

	"dplay4/playerlist"
	"dplay4/wire"
)

const (
	// MaxOctets is what the names and data of a member's players and groups take, EntryOctets each in addition: an
	// eighth of the list, or 2,048 players without names.
	MaxOctets = wire.MaxMessage / 8
	// EntryOctets is about what an entry of the list takes without its names and data (2.2.3), as it is counted here.
	EntryOctets = 64
	// MaxLinks is how many players and shortcuts are in a member's groups together: 32 KiB of the list.
	MaxLinks = 1 << 13
	// MaxAddress is what the machines of one address have in the list together, LinkOctets for each membership and shortcut
	// included: two full shares, or 32 KiB each for a household of eight. They may go on to join until they have MaxOctets more.
	MaxAddress = 2 * MaxOctets
	// MaxAll is what all machines have in it. The rest is for newcomers, who are one entry each.
	MaxAll = wire.MaxMessage - MaxOctets
	// LinkOctets is what a membership or shortcut takes of the list.
	LinkOctets = 4
)

// Bridge is the address of all machines of a session over the bridge, and of others on this machine. The shares by address do not
// apply to it, because they would stop a party of 16.
var Bridge = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// The reasons why a change is refused. The host alone refuses for the latter two what is within its owner's share.
var (
	Err        = errors.New("more of the list of players than one machine may have")
	ErrAddress = fmt.Errorf("%w: the machines of its address have %d KiB of it, which is all that they may have", Err, (MaxAddress+512)>>10)
	ErrAll     = fmt.Errorf("%w: all machines have %d KiB of it, and the rest is for newcomers", Err, (MaxAll+512)>>10)
)

// growth returns what a change adds to the list, in octets and in memberships and shortcuts, and the machine that it counts for.
func growth(list *playerlist.List, op playerlist.Op) (system wire.PlayerID, octets, links int) {
	switch op := op.(type) {
	case playerlist.AddPlayer:
		return op.Entry.System, EntryOctets + held(&op.Entry), 0
	case playerlist.AddGroup:
		return op.Entry.System, EntryOctets + held(&op.Entry), 0
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

// Growth returns what a change adds to the list, the machine that it counts for, and whether it is a newcomer.
func Growth(list *playerlist.List, op playerlist.Op) (system wire.PlayerID, octets int, newcomer bool) {
	system, octets, links := growth(list, op)
	if add, ok := op.(playerlist.AddPlayer); ok && add.Entry.Flags&wire.PlayerSystem != 0 {
		system, newcomer = add.Entry.ID, true
	}
	return system, octets + LinkOctets*links, newcomer
}

// Own returns Err for a change that makes what a machine owns larger than its share. It may always have fewer.
func Own(list *playerlist.List, op playerlist.Op) error {
	system, octets, links := growth(list, op)
	rows, have, linked := list.Share(system)
	if octets > 0 && have+EntryOctets*rows+octets > MaxOctets || links > 0 && linked+links > MaxLinks {
		return Err
	}
	return nil
}

// Of returns what a machine has of the list.
func Of(list *playerlist.List, system wire.PlayerID) int {
	rows, octets, links := list.Share(system)
	return EntryOctets*(rows+1) + octets + LinkOctets*links
}

// Judge returns a judge of several changes of a list. A change that is within the shares counts for the next one, because it is made then.
// at returns the address of a machine with its service provider data. What self has counts for no address: a host trusts its own program.
func Judge(list *playerlist.List, self wire.PlayerID, at func(system wire.PlayerID, sp []byte) netip.Addr) func(playerlist.Op) (netip.Addr, error) {
	all, of := list.SuperSize(), map[netip.Addr]int{}
	for _, id := range list.AppendSystems(nil) {
		p, _ := list.Look(id)
		of[at(id, p.SPData)] += Of(list, id)
	}
	return func(op playerlist.Op) (netip.Addr, error) {
		system, octets, newcomer := Growth(list, op)
		p, _ := list.Look(system)
		most := MaxAddress
		if newcomer {
			most, p = most+MaxOctets, op.(playerlist.AddPlayer).Entry
		}
		from, err := at(system, p.SPData), Own(list, op)
		switch {
		case err != nil || octets <= 0:
		case !newcomer && all+octets > MaxAll:
			err = ErrAll
		case system != self && from != Bridge && of[from]+octets > most:
			err = ErrAddress
		}
		if err == nil {
			all, of[from] = all+octets, of[from]+octets
		}
		return from, err
	}
}
