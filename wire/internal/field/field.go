package field

import (
	"errors"
	"strconv"
)

// The reasons for which decoding or encoding stops; see package wire.
var (
	ErrShort      = errors.New("message too short")
	ErrLimit      = errors.New("larger than the limit")
	ErrOffset     = errors.New("points outside the message")
	ErrOverlap    = errors.New("overlaps another part of the message")
	ErrTerminator = errors.New("no terminating zero")
	ErrLayout     = errors.New("does not fit the layout that was decoded")
)

// An Error has the fields of wire.DecodeError, so that one is the other by a conversion.
type Error struct {
	Message string // for the package that has the message to fill in
	Field   string
	Offset  int
	Value   uint32
	Err     error
}

// Kind says how a Field is to be read; see package wire.
type Kind uint8

// The kinds of fields, and of the brackets around fields that belong together.
const (
	Number Kind = iota
	Hex
	ID
	Flags
	HResult
	Named
	GUID
	Text
	Octets
	SockAddr
	StrayOctets
	Struct
	List
	Message
	End
)

// A Field has the fields of wire.Field, so that one is the other by a conversion.
type Field struct {
	Name   string
	Index  int
	Offset int
	Size   int
	Kind   Kind
	Num    uint32
	Raw    []byte
	NameOf func(uint32) string
}

// A Visitor is told every field that is decoded.
type Visitor interface{ See(f *Field) }

// A step is one part of the path to a field.
type step struct {
	name  string
	index int // in a list; -1 where there is none
}

// pathString writes a path and a name as "Players[2].ShortName".
func pathString(path []step, name string) string {
	s := ""
	for _, p := range path {
		s += p.name
		if p.index >= 0 {
			s += "[" + strconv.Itoa(p.index) + "]"
		}
		s += "."
	}
	return s + name
}
