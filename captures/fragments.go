package captures

import (
	"fmt"
	"net/netip"
	"slices"

	"dplay4/wire"
)

// A fragment is one PACKET or PACKET2_DATA that does not hold its message whole.
type fragment struct {
	*wire.Packet // or a PACKET2_DATA, which has the same fields
	key          fragmentKey
	via          wire.Command
	frames       []int
}

type fragmentKey struct {
	id       wire.GUID
	src, dst netip.Addr
}

// A fragmented message is one of which fragments were seen: in work, or whole and remembered for a while.
type fragmented struct {
	key    fragmentKey
	via    wire.Command
	total  uint32
	size   uint32
	count  int // fragments that brought octets
	octets octetSet
	frames []int
	cost   int // what it counts against maxFragmentOctets
}

// whole reports whether all octets are there.
func (w *fragmented) whole() bool { return w.octets.count == int(w.size) }

// A joiner puts fragmented messages together. It forgets the oldest when there are too many, and it holds
// only octets that came, never what a fragment says will come.
//
// Messages that became whole are remembered, so that fragments which were sent again (those of PACKET2_DATA
// are, until they are acknowledged) are not taken for the beginning of another message.
type joiner struct {
	known map[fragmentKey]*fragmented
	work  []*fragmented // oldest first
	done  []*fragmented // likewise
	cost  int           // of both
	drop  func(f *fragmented, why string)
}

func newJoiner(drop func(*fragmented, string)) *joiner {
	return &joiner{known: map[fragmentKey]*fragmented{}, drop: drop}
}

// add takes a fragment and gives the whole message when it was the last one missing. err says what is wrong
// with the fragment, which is then ignored.
func (j *joiner) add(f *fragment) (whole *fragmented, err error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	w := j.known[f.key]
	if w != nil && w.whole() && !w.repeats(f) {
		j.remove(w) // another message with the same id
		w = nil
	}
	if w == nil {
		w = &fragmented{key: f.key, via: f.via, total: f.Total, size: f.MessageSize}
		j.known[f.key] = w
		j.work = append(j.work, w)
	}
	repeated, err := w.judge(f)
	if err != nil || repeated {
		return nil, err
	}
	w.put(f)
	j.charge(w)
	if w.whole() {
		j.work = without(j.work, w)
		j.done = append(j.done, w)
		slices.Sort(w.frames)
		w.frames = slices.Compact(w.frames)
		whole = w
	}
	j.forget()
	return whole, nil
}

// forget gives up the oldest messages where there are too many, those that are whole first.
func (j *joiner) forget() {
	tooMany := func(list []*fragmented) bool {
		return len(list) > maxFragmented || len(list) > 0 && j.cost > maxFragmentOctets
	}
	for tooMany(j.done) {
		j.remove(j.done[0])
	}
	for tooMany(j.work) {
		old := j.work[0]
		j.remove(old)
		j.drop(old, "given up for newer ones")
	}
}

// charge counts what a message costs now.
func (j *joiner) charge(w *fragmented) {
	cost := w.octets.cost() + 8*cap(w.frames)
	j.cost += cost - w.cost
	w.cost = cost
}

func (j *joiner) remove(w *fragmented) {
	delete(j.known, w.key)
	j.cost -= w.cost
	j.work, j.done = without(j.work, w), without(j.done, w)
}

func without(list []*fragmented, w *fragmented) []*fragmented {
	if i := slices.Index(list, w); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// flush gives up what is unfinished.
func (j *joiner) flush() {
	for len(j.work) > 0 {
		w := j.work[0]
		j.remove(w)
		j.drop(w, "the capture ends")
	}
}

// check says what is wrong with a fragment by itself.
func (f *fragment) check() error {
	switch n := len(f.Data.Octets); {
	case f.MessageSize > wire.MaxMessage:
		return fmt.Errorf("MessageSize %d is above the largest message, %d", f.MessageSize, wire.MaxMessage)
	case f.Total == 0 || f.Total > f.MessageSize:
		return fmt.Errorf("TotalPackets is %d for a message of %d octets", f.Total, f.MessageSize)
	case f.Index >= f.Total:
		return fmt.Errorf("PacketIndex is %d of %d", f.Index, f.Total)
	case n == 0:
		return fmt.Errorf("a fragment without data")
	case uint64(f.Offset)+uint64(n) > uint64(f.MessageSize):
		return fmt.Errorf("%d octets at offset %d of a message of %d", n, f.Offset, f.MessageSize)
	}
	return nil
}

// judge reports whether a fragment came before, or what it contradicts.
func (w *fragmented) judge(f *fragment) (repeated bool, err error) {
	if w.total != f.Total || w.size != f.MessageSize || w.via != f.via {
		return false, fmt.Errorf("%d fragments of %d octets, where one before said %d of %d", f.Total, f.MessageSize, w.total, w.size)
	}
	data := f.Data.Octets
	end := int(f.Offset) + len(data)
	switch n, same := w.octets.compare(int(f.Offset), data); {
	case n == 0:
		return false, nil
	case n < len(data):
		return false, fmt.Errorf("octets %d to %d overlap another fragment", f.Offset, end)
	case !same:
		return false, fmt.Errorf("octets %d to %d differ from what came first", f.Offset, end)
	}
	return true, nil
}

// repeats reports whether a fragment is one of a message that is whole.
func (w *fragmented) repeats(f *fragment) bool {
	repeated, _ := w.judge(f)
	return repeated
}

// put adds a fragment that brings new octets.
func (w *fragmented) put(f *fragment) {
	w.octets.put(int(f.Offset), f.Data.Octets)
	w.count++
	if n := len(w.frames); n > 0 && len(f.frames) == 1 && w.frames[n-1] == f.frames[0] {
		return
	}
	w.frames = append(w.frames, f.frames...)
}
