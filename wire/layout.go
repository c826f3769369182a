package wire

import "dplay4/wire/internal/field"

// A Layout remembers how a decoded message was laid out where that differs from what Append does by itself: offset fields
// with other values, octets between parts or after the last one. The zero Layout means that there is nothing to remember.
//
// A message with such a layout encodes to the octets it came from. Fields of fixed size may be changed, and variable parts
// (a name, data) to something of the same length; another length or number of parts fails with ErrLayout. Call Reset
// before: offsets are then computed, stray octets dropped, and ErrLayout cannot happen.
type Layout field.Layout

// A Stray is a run of octets that belongs to no field. Octets aliases the decoded buffer.
type Stray struct {
	Offset int // counted as the message's offset fields count
	Octets []byte
}

// Stray returns the octets that no field covers, in order.
func (l *Layout) Stray() []Stray { return strays((*field.Layout)(l).Stray()) }

// Regular reports whether Append would put every octet where it was without this layout's help.
func (l *Layout) Regular() bool { return (*field.Layout)(l).Regular() }

// Reset forgets the layout.
func (l *Layout) Reset() { *l = Layout{} }

func strays(in []field.Stray) (out []Stray) {
	for _, s := range in {
		out = append(out, Stray(s))
	}
	return out
}

// begin is called before the first field after the header.
func (c *codec) begin(l *Layout) { c.Begin((*field.Layout)(l)) }
