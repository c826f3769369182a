package filtertest

import "dplay4/wire"

// A maker makes up a message.
type maker func(*Speaker) wire.Message

// message makes up a system message, which is so deep in others.
func (s *Speaker) message(deep int) wire.Message {
	if deep < 3 && s.R.IntN(4) == 0 {
		in := wire.Inner{Version: wire.DX9, Message: s.message(deep + 1)}
		return around[s.R.IntN(len(around))](s, in)
	}
	all := bearing
	if s.R.IntN(2) == 0 {
		all = plain
	}
	return all[s.R.IntN(len(all))](s)
}

// plain makes up messages without addresses.
var plain = []maker{
	func(s *Speaker) wire.Message { return &wire.Ping{From: s.id(), Tick: s.R.Uint32()} },
	func(s *Speaker) wire.Message { return &wire.Chat{From: s.id(), To: s.id(), Text: s.text()} },
	func(s *Speaker) wire.Message { return &wire.PlayerDataChanged{Player: s.id(), Data: s.octets(5000)} },
	func(s *Speaker) wire.Message {
		return &wire.PlayerNameChanged{Player: s.id(), ShortName: s.text(), LongName: s.text()}
	},
	func(s *Speaker) wire.Message {
		return &wire.SessionDescChanged{Desc: s.desc(), Name: s.text(), Password: s.text()}
	},
	func(s *Speaker) wire.Message { return &wire.EnumSessionsReply{Desc: s.desc(), Name: s.text()} },
	func(s *Speaker) wire.Message {
		return &wire.RequestPlayerReply{ID: s.id(), Result: wire.HResult(s.R.Uint32())}
	},
	func(s *Speaker) wire.Message { return &wire.DeletePlayer{Player: s.id()} },
	func(s *Speaker) wire.Message { return &wire.AddPlayerToGroup{Player: s.id(), Group: s.id()} },
	func(s *Speaker) wire.Message {
		return &wire.PlayerWrapper{Player: wire.PlayerMessage{From: s.id(), To: s.id(), Payload: s.octets(500)}}
	},
	func(s *Speaker) wire.Message { return &wire.RequestPlayerID{Flags: wire.PlayerFlags(s.R.IntN(16))} },
	func(s *Speaker) wire.Message { return &wire.YouAreDead{} },
	func(s *Speaker) wire.Message {
		return wire.NewExtension(s.id(), &wire.ExtensionHello{Abilities: s.R.Uint32(), Version: s.R.Uint32()})
	},
	func(s *Speaker) wire.Message {
		return &wire.Unknown{Cmd: wire.Command(0x40 + s.R.IntN(1000)), Body: s.octets(500)}
	},
}

// bearing makes up messages with addresses. A list of players is twice as likely as each of the others.
var bearing = []maker{
	func(s *Speaker) wire.Message { return &wire.AddForward{Player: s.id(), Info: s.packed()} },
	func(s *Speaker) wire.Message {
		return &wire.AddForwardRequest{Player: s.id(), Info: s.packed(), Password: s.text(), Reserved1: s.R.Uint32()}
	},
	func(s *Speaker) wire.Message {
		return &wire.CreatePlayer{Player: s.id(), Info: s.packed(), Reserved1: uint16(s.R.Uint32())}
	},
	func(s *Speaker) wire.Message { return &wire.CreatePlayerVerify{Player: s.id(), Info: s.packed()} },
	func(s *Speaker) wire.Message { return &wire.CreateGroup{Player: s.id(), Info: s.packed()} },
	func(s *Speaker) wire.Message { return &wire.IAmNameServer{Host: s.id(), SPData: s.sockets()} },
	func(s *Speaker) wire.Message {
		m := &wire.EnumPlayersReply{ShortcutCount: s.R.Uint32(), Desc: s.desc(), Name: s.text(), Password: s.text()}
		for range s.R.IntN(5) {
			m.Players, m.Groups = append(m.Players, s.packed()), append(m.Groups, s.packed())
		}
		return m
	},
	func(s *Speaker) wire.Message {
		return wire.NewExtension(s.id(), &wire.ExtensionRejoin{Reserved1: s.R.Uint32(), SPData: s.sockets()})
	},
	(*Speaker).players,
	(*Speaker).players,
}

// players makes up a list of players.
func (s *Speaker) players() wire.Message {
	m := &wire.SuperEnumPlayersReply{Desc: s.desc(), Name: s.text(), Password: s.text()}
	for range s.R.IntN(5) {
		m.Players, m.Groups = append(m.Players, s.superPacked()), append(m.Groups, s.superPacked())
		m.Shortcuts = append(m.Shortcuts, s.superPacked())
	}
	return m
}

// around makes up messages with another one in them, or fragments of one.
var around = []func(*Speaker, wire.Inner) wire.Message{
	func(s *Speaker, in wire.Inner) wire.Message {
		return &wire.Signed{From: s.id(), Flags: wire.SignedEncrypted, Inner: wire.Inner{Octets: s.octets(500)}, Signature: s.octets(64)}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		return &wire.Signed{From: s.id(), Inner: in, Signature: s.octets(64)}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		return &wire.MulticastDelivery{Group: s.id(), From: s.id(), Inner: in}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		return &wire.Ask4Multicast{Group: s.id(), From: s.id(), Inner: in}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		return &wire.Ask4MulticastGuaranteed{Group: s.id(), From: s.id(), Inner: in}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		index := uint32(1 + s.R.IntN(9))
		return &wire.Packet2Data{Index: index, Offset: 1000 * index, Total: 10, MessageSize: 10_000, Data: wire.Inner{Octets: s.octets(1000)}}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		return &wire.Packet2Data{Total: 10, MessageSize: 10_000, Data: wire.Inner{Octets: append([]byte("no system message"), s.octets(983)...)}}
	},
	func(s *Speaker, in wire.Inner) wire.Message {
		b, err := wire.AppendMessage(nil, wire.DX9, in.Message)
		if err != nil {
			return &wire.YouAreDead{}
		}
		return &wire.Packet{Total: 1, MessageSize: uint32(len(b)), Data: in}
	},
}
