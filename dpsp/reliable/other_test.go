package reliable

import (
	"slices"
	"time"

	"dplay4/wire/reliable"
)

// An other is a peer that is not ours: it repeats by a clock, ignores what has EXT, and reads the open questions as it is
// told. It acknowledges what it has in order, when it is asked or a message ends.
type other struct {
	running  bool   // sequences count on (D4)
	two      bool   // reliable and unreliable messages have a space each (D1)
	ids      *uint8 // the messageid that is next
	plainIDs *uint8

	queue    []Message
	out      []*otherFrame
	sequence uint8
	answers  []reliable.Frame

	bytes uint32
	next  uint8 // the messageid that is due
	last  reliable.Frame
	parts map[[2]uint8]reliable.Frame
	got   [][]byte
}

type otherFrame struct {
	reliable.Frame
	due time.Duration
}

// newOther makes a peer whose first messageid is first.
func newOther(first uint8) *other {
	plain := first
	return &other{ids: &first, plainIDs: &plain, sequence: reliable.FirstSequence, next: 1, parts: map[[2]uint8]reliable.Frame{}}
}

func (o *other) idle() bool { return len(o.queue)+len(o.out)+len(o.answers) == 0 }

func (o *other) take(now time.Duration, f *reliable.Frame) {
	switch f.Kind() {
	case reliable.KindData:
		o.bytes += f.Counted()
		o.data(f)
	case reliable.KindACK:
		o.out = slices.DeleteFunc(o.out, func(g *otherFrame) bool {
			return int8(g.MessageID-f.MessageID) < 0 || g.MessageID == f.MessageID && int8(g.Sequence-f.Sequence) <= 0
		})
	}
}

// data puts messages together. Each of ours has RLY and begins with sequence 1.
func (o *other) data(f *reliable.Frame) {
	if int8(f.MessageID-o.next) >= 0 {
		g := *f
		g.Data = slices.Clone(f.Data)
		o.parts[[2]uint8{f.MessageID, f.Sequence}] = g
	}
	for whole := true; whole; {
		var b []byte
		whole = false
		for s := uint8(1); ; s++ {
			g, ok := o.parts[[2]uint8{o.next, s}]
			if !ok {
				break
			}
			o.last = g
			b = append(b, g.Data...)
			if whole = g.Flags&reliable.EOM != 0; whole {
				break
			}
		}
		if whole {
			o.got = append(o.got, b)
			for k := range o.parts {
				if k[0] == o.next {
					delete(o.parts, k)
				}
			}
			o.next++
		}
	}
	if f.Flags&(reliable.SAK|reliable.EOM) != 0 && o.last.Flags != 0 {
		o.answers = append(o.answers, reliable.Frame{
			Flags: reliable.ACK | reliable.RLY, MessageID: o.last.MessageID, Sequence: o.last.Sequence, Serial: f.Serial,
			BytesReceived: o.bytes,
		})
	}
}

func (o *other) step(now time.Duration) (out []reliable.Frame, wake time.Duration) {
	out, o.answers = o.answers, nil
	for len(o.queue) > 0 && len(o.out) < 8 {
		m := o.queue[0]
		o.queue = o.queue[1:]
		ids := o.ids
		if o.two && !m.Reliable {
			ids = o.plainIDs
		}
		id := *ids
		*ids++
		if !o.running {
			o.sequence = reliable.FirstSequence
		}
		for off := 0; off == 0 || off < len(m.Data); off += 1000 {
			f := reliable.Frame{Flags: reliable.CMD, MessageID: id, Sequence: o.sequence, Serial: uint8(off / 1000)}
			f.Data = m.Data[off:min(len(m.Data), off+1000)]
			if off == 0 {
				f.Flags |= reliable.STA
			}
			if off+1000 >= len(m.Data) {
				f.Flags |= reliable.EOM
			}
			if m.Reliable {
				f.Flags |= reliable.RLY | reliable.SAK
				o.out = append(o.out, &otherFrame{f, now})
			} else {
				out = append(out, f)
			}
			o.sequence++
		}
	}
	wake = Never
	for _, f := range o.out {
		if f.due <= now {
			out = append(out, f.Frame)
			f.Serial++
			f.due = now + 150*time.Millisecond
		}
		wake = min(wake, f.due)
	}
	return out, wake
}
