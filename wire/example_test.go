package wire_test

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"dplay4/wire"
)

// A datagram as Windows sends it when it looks for sessions of a game that need a password.
const enumSessions = "\x46\x00\xb0\xfa\x02\x00\x08\xfc\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
	"play\x02\x00\x0e\x00\x3e\xe0\xcf\xbd\xec\xf0\x5b\x41\x82\x11\x6f\x86\xd8\x19\x7f\xe1\x20\x00\x00\x00\x40\x00\x00\x00" +
	"p\x00a\x00s\x00s\x00w\x00o\x00r\x00d\x00\x00\x00"

// Decode a datagram. The decoder is kept: what it returns is its own and valid until it decodes again.
func ExampleDecoder_DecodeDatagram() {
	var d wire.Decoder
	e, err := d.DecodeDatagram([]byte(enumSessions))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reply to TCP port", e.SP.SockAddr.Port)
	switch m := e.Message.(type) {
	case *wire.EnumSessions:
		fmt.Println(m.Application, m.Flags, m.Password)
	case *wire.PlayerMessage:
		fmt.Println("from", m.From, "to", m.To)
	}
	// Output:
	// reply to TCP port 2300
	// {bdcfe03e-f0ec-415b-8211-6f86d8197fe1} PASSWORDREQUIRED password
}

// Cut a TCP stream into messages. One that is not whole yet waits for more octets; the end inside of one is an error.
func ExampleSplitStream() {
	stream := strings.NewReader(strings.Repeat(enumSessions, 2) + enumSessions[:30]) // or a net.Conn
	messages := bufio.NewScanner(stream)
	messages.Buffer(nil, wire.MaxMessage)
	messages.Split(wire.SplitStream)
	var d wire.Decoder
	for messages.Scan() {
		e, err := d.DecodeStream(messages.Bytes())
		fmt.Println(e.Message.Command(), err)
	}
	fmt.Println(messages.Err())
	// Output:
	// ENUMSESSIONS <nil>
	// ENUMSESSIONS <nil>
	// unexpected EOF
}

// An error names the message, the field and the octet.
func ExampleDecodeError() {
	var d wire.Decoder
	damaged := strings.Replace(enumSessions, "\x20\x00\x00\x00", "\x20\x03\x00\x00", 1) // PasswordOffset
	_, err := d.DecodeDatagram([]byte(damaged))
	fmt.Println(err)
	var e *wire.DecodeError
	if errors.As(err, &e) {
		fmt.Println(e.Message, e.Field, e.Offset, e.Value, errors.Is(err, wire.ErrOffset))
	}
	// Output:
	// ENUMSESSIONS.PasswordOffset at octet 24: points outside the message (800)
	// ENUMSESSIONS PasswordOffset 24 800 true
}

// Encode a message for TCP: the size and the offsets are computed.
func ExampleEnvelope_Append() {
	e := wire.Envelope{
		HasSP:   true,
		SP:      wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: wire.DX9,
		Message: &wire.Chat{From: 0x384c9, To: 0x384ca, Text: wire.NewText("gg")},
	}
	b, err := e.Append(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("% x\n% x\n% x\n", b[:20], b[20:44], b[44:])
	// Output:
	// 32 00 b0 fa 02 00 08 fc 00 00 00 00 00 00 00 00 00 00 00 00
	// 70 6c 61 79 2d 00 0e 00 c9 84 03 00 ca 84 03 00 00 00 00 00 18 00 00 00
	// 67 00 67 00 00 00
}

// Change a decoded message. One that was laid out in an unusual way has to forget that first.
func ExampleLayout_Reset() {
	var d wire.Decoder
	_, m, err := d.DecodeMessage([]byte("play\x0f\x00\x0e\x00\x00\x00\x00\x00\xc9\x84\x03\x00\x02\x00\x00\x00\x18\x00\x00\x00hi, " +
		"and stray octets"))
	if err != nil {
		fmt.Println(err)
		return
	}
	data := m.(*wire.PlayerDataChanged)
	fmt.Printf("%q, stray %q\n", data.Data, data.Layout.Stray()[0].Octets)

	data.Data = []byte("hello")
	_, err = wire.AppendMessage(nil, wire.DX9, data)
	fmt.Println(err)
	data.Layout.Reset()
	b, err := wire.AppendMessage(nil, wire.DX9, data)
	fmt.Printf("%q %v\n", b[24:], err)
	// Output:
	// "hi", stray ", and stray octets"
	// PLAYERDATACHANGED.DataOffset: does not fit the layout that was decoded
	// "hello" <nil>
}

// Walk the fields of a message with a visitor. It needs no knowledge of message types.
func ExampleVisitor() {
	depth := 0
	d := wire.Decoder{Visitor: func(f *wire.Field) {
		if f.Kind == wire.KindEnd {
			depth--
			return
		}
		value := ""
		switch f.Kind {
		case wire.KindNumber:
			value = fmt.Sprint(f.Num)
		case wire.KindID:
			value = wire.PlayerID(f.Num).String()
		case wire.KindText:
			value = wire.Text(f.Raw).String()
		default:
			value = f.Names()
		}
		fmt.Println(strings.TrimRight(fmt.Sprintf("%s@%d %s %s", strings.Repeat("  ", depth), f.Offset, f.Name, value), " "))
		if f.Kind == wire.KindStruct || f.Kind == wire.KindList || f.Kind == wire.KindMessage {
			depth++
		}
	}}
	inside := "play\x10\x00\x0e\x00\x00\x00\x00\x00\xc9\x84\x03\x00\x18\x00\x00\x00\x00\x00\x00\x00A\x00n\x00n\x00\x00\x00"
	_, _, err := d.DecodeMessage([]byte("play\x25\x00\x0e\x00\xcc\x84\x03\x00\xc9\x84\x03\x00\x14\x00\x00\x00" + inside))
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// @0 Signature
	// @4 Command ASK4MULTICAST
	// @6 Version DX9
	// @8 GroupTo 0x000384cc
	// @12 PlayerFrom 0x000384c9
	// @16 MessageOffset 20
	// @20 MulticastMessage
	//   @20 Signature
	//   @24 Command PLAYERNAMECHANGED
	//   @26 Version DX9
	//   @28 IDTo 0x00000000
	//   @32 PlayerID 0x000384c9
	//   @36 ShortOffset 24
	//   @40 LongOffset 0
	//   @44 ShortName Ann
}

// Tell 8-bit text from UTF-16: some games send it where the specification wants UTF-16.
func ExampleText() {
	for _, octets := range []string{"Nobleman\x00\x00", "W\x001\x000\x00\x00\x00"} {
		t := wire.Text(octets)
		fmt.Println(t, t.Encoding())
	}
	// Output:
	// Nobleman 8-bit
	// W10 utf-16
}
