package replay

import (
	"bytes"
	"net/netip"
	"slices"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// inFrames is how what was said in frames of the reliable protocol travelled. Each of its frames is a message of the
// capture, too, which is fed and not compared.
const inFrames = captures.UDP + 1

// frameName is what captures calls a frame.
const frameName = "RELIABLEFRAME"

// A framing is what a message has to do with the reliable protocol.
type framing struct {
	frame  *reliable.Frame // the message is this frame; nil: it is none, or malformed
	again  bool            // the capture has the same frame before
	begins *message        // the frame is the first one of several of this
	ends   [2]endOfLink    // from, to
	sure   bool            // what was said is reliable
}

// An endOfLink is what an index in a frame means.
type endOfLink struct {
	index  uint16
	id     wire.PlayerID // 0: not known
	system bool          // it is a machine's system player
}

// A way is one direction of a link. A link that begins anew is another one.
type way struct {
	from, to       netip.AddrPort
	source, target uint16
	sure           bool
	life           int
}

// maxWays bounds the directions in which frames are put together.
const maxWays = 4096

// An assembly puts the messages of all directions together.
type assembly map[way]*reliable.Assembler

// add takes a frame. It reports whether the frame came before, and gives the message that it completes.
func (a assembly) add(w way, f *reliable.Frame) (message []byte, whole, again bool) {
	if a[w] == nil && len(a) < maxWays {
		a[w] = &reliable.Assembler{Capture: true}
	}
	if a[w] == nil || f.Kind() != reliable.KindData || f.MustIgnore() {
		return nil, false, false
	}
	r := a[w].Add(f)
	return r.Message, r.Verdict == reliable.Complete, r.Verdict == reliable.Repeated || r.Verdict == reliable.Outside
}

// frame takes a frame of the reliable protocol, and what was said in it if it holds that whole.
func (l *loader) frame(r *captures.Record) error {
	m, err := l.add(r, r.Raw)
	if err != nil {
		return err
	}
	m.command = frameName
	f, err := reliable.Decode(m.raw)
	if err != nil {
		return nil // it is fed as it is
	}
	m.framing.frame, m.ends = &f, linkOf(r)
	w := way{r.Src, r.Dst, f.From, f.To, f.Flags&reliable.RLY != 0, 0}
	if r.Step != nil && r.Step.Link != nil {
		w.life = r.Step.Link.Restarts.Count
	}
	_, whole, again := l.frames.add(w, &f)
	if m.again = again; whole && single(&f) {
		return l.said(r, f.Data)
	}
	return nil
}

// single reports whether a frame has the data of a whole message.
func single(f *reliable.Frame) bool {
	const both = reliable.STA | reliable.EOM
	return f.Kind() == reliable.KindData && f.Flags&both == both
}

// said takes a message that was said in frames, with the last of them.
func (l *loader) said(r *captures.Record, data []byte) error {
	m, err := l.add(r, data)
	if err != nil {
		return err
	}
	m.transport = inFrames
	m.ends, m.sure = linkOf(r), r.Frame.Flags&reliable.RLY != 0
	m.decode()
	if len(r.Frames) == 1 {
		return nil
	}
	for _, first := range slices.Backward(l.c.messages) {
		if first.frame == r.Frames[0] {
			first.begins = m // sentFrame alone reads it
		}
		if first.frame <= r.Frames[0] {
			break
		}
	}
	return nil
}

// linkOf returns what the indexes of a frame mean.
func linkOf(r *captures.Record) (ends [2]endOfLink) {
	for i, index := range [...]uint16{r.Frame.From, r.Frame.To} {
		ends[i].index = index
		if p := r.Session.ByIndex(index); p != nil {
			ends[i].id, ends[i].system = p.ID, p.Flags&wire.PlayerSystem != 0
		}
	}
	return ends
}

// field returns an end of a link as a field: by its index where nobody is known to have one.
func (e endOfLink) field(name string) *wire.Field {
	if e.id == 0 {
		return &wire.Field{Name: name, Index: -1, Kind: wire.KindNumber, Num: uint32(e.index)}
	}
	return &wire.Field{Name: name, Index: -1, Kind: wire.KindID, Num: uint32(e.id)}
}

// guaranteed reports whether a message was sent so that it arrives.
func (m *message) guaranteed() bool {
	return m.transport == captures.TCP || m.transport == inFrames && m.sure
}

// translate returns a recorded message as an engine has to get it. Ids in messages of several frames stay.
func (p *player) translate(m *message) []byte {
	switch {
	case m.command != frameName:
		return p.mapping.translate(m.transport, m.raw, m.opts)
	case m.framing.frame == nil, p.opt.Exact:
		return m.raw
	}
	f := *m.framing.frame
	f.From, f.To = p.ownIndex(m.ends[0]), p.ownIndex(m.ends[1])
	if single(&f) {
		f.Data = p.mapping.translate(inFrames, f.Data, m.opts)
	}
	out, err := f.Append(nil)
	if err != nil {
		return bytes.Clone(m.raw)
	}
	return out
}

// ownIndex returns the index that ours has for a recorded one.
func (p *player) ownIndex(e endOfLink) uint16 {
	if own, known := p.mapping.ours[idOf(e.id)]; known {
		return wire.PlayerID(own.num).Index(p.mask)
	}
	return e.index
}
