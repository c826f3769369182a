package wire

import (
	"encoding/binary"

	"dplay4/wire/internal/field"
)

// A Decoder decodes messages one after the other without allocating for the usual ones: the message that a
// call returns is the decoder's own and valid until its next call. The zero Decoder is ready. It is for one
// goroutine.
type Decoder struct {
	Options Options
	Visitor Visitor // if not nil, is told every field that is decoded

	c        codec
	messages [len(registry)]Message
	unknown  Unknown
	ours     Extension
	player   PlayerMessage
}

// An Envelope is one message with what stood around it.
type Envelope struct {
	HasSP    bool     // an SP header came first
	SP       SPHeader // if HasSP
	Version  Dialect  // of a system message
	Message  Message  // nil only beside an error
	Trailing []byte   // octets after the size that the SP header gives (aliased)

	noToken bool // the token on the wire was zero, which in SP means that Append chooses one
}

// System reports whether the message is a system message, which begins with a signature and has a Version. The other
// kind is the game message, a *PlayerMessage.
func (e *Envelope) System() bool {
	_, game := e.Message.(*PlayerMessage)
	return e.Message != nil && !game
}

// DecodeStream decodes one message of a TCP stream: its SP header, and a system or a game message. b should
// hold the message alone; what is beyond its size is Trailing. An error leaves what was decoded before it in
// the envelope, which has no Message if even the header could not be read.
func (d *Decoder) DecodeStream(b []byte) (e Envelope, err error) {
	err = d.stream(&e, b)
	return e, err
}

// stream fills in e, which is zero; it is passed by reference because copies of it cost more than decoding a PING.
func (d *Decoder) stream(e *Envelope, b []byte) error {
	sp := &e.SP
	if err := sp.parse(b); err != nil {
		*sp = SPHeader{}
		return err
	}
	e.HasSP, e.noToken = true, sp.Token == 0
	if sp.Size > len(b) {
		return &DecodeError{Message: "SPHEADER", Field: "size", Value: uint32(sp.Size), Err: ErrOffset}
	}
	if sp.Size < len(b) {
		e.Trailing = b[sp.Size:]
	}
	if d.Visitor != nil {
		d.showSP(b, sp)
	}
	return d.body(e, b[SPHeaderSize:sp.Size])
}

// DecodeDatagram decodes one UDP datagram. It is a system message if 'play' stands at octet 20 (what
// Windows and Wine go by; 3.1.5 has another offset and the condition inverted), otherwise a game message.
func (d *Decoder) DecodeDatagram(b []byte) (e Envelope, err error) {
	if len(b) >= SPHeaderSize+4 && HasSignature(b[SPHeaderSize:]) {
		err = d.stream(&e, b)
		return e, err
	}
	e.Message, err = d.DecodePlayerMessage(b)
	return e, err
}

// DecodeBare decodes a message without an SP header: one that begins with its signature, or a game message
// that begins with its ids. Frames of the reliable protocol and reassembled fragments carry such messages.
func (d *Decoder) DecodeBare(b []byte) (e Envelope, err error) {
	err = d.body(&e, b)
	return e, err
}

// DecodePlayerMessage decodes a game message from its ids on.
func (d *Decoder) DecodePlayerMessage(b []byte) (*PlayerMessage, error) {
	d.start(b)
	d.c.cmd = CmdPlayerMessage
	d.player.fields(&d.c)
	return &d.player, d.c.fail()
}

// body decodes what comes after the SP header.
func (d *Decoder) body(e *Envelope, b []byte) (err error) {
	if !HasSignature(b) {
		e.Message, err = d.DecodePlayerMessage(b)
		return err
	}
	var h Header
	h, e.Message, err = d.DecodeMessage(b)
	e.Version = h.Version
	return err
}

