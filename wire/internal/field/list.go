package field

// MaxList bounds the elements of a list.
const MaxList = 65536

// A Slot is a field about another part of the message: an offset that was read or left open, a length, a count.
type Slot struct {
	Name  string
	At    int // where the field is
	Value uint32
	part  int // an offset's number in the layout
}

// Size is a DWORD that says how long another part is, or how many elements it has: n of them, encoding. Decoding, Length
// or Count checks it when the cursor is where the part begins.
func (c *Cursor) Size(name string, n int) Slot {
	s := Slot{Name: name, At: c.Off, Value: uint32(n)}
	c.U32(name, &s.Value)
	return s
}

// Length checks a length in octets against what is left.
func (c *Cursor) Length(s Slot) int {
	if c.Encoding || c.Err != nil {
		return 0
	}
	if int64(s.Value) > int64(c.Left()) {
		c.Fail(s.Name, s.At, s.Value, ErrShort)
		return 0
	}
	return int(s.Value)
}

// Count checks a count of elements of at least size octets each before anything is allocated for them. Encoding, it keeps
// to the limit that decoders have.
func (c *Cursor) Count(s Slot, size int) int {
	switch {
	case c.Err != nil:
		return 0
	case s.Value > MaxList:
		c.Fail(s.Name, s.At, s.Value, ErrLimit)
		return 0
	case !c.Encoding && int(s.Value)*size > c.Left():
		c.Fail(s.Name, s.At, s.Value, ErrShort)
		return 0
	}
	return int(s.Value)
}

// Open begins a structure.
func (c *Cursor) Open(name string) {
	c.path = append(c.path, step{name, -1})
	if c.Visit != nil {
		c.Bracket(Field{Name: name, Index: -1, Kind: Struct})
	}
}

// OpenList begins a list of n elements. Before each, Element names its place.
func (c *Cursor) OpenList(name string, n int) {
	c.path = append(c.path, step{name, -1})
	if c.Visit != nil {
		c.Bracket(Field{Name: name, Index: -1, Kind: List, Num: uint32(n)})
	}
}

// Element is before each element of a list.
func (c *Cursor) Element(i int) {
	if c.Err == nil {
		c.path[len(c.path)-1].index = i
	}
}

// Close ends what Open or OpenList began. After an error the path stays as it was where the error was.
func (c *Cursor) Close() {
	if c.Err == nil {
		c.path = c.path[:len(c.path)-1]
		c.end()
	}
}

// Each calls f for each of n elements of a list, structures, with the path and the brackets that go with it. Of none
// nothing is told.
func (c *Cursor) Each(name string, n int, f func(i int)) {
	if n == 0 || c.Err != nil {
		return
	}
	c.OpenList(name, n)
	for i := 0; i < n && c.Err == nil; i++ {
		c.Element(i)
		if c.Visit != nil {
			c.Bracket(Field{Name: name, Index: i, Kind: Struct})
		}
		f(i)
		c.end()
	}
	c.Close()
}

func (c *Cursor) end() {
	if c.Visit != nil {
		c.Bracket(Field{Index: -1, Kind: End})
	}
}

// Emit reports a field that begins at an octet.
func (c *Cursor) Emit(at int, f Field) {
	if c.Err != nil || c.Visit == nil {
		return
	}
	seen := c.Show(f)
	seen.Offset, seen.Index = c.Base+at, -1
	if n := len(c.path); n > 0 && c.path[n-1].name == f.Name {
		seen.Index = c.path[n-1].index // an element of a plain list
	}
	c.Visit.See(seen)
}

// Bracket reports what stands around fields.
func (c *Cursor) Bracket(f Field) {
	if c.Err != nil || c.Visit == nil {
		return
	}
	seen := c.Show(f)
	seen.Offset = c.Base + c.Off
	c.Visit.See(seen)
}

// Show returns a copy of f for the visitor, which may change it: one that is made once, since what visitors are shown
// escapes. It is valid until the next call.
func (c *Cursor) Show(f Field) *Field {
	if c.shown == nil {
		c.shown = new(Field)
	}
	*c.shown = f
	return c.shown
}
