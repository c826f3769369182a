package pcapfile

import (
	"bufio"
	"cmp"
	"io"
)

// Comments are what Copy adds to a file.
type Comments struct {
	Section []string                 // to the header of the first section
	Frame   func(frame int) []string // to a frame; it is called once for each, in their order
}

// Copied says what Copy wrote.
type Copied struct {
	Frames    int // in all
	Commented int // that were given comments
	Bare      int // whose comments are left out: they are in simple packet blocks, which cannot have any
}

// Copy copies the capture file from to, as pcapng and not compressed, with comments. Packets, their order, times and
// lengths, interfaces and everything else in a pcapng file stay as they are, octet for octet, and so do comments that
// are there. What is left out is the packet type in the headers of modified pcap, which pcapng has no place for.
//
// Where the file cannot be read further, Copy ends with the [FileError] that a [Reader] ends with, and what was read up
// to there is written. Any other error is of to.
func Copy(to io.Writer, from io.Reader, name string, comments Comments) (Copied, error) {
	c := copier{w: bufio.NewWriterSize(to, inputBuffer), comments: comments}
	ng, err := c.src.begin(from, name)
	switch {
	case err != nil:
	case ng:
		err = c.pcapng()
	default:
		err = c.pcap()
	}
	if err == io.EOF {
		err = nil
	}
	return c.done, cmp.Or(c.w.Flush(), err)
}

// A copier copies one file.
type copier struct {
	src      source
	w        *bufio.Writer
	err      error // of w
	comments Comments
	options  []byte // in work
	head     [8]byte
	done     Copied
}

// optComment is opt_comment.
const optComment = 1

// maxOption is how long the value of an option can be.
const maxOption = 1<<16 - 1

// write writes octets, unless it failed before: then the writer returns that error again.
func (c *copier) write(b []byte) { _, c.err = c.w.Write(b) }

// frame returns the comments of the frame that is read, as options of at most room octets, and counts it if there are some.
func (c *copier) frame(o order, room int, count *int) []byte {
	c.done.Frames++
	list := c.list(o, c.comments.Frame(c.src.frame), room)
	if len(list) > 0 {
		*count++
	}
	return list
}

// list makes options of comments, as many as there is room for.
func (c *copier) list(o order, comments []string, room int) []byte {
	c.options = c.options[:0]
	for _, text := range comments {
		text = text[:min(len(text), maxOption)]
		if len(c.options)+4+len(text)+3 > room {
			break
		}
		c.options = o.AppendUint16(c.options, optComment)
		c.options = o.AppendUint16(c.options, uint16(len(text)))
		c.options = append(c.options, text...)
		c.options = pad(c.options, len(text))
	}
	return c.options
}

// pad fills up what n octets were appended to, up to a multiple of four.
func pad(b []byte, n int) []byte { return append(b, "\x00\x00\x00"[:-n&3]...) }

// endOption is opt_endofopt, in either byte order.
var endOption = []byte{0, 0, 0, 0}

// closed returns options with the one that ends the list, where no others follow.
func closed(options []byte, follow int) []byte {
	if len(options) == 0 || follow > 0 {
		return options
	}
	return append(options, endOption...)
}

// block writes a block.
func (c *copier) block(o order, typ uint32, body ...[]byte) {
	n := 0
	for _, b := range body {
		n += len(b)
	}
	c.begin(o, typ, n)
	for _, b := range body {
		c.write(b)
	}
	c.end(o, n)
}

// begin writes what stands before the n octets of a block's body.
func (c *copier) begin(o order, typ uint32, n int) {
	c.write(o.AppendUint32(o.AppendUint32(c.head[:0], typ), uint32(n+ngOverhead)))
}

// end writes what stands behind them.
func (c *copier) end(o order, n int) {
	c.write(o.AppendUint32(c.head[:0], uint32(n+ngOverhead)))
}
