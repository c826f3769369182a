package wire

import (
	"dplay4/wire/internal/field"
	"encoding/binary"
)

// Token says what the service provider thinks of a message (2.2.6).
type Token uint16

// The three tokens. Only TokenRemote was ever seen on the wire, from hosts and joiners alike.
const (
	TokenRemote  Token = 0xFAB // from a remote machine
	TokenForward Token = 0xCAB // to be forwarded to all registered servers
	TokenServer  Token = 0xBAB // from a DirectPlay server
)

func tokenName(v uint32) string {
	switch Token(v) {
	case TokenRemote:
		return "REMOTE"
	case TokenForward:
		return "FORWARD"
	case TokenServer:
		return "SERVER"
	}
	return ""
}

// Known reports whether the specification knows the token.
func (t Token) Known() bool { return tokenName(uint32(t)) != "" }

// String returns "0xfab (REMOTE)".
func (t Token) String() string {
	if n := tokenName(uint32(t)); n != "" {
		return field.HexWord(uint32(t), 3) + " (" + n + ")"
	}
	return field.HexWord(uint32(t), 3)
}

// SPHeader is the service provider's 20 octets before every message on TCP and before system messages on
// UDP (2.2.6).
type SPHeader struct {
	Size     int      // of the whole message with these 20 octets, at most MaxMessage; Envelope.Append computes it
	Token    Token    // 0 lets Envelope.Append use TokenRemote
	SockAddr SockAddr // where the sender listens for TCP, even in a message that came by UDP
}

// ParseSPHeader reads the first 20 octets of b. It fails with ErrShort on fewer, and with ErrValue on a size
// that does not even cover the header; everything else is the caller's to judge.
func ParseSPHeader(b []byte) (h SPHeader, err error) {
	err = h.parse(b)
	return h, err
}

func (h *SPHeader) parse(b []byte) error {
	if len(b) < SPHeaderSize {
		field, at := "size", 0
		if len(b) >= 4 {
			field, at = "SockAddr", 4
		}
		return &DecodeError{Message: "SPHEADER", Field: field, Offset: at, Err: ErrShort}
	}
	w := binary.LittleEndian.Uint32(b)
	h.Size, h.Token = int(w&0xFFFFF), Token(w>>20)
	h.SockAddr.parse(b[4:])
	if h.Size < SPHeaderSize {
		return &DecodeError{Message: "SPHEADER", Field: "size", Value: uint32(h.Size), Err: ErrValue}
	}
	return nil
}

// LooksLikeSPHeader reports whether b begins with what can only be taken for an SP header: a token of the
// specification, a possible size, an address family of 2 and either zero padding or a signature after it. It
// is how the beginning of a message is found again in a stream with octets missing.
func LooksLikeSPHeader(b []byte) bool {
	if len(b) < SPHeaderSize || b[4] != FamilyINet || b[5] != 0 || b[2]&0xF0 != 0xB0 {
		return false
	}
	if b[3] != 0xFA && b[3] != 0xCA && b[3] != 0xBA {
		return false
	}
	if size := binary.LittleEndian.Uint32(b) & 0xFFFFF; size <= SPHeaderSize {
		return false
	}
	return binary.LittleEndian.Uint64(b[12:]) == 0 || HasSignature(b[SPHeaderSize:])
}

func (h *SPHeader) put(b []byte) {
	binary.LittleEndian.PutUint32(b, uint32(h.Size)&0xFFFFF|uint32(h.Token)<<20)
	h.SockAddr.put(b[4:])
}

// Dialect is the version of the protocol that a message speaks (2.2.3).
type Dialect uint16

// The dialects of the specification.
const (
	DX6   Dialect = 9
	DX61  Dialect = 10 // the first that knows IAMNAMESERVER
	DX61A Dialect = 11 // what Wine sends
	DX71  Dialect = 12
	DX8   Dialect = 13 // the first that knows CREATEPLAYERVERIFY
	DX9   Dialect = 14 // what Windows sends today
)

func dialectName(v uint32) string {
	switch Dialect(v) {
	case DX6:
		return "DX6"
	case DX61:
		return "DX6.1"
	case DX61A:
		return "DX6.1a"
	case DX71:
		return "DX7.1"
	case DX8:
		return "DX8"
	case DX9:
		return "DX9"
	}
	return ""
}

// String returns "14 (DX9)", or the number alone for a dialect that the specification does not list.
func (d Dialect) String() string {
	s := utoa(uint32(d))
	if n := dialectName(uint32(d)); n != "" {
		s += " (" + n + ")"
	}
	return s
}

// Signature is 'play' as a little-endian number, the first field of a system message.
const Signature = 0x79616c70

// HasSignature reports whether b begins with 'play'.
func HasSignature(b []byte) bool {
	return len(b) >= 4 && binary.LittleEndian.Uint32(b) == Signature
}

// Header is the 8 octets at the start of a system message: signature, command, version. The figure in 2.2.6
// draws the version first; Windows, Wine and the specification's own example have the command first.
type Header struct {
	Command Command
	Version Dialect
}

func (h *Header) put(b []byte) {
	binary.LittleEndian.PutUint32(b, Signature)
	binary.LittleEndian.PutUint16(b[4:], uint16(h.Command))
	binary.LittleEndian.PutUint16(b[6:], uint16(h.Version))
}
