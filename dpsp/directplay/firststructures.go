package directplay

import (
	"bytes"
	"encoding/binary"

	"dplay4/wire"
)

// The sizes of the texts in the structures of DirectX 1, with their terminators. Games have room for as many octets, so that
// no name that a game of IDirectPlay is told is longer.
const (
	formalSize   = 52 // DPLONGNAMELEN
	friendlySize = 20 // DPSHORTNAMELEN
	nameSize     = 32 // DPSESSIONNAMELEN
	passwordSize = 16 // DPPASSWORDLEN
	userSize     = 16 // DPUSERRESERVED
)

// FirstDescSize is the size of DPSESSIONDESC.
const FirstDescSize = 124

// A FirstDesc is DPSESSIONDESC.
type FirstDesc struct {
	WrongSize                  bool // dwSize is not that of the structure
	Application                wire.GUID
	Session                    uint32 // its number
	MaxPlayers, CurrentPlayers uint32
	Flags                      uint32 // of Open
	Name                       string
	UserField                  [userSize]byte
	Reserved1                  uint32
	Password                   string
	Reserved2                  uint32
	User                       [4]uint32
}

// session returns the session that a game means. On the wire there are sixteen octets for the game, the four numbers of
// DirectX 3; they carry the user field if the game has no numbers (guessed).
func (d *FirstDesc) session() SessionDesc {
	s := SessionDesc{WrongSize: d.WrongSize, Application: d.Application, MaxPlayers: d.MaxPlayers, Name: textOrNull(d.Name),
		Password: textOrNull(d.Password), Reserved1: d.Reserved1, Reserved2: d.Reserved2, User: d.User}
	if s.User == [4]uint32{} {
		binary.Decode(d.UserField[:], binary.LittleEndian, &s.User) //nolint:errcheck // both have sixteen octets
	}
	return s
}

// firstDesc returns a session that was found as a game of IDirectPlay sees it. Its flags are not told: a game uses the
// structure for Open, whose flags have the same numbers (guessed).
func firstDesc(s *SessionDesc) FirstDesc {
	d := FirstDesc{Application: s.Application, Session: sessionNumber(s.Instance), MaxPlayers: s.MaxPlayers,
		CurrentPlayers: s.CurrentPlayers, Name: deref(s.Name), Reserved1: s.Reserved1, Reserved2: s.Reserved2, User: s.User}
	binary.Encode(d.UserField[:], binary.LittleEndian, s.User) //nolint:errcheck // both have sixteen octets
	return d
}

// Block returns the structure.
func (d *FirstDesc) Block(f Face) Block {
	l := layout{face: f}
	l.word(FirstDescSize)
	l.guid(d.Application)
	l.word(d.Session, d.MaxPlayers, d.CurrentPlayers, d.Flags)
	l.fixed = append(l.fixed, padded(f, &d.Name, nameSize)...)
	l.fixed = append(l.fixed, d.UserField[:]...)
	l.word(d.Reserved1)
	l.fixed = append(l.fixed, padded(f, &d.Password, passwordSize)...)
	l.word(d.Reserved2)
	l.word(d.User[:]...)
	return l.block()
}

// ReadFirstDesc reads a DPSESSIONDESC of which the game says a size. Its texts end at their terminators, or where their place
// ends.
func ReadFirstDesc(b *[FirstDescSize]byte, f Face) FirstDesc {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	ended := func(at, size int) string {
		until, _, _ := bytes.Cut(b[at:at+size], []byte{0})
		return f.Read(until)
	}
	d := FirstDesc{WrongSize: word(0) != FirstDescSize, Application: wire.GUID(b[4:20]), Session: word(20), MaxPlayers: word(24),
		CurrentPlayers: word(28), Flags: word(32), Name: ended(36, nameSize), UserField: [userSize]byte(b[68:84]),
		Reserved1: word(84), Password: ended(88, passwordSize), Reserved2: word(104)}
	binary.Decode(b[108:], binary.LittleEndian, &d.User) //nolint:errcheck // sixteen octets are left
	return d
}

// shortened returns a text with its terminator in a number of octets at most.
func shortened(f Face, s *string, size int) []byte {
	if s == nil {
		return []byte{0}
	}
	return f.within(*s, size)
}

// padded returns a text with its terminator in a number of octets.
func padded(f Face, s *string, size int) []byte {
	b := shortened(f, s, size)
	return append(b, make([]byte, size-len(b))...)
}

// friendly and formal return the names as a game of IDirectPlay sees them, never NULL.
func (n *Name) friendly(f Face) []byte { return shortened(f, n.Short, friendlySize) }

func (n *Name) formal(f Face) []byte { return shortened(f, n.Long, formalSize) }
