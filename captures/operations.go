package captures

import (
	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// A source says how far the operations of a message are to be trusted.
type source uint8

const (
	announced source = iota // a message of DirectPlay 4, with the addresses of machines
	numbered                // operations of the session's log: they happen now
	repeated                // the sender's state or a part of the log: a player in it may have left since
)

// operations returns the operations on the list of players that a message tells of. A message inside of another one is not looked at.
func operations(m wire.Message) (ops []playerlist.Op, from source) {
	switch m := m.(type) {
	case *wire.AddForwardRequest:
		ops = append(ops, playerlist.AddPlayer{Entry: playerlist.EntryOf(&m.Info)})
	case *wire.AddForward:
		ops = append(ops, playerlist.AddPlayer{Entry: playerlist.EntryOf(&m.Info)})
	case *wire.CreatePlayer:
		ops = append(ops, playerlist.AddPlayer{Entry: playerlist.EntryOf(&m.Info)})
	case *wire.CreatePlayerVerify:
		ops = append(ops, playerlist.AddPlayer{Entry: playerlist.EntryOf(&m.Info)})
	case *wire.CreateGroup:
		ops = append(ops, playerlist.AddGroup{Entry: playerlist.EntryOf(&m.Info)})
	case *wire.SuperEnumPlayersReply:
		ops = listed(m.Players, m.Groups, playerlist.SuperEntryOf)
	case *wire.EnumPlayersReply:
		ops = listed(m.Players, m.Groups, playerlist.EntryOf)
	case *wire.DeletePlayer:
		ops = append(ops, playerlist.DeletePlayer{ID: m.Player})
	case *wire.DeleteGroup:
		ops = append(ops, playerlist.DeleteGroup{ID: m.Group})
	case *wire.PlayerNameChanged:
		ops = append(ops, playerlist.SetName{ID: m.Player, ShortName: m.ShortName, LongName: m.LongName})
	case *wire.GroupNameChanged:
		ops = append(ops, playerlist.SetName{ID: m.Group, ShortName: m.ShortName, LongName: m.LongName})
	case *wire.IAmNameServer:
		ops = append(ops, playerlist.SetSPData{ID: m.Host, SPData: m.SPData}, playerlist.SetHost{ID: m.Host})
	case *wire.Extension:
		switch b := m.Body.(type) {
		case *wire.ExtensionRejoinAt:
			ops = append(ops, playerlist.SetHost{ID: b.Host})
		case *wire.ExtensionTable:
			return tableOperations(b.Message)
		case *wire.ExtensionView:
			return viewOperations(b)
		}
	}
	return ops, announced
}

// listed returns the operations of a list of players and groups.
func listed[P any](players, groups []P, entry func(*P) playerlist.Entry) (ops []playerlist.Op) {
	for i := range players {
		ops = append(ops, playerlist.AddPlayer{Entry: entry(&players[i])})
	}
	for i := range groups {
		ops = append(ops, playerlist.AddGroup{Entry: entry(&groups[i])})
	}
	return ops
}

// viewOperations returns the operations in a message about views.
func viewOperations(b *wire.ExtensionView) (ops []playerlist.Op, from source) {
	for _, octets := range b.Ops {
		if n, err := ViewOperation(octets); err == nil {
			ops = append(ops, n.Op)
		}
	}
	if b.Step == wire.ViewLog || b.Step == wire.ViewInstall {
		return ops, numbered
	}
	return ops, repeated
}

// tableOperations returns the operations in a message of [MC-DPL8CS], which older releases of the extension send.
func tableOperations(octets []byte) (ops []playerlist.Op, from source) {
	m, err := dpl8.Decode(octets)
	if err != nil {
		return nil, repeated
	}
	if n, err := hostmigrate.FromOperation(m); err == nil {
		return append(ops, n.Op), numbered
	}
	named := func(e *dpl8.Entry) {
		entry := playerlist.Entry{ID: wire.PlayerID(e.ID), System: wire.PlayerID(e.Owner), ShortName: e.Name}
		if e.Flags&dpl8.EntryGroup != 0 {
			ops = append(ops, playerlist.AddGroup{Entry: entry})
		} else {
			ops = append(ops, playerlist.AddPlayer{Entry: entry})
		}
	}
	switch m := m.(type) {
	case *dpl8.SendConnectInfo:
		for i := range m.Table.Entries {
			named(&m.Table.Entries[i])
		}
	case *dpl8.AddPlayer:
		named(&m.Entry)
	case *dpl8.AckNameTableOp:
		for i := range m.Operations {
			if a, ok := m.Operations[i].Message.(*dpl8.AddPlayer); ok {
				named(&a.Entry)
			}
		}
	}
	return ops, repeated
}

// Inside returns the message that another one carries: one to a group, a signed one, or one that needs no more fragments than this. It
// is nil if there is none or it was not decoded.
func Inside(m wire.Message) wire.Message {
	switch m := m.(type) {
	case *wire.Ask4Multicast:
		return m.Inner.Message
	case *wire.Ask4MulticastGuaranteed:
		return m.Inner.Message
	case *wire.MulticastDelivery:
		return m.Inner.Message
	case *wire.Signed:
		return m.Inner.Message
	case *wire.Packet:
		return m.Data.Message
	case *wire.Packet2Data:
		return m.Data.Message
	}
	return nil
}
