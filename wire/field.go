package wire

import "strconv"

// Kind says how a Field is to be read.
type Kind uint8

// The kinds of fields, and of the brackets around fields that belong together.
const (
	KindNumber   Kind = iota // Num, decimal
	KindHex                  // Num, a value without magnitude
	KindID                   // Num, a PlayerID
	KindFlags                // Num, with names
	KindHResult              // Num, an HResult
	KindNamed                // Num, one of a list of names
	KindGUID                 // Raw, 16 octets
	KindText                 // Raw, a Text
	KindOctets               // Raw
	KindSockAddr             // Raw, 16 octets
	KindStray                // Raw, octets that belong to no field
	KindStruct               // begins a structure, ends with KindEnd
	KindList                 // begins a list of Num elements, ends with KindEnd
	KindMessage              // begins a message inside the message; Num is its command, ends with KindEnd
	KindEnd                  // ends what the last open KindStruct, KindList or KindMessage began
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
	names  func(uint32) string
}

// Names gives the names of a flag word or value, such as "MIGRATEHOST|KEEPALIVE|0x00100000"; "" where the
// field has none.
func (f *Field) Names() string {
	if f.names == nil {
		return ""
	}
	return f.names(f.Num)
}

// WithNames gives the field with a function that names its value, for packages that report fields of their own.
func (f Field) WithNames(names func(uint32) string) Field {
	f.names = names
	return f
}

// A Visitor is told every field of a message in the order of decoding, brackets included: the header, the parts
// where their offsets lead, stray octets last. The Field is valid during the call. Where decoding stops with an
// error, nothing more is told and what is open stays open.
type Visitor func(f *Field)

// emit reports a field whose octets end at the cursor, unless it says itself where it is.
func (c *codec) emit(f Field) {
	if c.err != nil {
		return
	}
	if f.Offset == 0 && f.Size > 0 && f.Kind != KindStray {
		f.Offset = c.off - f.Size
	}
	f.Offset += c.base
	f.Index = -1
	if n := len(c.path); n > 0 && c.path[n-1].name == f.Name {
		f.Index = c.path[n-1].index // an element of a plain list
	}
	c.visit(&f)
}

// open begins a structure.
func (c *codec) open(name string) {
	c.path = append(c.path, step{name, -1})
	c.bracket(Field{Name: name, Index: -1, Kind: KindStruct})
}

// openList begins a list of n elements. Before each, at names its place; an element that is a structure
// stands between element and endElement.
func (c *codec) openList(name string, n int) {
	c.path = append(c.path, step{name, -1})
	c.bracket(Field{Name: name, Index: -1, Kind: KindList, Num: uint32(n)})
}

func (c *codec) at(i int) {
	if c.err == nil {
		c.path[len(c.path)-1].index = i
	}
}

func (c *codec) element(i int) {
	c.at(i)
	if c.visit != nil {
		c.bracket(Field{Name: c.path[len(c.path)-1].name, Index: i, Kind: KindStruct})
	}
}

func (c *codec) endElement() { c.bracket(Field{Index: -1, Kind: KindEnd}) }

// close ends what open or openList began. After an error the path stays as it was where the error was.
func (c *codec) close() {
	if c.err != nil {
		return
	}
	c.path = c.path[:len(c.path)-1]
	c.bracket(Field{Index: -1, Kind: KindEnd})
}

func (c *codec) bracket(f Field) {
	if c.visit == nil || c.err != nil {
		return
	}
	seen := f // f itself must not escape: without a visitor nothing is allocated
	seen.Offset = c.base + c.off
	c.visit(&seen)
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
