package wire_test

import (
	"math/rand/v2"
	"reflect"

	"dplay4/wire"
	"dplay4/wire/internal/wiretest"
)

// A generator makes random messages that can be encoded. The same seed makes the same messages.
type generator struct {
	*rand.Rand
	noIDs bool // the session has NOMESSAGEID
	depth int  // of messages in messages
}

// message makes a message for the command, with random values in all its fields.
func (g *generator) message(cmd wire.Command) wire.Message {
	m := wire.New(cmd)
	g.fill(reflect.ValueOf(m).Elem())
	switch m := m.(type) {
	case *wire.Unknown:
		m.Cmd = cmd
	case *wire.Packet:
		g.fragment(&m.Offset, &m.Total, &m.MessageSize, &m.Data)
	case *wire.Packet2Data:
		g.fragment(&m.Offset, &m.Total, &m.MessageSize, &m.Data)
	case *wire.Signed:
		if m.Flags&wire.SignedEncrypted != 0 {
			m.Inner = wire.Inner{Octets: g.octets()}
		}
	}
	return m
}

// fragment makes PACKET and PACKET2_DATA carry either a fragment or the whole of a message.
func (g *generator) fragment(at, total, size *uint32, data *wire.Inner) {
	if g.depth == 0 && g.IntN(2) == 0 {
		*at, *total, *size = 0, 1, uint32(len(encode(*data)))
		return
	}
	*total |= 2 // more than one
	*data = wire.Inner{Octets: g.octets()}
}

// encode returns a message inside a message as it will be on the wire.
func encode(in wire.Inner) []byte {
	b, err := []byte(nil), error(nil)
	if p, ok := in.Message.(*wire.PlayerMessage); ok {
		b, err = wire.AppendPlayerMessage(nil, p)
	} else {
		b, err = wire.AppendMessage(nil, in.Version, in.Message)
	}
	if err != nil {
		panic(err)
	}
	return b
}

// fill gives random values to the exported fields of what v is.
func (g *generator) fill(v reflect.Value) { wiretest.Fill(g.Rand, v, 4, g.own) }

// own makes what is more than numbers.
func (g *generator) own(p any) bool {
	switch p := p.(type) {
	case *wire.Text:
		*p = g.text()
	case *[]byte:
		*p = g.octets()
	case *[]wire.PlayerID:
		*p = g.ids()
	case *wire.Inner:
		*p = g.inner()
	case *wire.PlayerMessage:
		*p = g.playerMessage()
	default:
		return false
	}
	return true
}

// text is absent, empty, or a name in either encoding.
func (g *generator) text() wire.Text {
	names := []string{"", "x", "Ann", "Nobleman", "Jürgen", "日本", "a name longer than most are"}
	switch g.IntN(4) {
	case 0:
		return nil
	case 1:
		return wire.NewText8(names[g.IntN(len(names))])
	}
	return wire.NewText(names[g.IntN(len(names))])
}

// octets is nothing, or octets; sometimes more than a length of one octet can say, sometimes two addresses.
func (g *generator) octets() []byte {
	var b []byte
	switch g.IntN(8) {
	case 0:
		return nil
	case 1:
		return wire.SPData{Stream: wire.SockAddr{Family: 2, Port: 2300}, Datagram: wire.SockAddr{Family: 2, Port: 2350}}.Append(nil)
	case 2:
		b = make([]byte, 256+g.IntN(300))
	default:
		b = make([]byte, 1+g.IntN(20))
	}
	for i := range b {
		b[i] = byte(g.Uint32())
	}
	return b
}

func (g *generator) ids() []wire.PlayerID {
	n := g.IntN(5)
	if g.IntN(10) == 0 {
		n = 256 + g.IntN(20)
	}
	var ids []wire.PlayerID
	for range n {
		ids = append(ids, wire.PlayerID(g.Uint32()))
	}
	return ids
}

// inner is any message, as long as they are not nested too deep.
func (g *generator) inner() wire.Inner {
	if g.depth >= 2 || g.IntN(4) == 0 {
		p := g.playerMessage()
		return wire.Inner{Message: &p}
	}
	g.depth++
	defer func() { g.depth-- }()
	all := wire.Commands()
	return wire.Inner{Version: wire.Dialect(g.Uint32()), Message: g.message(all[g.IntN(len(all))])}
}

// playerMessage does not begin with 'play': such a message would need a wrapper (3.1.4.16.2).
func (g *generator) playerMessage() wire.PlayerMessage {
	m := wire.PlayerMessage{NoIDs: g.noIDs, Payload: g.octets()}
	if !g.noIDs {
		m.From, m.To = wire.PlayerID(g.Uint32()&^0xFF), wire.PlayerID(g.Uint32())
	}
	if len(m.Payload) > 0 {
		m.Payload[0] = 0
	}
	return m
}