// DecodeMessage decodes a system message from its signature on. On an error the message holds the fields
// before the one that failed; it is nil if the header itself could not be read. A message longer than an SP
// header could announce is refused with ErrLimit.
func (d *Decoder) DecodeMessage(b []byte) (Header, Message, error) {
	d.start(b)
	c := &d.c
	h := c.header()
	if c.Err != nil {
		return h, nil, c.fail()
	}
	c.headerFields(h)
	m := d.message(h.Command)
	m.fields(c)
	c.End()
	if c.Err != nil {
		m = partial(h.Command, b, d.Options)
	}
	return h, m, c.fail()
}

// partial decodes once more what could not be decoded: a fresh message holds the fields before the one that
// failed and nothing else, the decoder's own one also those of the message before.
func partial(cmd Command, b []byte, o Options) Message {
	c := codec{cmd: cmd, opts: o}
	c.Buf, c.Off = b, HeaderSize
	m := New(cmd)
	m.fields(&c)
	return m
}

// Stray returns the octets of the message decoded last that no field of it covers; not those of messages inside
// it. They alias the message.
func (d *Decoder) Stray() []Stray { return strays(d.c.Stray()) }

// start readies the codec for the message b.
func (d *Decoder) start(b []byte) {
	c := &d.c
	c.Start(b, visitor(d.Visitor))
	c.cmd, c.opts = 0, d.Options
	if len(b) > MaxMessage-SPHeaderSize {
		c.refuse("Body", 0, uint32(len(b)), ErrLimit)
	}
}

// refuse pins the codec by an error before the command is known.
func (c *codec) refuse(name string, at int, value uint32, reason error) {
	c.Fail(name, at, value, reason)
	c.Err.Message = "MESSAGE"
}

// message returns the decoder's value for a command.
func (d *Decoder) message(cmd Command) Message {
	if cmd == CmdExtension {
		return &d.ours
	}
	if !cmd.Known() {
		d.unknown = Unknown{Cmd: cmd}
		return &d.unknown
	}
	if d.messages[cmd] == nil {
		d.messages[cmd] = New(cmd)
	}
	return d.messages[cmd]
}

// header reads the 8 octets of a message header.
func (c *codec) header() (h Header) {
	b := c.Buf
	switch {
	case c.Err != nil:
	case len(b) < 4:
		c.refuse("Signature", 0, 0, ErrShort)
	case !HasSignature(b):
		c.refuse("Signature", 0, 0, ErrSignature)
	case len(b) < 6:
		c.refuse("Command", 4, 0, ErrShort)
	case len(b) < HeaderSize:
		c.refuse("Version", 6, 0, ErrShort)
	default:
		h = Header{Command(binary.LittleEndian.Uint16(b[4:])), Dialect(binary.LittleEndian.Uint16(b[6:]))}
		c.cmd, c.Off = h.Command, HeaderSize
	}
	return h
}

// headerFields reports the header to the visitor.
func (c *codec) headerFields(h Header) {
	if c.Visit == nil {
		return
	}
	c.Emit(0, field.Field{Name: "Signature", Size: 4, Kind: field.Hex, Num: Signature})
	c.Emit(4, field.Field{Name: "Command", Size: 2, Kind: field.Named, Num: uint32(h.Command),
		NameOf: func(v uint32) string { return Command(v).String() }})
	c.Emit(6, field.Field{Name: "Version", Size: 2, Kind: field.Named, Num: uint32(h.Version), NameOf: dialectName})
}

// showSP reports the SP header to the visitor, at negative offsets: it stands before the signature.
func (d *Decoder) showSP(b []byte, sp *SPHeader) {
	show := func(f field.Field) {
		f.Index = -1
		d.Visitor((*Field)(d.c.Show(f)))
	}
	show(field.Field{Name: "size", Offset: -SPHeaderSize, Size: 4, Kind: field.Number, Num: uint32(sp.Size)})
	show(field.Field{Name: "token", Offset: -SPHeaderSize, Size: 4, Kind: field.Named, Num: uint32(sp.Token), NameOf: tokenName})
	show(field.Field{Name: "SockAddr", Offset: 4 - SPHeaderSize, Size: SockAddrSize, Kind: field.SockAddr, Raw: b[4:SPHeaderSize]})
}
