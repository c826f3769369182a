package replay

import (
	"cmp"
	"fmt"
	"math/bits"
	"net/netip"

	"dplay4/captures"
	"dplay4/wire"
)

// maxResync is how many messages of each capture Diff skips to find a pair of the same command again.
const maxResync = 64

// Bounds of what Diff collects about payloads.
const (
	maxColumnSizes = 256
	maxColumns     = 1024
)

// A CaptureDiff says how two captures differ.
type CaptureDiff struct {
	Compared, Equal int // pairs of messages, and those of them that are equal up to Mapped
	OnlyA, OnlyB    int // messages without a counterpart
	Mapped          Mapped
	Messages        []MessageDiff // what differs, at most MaxDifferences
	More            int           // beyond those
	Columns         []Columns     // of both captures, in the order of their first payloads
}

// A MessageDiff is a pair of messages that differ, or a message that only one capture has.
type MessageDiff struct {
	Message string      `json:"message"` // the command's name
	A       *Place      `json:"a"`       // nil: capture A lacks it
	B       *Place      `json:"b"`
	Fields  []FieldDiff `json:"fields"` // of a pair
	Summary string      `json:"summary,omitempty"`
}

// A Place says where a message is in its capture.
type Place struct {
	N     int            `json:"n"`
	Frame int            `json:"frame"`
	Src   netip.AddrPort `json:"src"`
	Dst   netip.AddrPort `json:"dst"`
}

// A FieldDiff is a field that differs.
type FieldDiff struct {
	Field  string   `json:"field"`
	A      string   `json:"a"`
	B      string   `json:"b"`
	Octets [][2]int `json:"octets,omitempty"` // of octets: the first and the last one of each run that differs, by offset
}

// Columns say which octets of the payloads of one size vary, in both captures together.
type Columns struct {
	Message string `json:"message"`
	Size    int    `json:"size"`
	Count   int    `json:"count"`
	// Values is how many values the octet at each offset has; of the first 1024 octets.
	Values []int `json:"values"`
	// First is the payload that came first, as far as Values goes: the value of each octet that has one only.
	First []byte `json:"-"`
	seen  [][4]uint64
}

// Diff compares the messages of two captures, conversation by conversation, in order: the first pair of machines of one with
// the first pair of the other. Messages of the same command, direction and transport stand against each other; fields are
// compared as in a replay, but that sockets in messages may differ, too, if always in the same way. Frames of the reliable
// protocol are compared as the messages in them.
func Diff(a, b *Capture) *CaptureDiff {
	d := &differ{mapping: mapping{recordings: true}, byKind: map[columnKind]int{}}
	d.columns(a)
	d.columns(b)
	left, right := append(conversations(a), nil), append(conversations(b), nil)
	for i := range max(len(left), len(right)) {
		d.conversation(left[min(i, len(left)-1)], right[min(i, len(right)-1)])
	}
	d.Mapped = d.mapping.mapped()
	return &d.CaptureDiff
}

// A directed is a message and what it has in common with its counterpart.
type directed struct {
	*message
	like likeness
}

type likeness struct {
	command   string
	transport captures.Transport
	back      bool // against the way of the conversation's first message
}

// conversations returns the messages between each two machines, in the order in which the pairs were met.
func conversations(c *Capture) (all [][]directed) {
	places := map[int]int{} // in all, by the numbers of the conversations
	for _, m := range c.messages {
		if m.command == frameName {
			continue
		}
		n, known := places[m.conversation]
		if !known {
			n = len(all)
			places[m.conversation] = n
			all = append(all, nil)
		}
		back := known && all[n][0].between[0].At != m.between[0].At
		all[n] = append(all[n], directed{m, likeness{m.command, m.transport, back}})
	}
	return all
}

// A differ makes a CaptureDiff.
type differ struct {
	CaptureDiff
	mapping mapping
	byKind  map[columnKind]int // places in Columns
}

type columnKind struct {
	message string
	size    int
}

// conversation compares two sequences of messages. Where they part, the fewest messages of both are skipped.
func (d *differ) conversation(a, b []directed) {
	for len(a) > 0 && len(b) > 0 {
		i, j := meet(a, b)
		d.only(a[:i], b[:j])
		a, b = a[i:], b[j:]
		if len(a) > 0 && len(b) > 0 && a[0].like == b[0].like {
			d.pair(a[0].message, b[0].message)
			a, b = a[1:], b[1:]
		}
	}
	d.only(a, b)
}

// meet returns how many messages of each sequence stand before the first two that are alike; one of each if there are none
// among the next maxResync.
func meet(a, b []directed) (int, int) {
	for sum := range 2*maxResync - 1 {
		for i := max(0, sum-maxResync+1); i <= min(sum, maxResync-1); i++ {
			if j := sum - i; i < len(a) && j < len(b) && a[i].like == b[j].like {
				return i, j
			}
		}
	}
	return 1, 1
}

