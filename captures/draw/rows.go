package draw

import (
	"bytes"
	"encoding/base64"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip" // half of a report's time is compression: a third faster than the standard library

	"dplay4/captures"
	"dplay4/captures/jsonline"
	"dplay4/captures/show"
)

// How many messages are compressed together: those of the list are all read when a page opens, fields when somebody
// looks at a message.
const (
	rowsTogether   = 2000
	fieldsTogether = 100
)

// A packer compresses JSON values into lists.
type packer struct {
	together int
	chunks   [][]byte
	octets   int // of the chunks
	open     bytes.Buffer
	held     int
	zip      *gzip.Writer
}

func newPacker(together int) *packer {
	return &packer{together: together, zip: gzip.NewWriter(io.Discard)}
}

// add adds a value.
func (p *packer) add(value []byte) {
	if p.held == 0 {
		p.open.Reset()
		p.open.WriteByte('[')
	} else {
		p.open.WriteByte(',')
	}
	p.open.Write(value)
	if p.held++; p.held == p.together {
		p.flush()
	}
}

// flush ends a list.
func (p *packer) flush() {
	if p.held == 0 {
		return
	}
	p.open.WriteByte(']')
	var out bytes.Buffer
	p.zip.Reset(&out)
	p.zip.Write(p.open.Bytes()) //nolint:errcheck // a buffer takes everything
	p.zip.Close()               //nolint:errcheck // likewise
	p.chunks, p.octets, p.held = append(p.chunks, out.Bytes()), p.octets+out.Len(), 0
}

// write writes the lists, each a script element that is none: a browser leaves it alone until somebody asks.
func (p *packer) write(out io.Writer, class string) error {
	p.flush()
	for _, c := range p.chunks {
		text := `<script type="text/plain" class="` + class + `">` + base64.StdEncoding.EncodeToString(c) + "</script>\n"
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}

// reportRows are the messages of a report: what the list shows, and all fields.
type reportRows struct {
	list, fields *packer
	count, left  int
	commands     []string
	index        map[string]int
	tree         show.Tree
	b, text      []byte
}

func newReportRows() *reportRows {
	return &reportRows{list: newPacker(rowsTogether), fields: newPacker(fieldsTogether), index: map[string]int{}}
}

// add adds a message. What is beyond the limits is counted.
func (l *reportRows) add(r *captures.Record, it *item) {
	if l.count >= maxReportRows || l.list.octets+l.fields.octets > maxReportOctets {
		l.left++
		return
	}
	l.count++
	c, ok := l.index[it.Command]
	if !ok {
		c = len(l.commands)
		l.commands, l.index[it.Command] = append(l.commands, it.Command), c
	}
	first := 0
	if len(r.Frames) > 0 {
		first = r.Frames[0]
	}
	b := appendList(append(l.b[:0], '['), []int64{int64(r.N), it.At.Microseconds(), int64(it.From), int64(it.To[0]), int64(c), int64(it.Class),
		int64(r.Transport), int64(len(r.Raw)), int64(r.Conversation), int64(first), int64(it.Frame)}, appendInt[int64])
	l.text = show.Details(l.text[:0], r, show.PayloadHex)
	b = jsonline.AppendString(append(b, ','), cut(captures.Printable(strings.TrimSpace(string(l.text))), maxRowText))
	if len(it.Findings) > 0 || len(r.Findings) > 0 {
		b = appendList(append(b, ",["...), it.Findings, appendInt[int])
		b = appendList(append(b, "],["...), r.Findings[:min(len(r.Findings), maxNoted)], appendNoted)
		b = append(b, ']')
	}
	l.b = append(b, ']')
	l.list.add(l.b)
	l.fields.add(l.allFields(r))
}

// allFields returns the tree of a message as a JSON string.
func (l *reportRows) allFields(r *captures.Record) []byte {
	l.text = l.tree.Append(l.text[:0], r)
	text := cut(string(l.text), maxTree)
	if len(text) < len(l.text) {
		text += "\n" + strings.Repeat(" ", 16) + "(more: dplay decode -V)"
	}
	return jsonline.AppendString(nil, text)
}

// appendList appends values with commas between them.
func appendList[T any](b []byte, list []T, value func([]byte, T) []byte) []byte {
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = value(b, v)
	}
	return b
}

func appendInt[T int | int64](b []byte, v T) []byte { return strconv.AppendInt(b, int64(v), 10) }

// appendNoted appends what the reader of the capture noted about a message.
func appendNoted(b []byte, f captures.Finding) []byte {
	return jsonline.AppendString(b, cut(captures.Printable(string(f.Code)+": "+f.Text), maxRowText))
}
