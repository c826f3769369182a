package wire

import "dplay4/wire/internal/field"

// Kind says how a Field is to be read.
type Kind = field.Kind

// The kinds of fields, and of the brackets around fields that belong together.
const (
	KindNumber   Kind = field.Number      // Num, decimal
	KindHex      Kind = field.Hex         // Num, a value without magnitude
	KindID       Kind = field.ID          // Num, a PlayerID
	KindFlags    Kind = field.Flags       // Num, with names
	KindHResult  Kind = field.HResult     // Num, an HResult
	KindNamed    Kind = field.Named       // Num, one of a list of names
	KindGUID     Kind = field.GUID        // Raw, 16 octets
	KindText     Kind = field.Text        // Raw, a Text
	KindOctets   Kind = field.Octets      // Raw
	KindSockAddr Kind = field.SockAddr    // Raw, 16 octets
	KindStray    Kind = field.StrayOctets // Raw, octets that belong to no field
	KindStruct   Kind = field.Struct      // begins a structure, ends with KindEnd
	KindList     Kind = field.List        // begins a list of Num elements, ends with KindEnd
	KindMessage  Kind = field.Message     // begins a message inside the message; Num is its command, ends with KindEnd
	KindEnd      Kind = field.End         // ends what the last open KindStruct, KindList or KindMessage began
)

// A Field is one field of a message, as a Visitor sees it. Raw aliases the message.
type Field struct {
	Name   string // as in the specification; names of the same thing are made equal: SessionDesc, PlayerID
	Index  int    // in the list it stands in, otherwise -1
	Offset int    // in octets from the signature of the outermost message
	Size   int    // in octets; 0 for brackets
	Kind   Kind
	Num    uint32
	Raw    []byte
	NameOf func(uint32) string // names what Num can be; nil where it has no names
}

// Names returns the names of a flag word or value, such as "MIGRATEHOST|KEEPALIVE|0x00100000"; "" where the field has none.
func (f *Field) Names() string {
	if f.NameOf == nil {
		return ""
	}
	return f.NameOf(f.Num)
}

// A Visitor is told every field of a message in the order of decoding, brackets included: the header, the parts
// where their offsets lead, stray octets last. The Field is valid during the call. Where decoding stops with an
// error, nothing more is told and what is open stays open; parts that lie in each other may have been told.
type Visitor func(f *Field)