// only reports messages that have no counterpart.
func (d *differ) only(a, b []directed) {
	d.OnlyA += len(a)
	d.OnlyB += len(b)
	for _, m := range a {
		d.report(MessageDiff{A: m.place()}, m.message)
	}
	for _, m := range b {
		d.report(MessageDiff{B: m.place()}, m.message)
	}
}

func (d *differ) pair(a, b *message) {
	c := compare(&d.mapping, a, b)
	c.commit()
	d.Compared++
	if len(c.diffs) == 0 {
		d.Equal++
		return
	}
	m := MessageDiff{A: a.place(), B: b.place()}
	for _, f := range c.diffs {
		m.Fields = append(m.Fields, FieldDiff{Field: f.Field, A: f.Recorded, B: f.Ours, Octets: f.Octets})
	}
	d.report(m, a)
}

// report keeps what differs about a message.
func (d *differ) report(m MessageDiff, about *message) {
	if len(d.Messages) >= MaxDifferences {
		d.More++
		return
	}
	if m.Message = about.command; m.Fields == nil {
		m.Summary = about.summary()
	}
	d.Messages = append(d.Messages, m)
}

func (m *message) place() *Place { return &Place{N: m.n, Frame: m.frame, Src: m.src, Dst: m.dst} }

// columns counts the values of the octets in the payloads of a capture.
func (d *differ) columns(c *Capture) {
	for _, m := range c.messages {
		game, ok := m.env.Message.(*wire.PlayerMessage)
		if !ok || m.err != nil || len(game.Payload) == 0 {
			continue
		}
		kind := columnKind{m.command, len(game.Payload)}
		i, known := d.byKind[kind]
		if !known && len(d.Columns) < maxColumnSizes {
			i, known = len(d.Columns), true
			d.byKind[kind] = i
			n := min(len(game.Payload), maxColumns)
			d.Columns = append(d.Columns, Columns{Message: m.command, Size: len(game.Payload), Values: make([]int, n),
				First: game.Payload[:n], seen: make([][4]uint64, n)})
		}
		if known {
			d.Columns[i].add(game.Payload)
		}
	}
}

func (c *Columns) add(payload []byte) {
	c.Count++
	for i, v := range payload[:len(c.seen)] {
		word, bit := &c.seen[i][v>>6], uint64(1)<<(v&63)
		c.Values[i] += 1 - bits.OnesCount64(*word&bit)
		*word |= bit
	}
}

// differing returns the runs of octets that differ; those that one side lacks differ.
func differing(a, b []byte) (runs [][2]int) {
	const most = 64
	if len(a) < len(b) {
		a, b = b, a
	}
	for i, v := range a {
		switch last := len(runs) - 1; {
		case i < len(b) && v == b[i]:
		case last >= 0 && (runs[last][1] == i-1 || len(runs) == most):
			runs[last][1] = i
		default:
			runs = append(runs, [2]int{i, i})
		}
	}
	return runs
}

// AppendMessageDiff appends what differs in a message, for people: a line a field.
func AppendMessageDiff(b []byte, m *MessageDiff) []byte {
	switch {
	case m.B == nil:
		return fmt.Appendf(b, "only A: %s %s: %s\n", m.A.text(), m.Message, m.Summary)
	case m.A == nil:
		return fmt.Appendf(b, "only B: %s %s: %s\n", m.B.text(), m.Message, m.Summary)
	}
	b = fmt.Appendf(b, "A: %s, B: %s, %s\n", m.A.text(), m.B.text(), m.Message)
	for _, f := range m.Fields {
		b = fmt.Appendf(b, "  %s: A %s, B %s", cmp.Or(f.Field, "the message"), cmp.Or(f.A, "decodes"), cmp.Or(f.B, "decodes"))
		for i, r := range f.Octets {
			b = append(b, [...]string{"; differs at offset ", ", "}[min(i, 1)]...)
			b = appendRun(b, r[0], r[1])
		}
		b = append(b, '\n')
	}
	return b
}

func appendRun(b []byte, first, last int) []byte {
	if first == last {
		return fmt.Appendf(b, "%d", first)
	}
	return fmt.Appendf(b, "%d-%d", first, last)
}

func (p *Place) text() string { return fmt.Sprintf("message %d, frame %d", p.N, p.Frame) }

// AppendColumns appends which octets of payloads vary, for people: a line a run of constant octets, or an octet that varies.
func AppendColumns(b []byte, c *Columns) []byte {
	b = fmt.Appendf(b, "%s with %d octets of payload, %d times:\n", c.Message, c.Size, c.Count)
	for at := 0; at < len(c.Values); {
		end := at + 1
		for end < len(c.Values) && c.Values[at] == 1 && c.Values[end] == 1 {
			end++
		}
		b = appendRun(append(b, "  offset "...), at, end-1)
		if c.Values[at] == 1 {
			b = fmt.Appendf(b, ": always %x\n", c.First[at:end])
		} else {
			b = fmt.Appendf(b, ": %d values\n", c.Values[at])
		}
		at = end
	}
	if c.Size > len(c.Values) {
		b = fmt.Appendf(b, "  the octets from offset %d on are not looked at\n", len(c.Values))
	}
	return b
}
