package filtertest

import "dplay4/wire"

// message makes up a system message, which is so deep in others.
func (s *Speaker) message(deep int) wire.Message {
	if deep < 3 && s.R.IntN(4) == 0 {
		return s.around(deep)
	}
	if s.R.IntN(2) == 0 {
		return s.plain()
	}
	return s.bearing()
}

// plain makes up a message without addresses.
func (s *Speaker) plain() wire.Message {
	switch s.R.IntN(14) {
	case 0:
		return &wire.Ping{From: s.id(), Tick: s.R.Uint32()}
	case 1:
		return &wire.Chat{From: s.id(), To: s.id(), Text: s.text()}
	case 2:
		return &wire.PlayerDataChanged{Player: s.id(), Data: s.octets(5000)}
	case 3:
		return &wire.PlayerNameChanged{Player: s.id(), ShortName: s.text(), LongName: s.text()}
	case 4:
		return &wire.SessionDescChanged{Desc: s.desc(), Name: s.text(), Password: s.text()}
	case 5:
		return &wire.EnumSessionsReply{Desc: s.desc(), Name: s.text()}
	case 6:
		return &wire.RequestPlayerReply{ID: s.id(), Result: wire.HResult(s.R.Uint32())}
	case 7:
		return &wire.DeletePlayer{Player: s.id()}
	case 8:
		return &wire.AddPlayerToGroup{Player: s.id(), Group: s.id()}
	case 9:
		return &wire.PlayerWrapper{Player: wire.PlayerMessage{From: s.id(), To: s.id(), Payload: s.octets(500)}}
	case 10:
		return &wire.RequestPlayerID{Flags: wire.PlayerFlags(s.R.IntN(16))}
	case 11:
		return &wire.YouAreDead{}
	case 12:
		return wire.NewExtension(s.id(), &wire.ExtensionHello{Abilities: s.R.Uint32(), Version: s.R.Uint32()})
	}
	return &wire.Unknown{Cmd: wire.Command(0x40 + s.R.IntN(1000)), Body: s.octets(500)}
}

// bearing makes up a message with addresses.
func (s *Speaker) bearing() wire.Message {
	switch s.R.IntN(10) {
	case 0:
		return &wire.AddForward{Player: s.id(), Info: s.packed()}
	case 1:
		return &wire.AddForwardRequest{Player: s.id(), Info: s.packed(), Password: s.text(), Reserved1: s.R.Uint32()}
	case 2:
		return &wire.CreatePlayer{Player: s.id(), Info: s.packed(), Reserved1: uint16(s.R.Uint32())}
	case 3:
		return &wire.CreatePlayerVerify{Player: s.id(), Info: s.packed()}
	case 4:
		return &wire.CreateGroup{Player: s.id(), Info: s.packed()}
	case 5:
		return &wire.IAmNameServer{Host: s.id(), SPData: s.sockets()}
	case 6:
		m := &wire.EnumPlayersReply{ShortcutCount: s.R.Uint32(), Desc: s.desc(), Name: s.text(), Password: s.text()}
		for range s.R.IntN(5) {
			m.Players, m.Groups = append(m.Players, s.packed()), append(m.Groups, s.packed())
		}
		return m
	case 7:
		return wire.NewExtension(s.id(), &wire.ExtensionRejoin{Reserved1: s.R.Uint32(), SPData: s.sockets()})
	}
	m := &wire.SuperEnumPlayersReply{Desc: s.desc(), Name: s.text(), Password: s.text()}
	for range s.R.IntN(5) {
		m.Players, m.Groups = append(m.Players, s.superPacked()), append(m.Groups, s.superPacked())
		m.Shortcuts = append(m.Shortcuts, s.superPacked())
	}
	return m
}

// around makes up a message with another one in it, or a fragment of one.
func (s *Speaker) around(deep int) wire.Message {
	in := wire.Inner{Version: wire.DX9, Message: s.message(deep + 1)}
	switch s.R.IntN(8) {
	case 0:
		return &wire.Signed{From: s.id(), Flags: wire.SignedEncrypted, Inner: wire.Inner{Octets: s.octets(500)}, Signature: s.octets(64)}
	case 1:
		return &wire.Signed{From: s.id(), Inner: in, Signature: s.octets(64)}
	case 2:
		return &wire.MulticastDelivery{Group: s.id(), From: s.id(), Inner: in}
	case 3:
		return &wire.Ask4Multicast{Group: s.id(), From: s.id(), Inner: in}
	case 4:
		return &wire.Ask4MulticastGuaranteed{Group: s.id(), From: s.id(), Inner: in}
	case 5:
		index := uint32(1 + s.R.IntN(9))
		return &wire.Packet2Data{Index: index, Offset: 1000 * index, Total: 10, MessageSize: 10_000, Data: wire.Inner{Octets: s.octets(1000)}}
	case 6:
		return &wire.Packet2Data{Total: 10, MessageSize: 10_000, Data: wire.Inner{Octets: append([]byte("no system message"), s.octets(983)...)}}
	}
	b, err := wire.AppendMessage(nil, wire.DX9, in.Message)
	if err != nil {
		return &wire.YouAreDead{}
	}
	return &wire.Packet{Total: 1, MessageSize: uint32(len(b)), Data: in}
}
