package replay

import (
	"slices"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// Frames counts frames of the reliable protocol that a machine sent, and that ours sent in its place. They are not compared: when
// they are sent depends on loss and time.
type Frames struct {
	Recorded FrameCount `json:"recorded"`
	Ours     FrameCount `json:"ours"`
}

// A FrameCount counts frames.
type FrameCount struct {
	Data     int `json:"data"`     // repeated ones included
	Repeated int `json:"repeated"` // of them
	ACKs     int `json:"acks"`
	NACKs    int `json:"nacks"`
}

func (c *FrameCount) add(f *reliable.Frame, again bool) {
	switch f.Kind() {
	case reliable.KindData:
		c.Data++
		if again {
			c.Repeated++
		}
	case reliable.KindACK:
		c.ACKs++
	case reliable.KindNACK:
		c.NACKs++
	}
}

// A late is a recorded message in frames that ours has not said yet: when its last frame goes depends on what was acknowledged.
type late struct {
	msg  *message
	note string
}

// maxLate bounds those that are waited for: the oldest is then settled with what there is.
const maxLate = 256

// A spread is a game message to everybody, which the recording has in a frame to each machine.
type spread struct {
	from    wire.PlayerID
	payload string
	to      []wire.PlayerID // the system players that the recording has it to, so far
}

// maxSpread bounds the messages to everybody that are remembered.
const maxSpread = 64

// framed takes what the engine sends if it is a frame of the reliable protocol, and reports whether it is one: in sessions
// with that protocol, a datagram without an SP header of its own is. What is said in frames is put together, and then pending.
func (p *player) framed(s *dpsp.Outgoing, now time.Duration) bool {
	if !p.frames || s.Transport != dpsp.UDP || s.To.Port() == dpsp.EnumPort || ownHeader(s.Data) {
		return false
	}
	f, err := reliable.Decode(s.Data)
	if err != nil {
		return false
	}
	sure := f.Flags&reliable.RLY != 0
	data, whole, again := p.assembly.add(way{to: s.To, source: f.From, target: f.To, sure: sure, life: p.sessions}, &f)
	p.party.Frames.Ours.add(&f, again)
	if !whole {
		return true
	}
	n := p.sent(inFrames, s.To, data, now)
	n.ends = [2]endOfLink{p.meaning(f.From), p.meaning(f.To)}
	p.keep(n)
	for i, l := range p.late {
		if c := p.match(l.msg, 1); c.equal() {
			p.settle(l.msg, c, "")
			p.late = slices.Delete(p.late, i, i+1)
			p.pended--
			break
		}
	}
	return true
}

// ownHeader reports whether a message of ours has an SP header.
func ownHeader(b []byte) bool {
	sp, err := wire.ParseSPHeader(b)
	return err == nil && sp.Size == len(b) && wire.HasSignature(b[wire.SPHeaderSize:])
}

// meaning returns the player of our engine's session that an index means, or meant: frames outlive who said them.
func (p *player) meaning(index uint16) endOfLink {
	mean := func(id wire.PlayerID, system bool) {
		if id != 0 && id.Index(p.mask) == index {
			p.meant[index] = endOfLink{index, id, system}
		}
	}
	for _, other := range p.engine.Players() {
		mean(other.ID, false)
	}
	for _, at := range p.engine.Machines() {
		mean(p.engine.MachineAt(at), true)
	}
	mean(p.self, true)
	if e, ok := p.meant[index]; ok {
		return e
	}
	return endOfLink{index: index}
}

// sentFrame counts a frame that the machine sent. The program sends what takes several frames with the first one, because
// those that follow wait for acknowledgements.
func (p *player) sentFrame(msg *message) {
	if msg.framing.frame != nil {
		p.party.Frames.Recorded.add(msg.framing.frame, msg.again)
	}
	if b := msg.begins; b != nil && byProgram(b.command) {
		p.says(b)
		p.saying = append(p.saying, b)
	}
}

// saidInFrames takes what the machine said in frames because its program wanted it. Ours can be done with it later.
func (p *player) saidInFrames(msg *message) {
	if i := slices.Index(p.saying, msg); i >= 0 {
		p.saying = slices.Delete(p.saying, i, i+1)
	} else {
		p.says(msg)
	}
	if c := p.match(msg, len(p.pending)); c.equal() {
		p.settle(msg, c, "")
		return
	}
	if len(p.late) >= maxLate {
		p.tooLate(p.late[0])
		p.late = p.late[1:]
	}
	note := p.note()
	if _, ok := msg.env.Message.(*wire.PlayerMessage); ok && msg.ends[0].system {
		note = "a system player says it, and programs of ours speak as their players"
	}
	p.late = append(p.late, late{msg, note})
}

// tooLate settles a message that ours did not say, with what is nearest to it.
func (p *player) tooLate(l late) { p.settle(l.msg, p.match(l.msg, len(p.pending)), l.note) }

// says has the program do what a message in frames shows. A message to everybody is sent once, however many machines it goes to.
func (p *player) says(msg *message) {
	p.failed = nil
	if b, ok := msg.env.Message.(*wire.PlayerMessage); ok && msg.ends[1].system && p.spreads(msg, b) {
		return
	}
	p.infer(msg, msg.env.Message)
}

// spreads reports whether a game message is one to everybody that was sent to another machine before.
func (p *player) spreads(msg *message, b *wire.PlayerMessage) bool {
	from, payload, to := msg.ends[0].id, string(b.Payload), msg.ends[1].id
	for i := range p.spread {
		if s := &p.spread[i]; s.from == from && s.payload == payload && !slices.Contains(s.to, to) {
			s.to = append(s.to, to)
			return true
		}
	}
	if len(p.spread) >= maxSpread {
		p.spread = p.spread[1:]
	}
	p.spread = append(p.spread, spread{from, payload, []wire.PlayerID{to}})
	return false
}

// catchUp gives our engine a moment for what it has not said, and settles the rest.
func (p *player) catchUp() {
	until := p.now + slack
	for n := 0; len(p.late) > 0 && p.wake <= until && n < maxTimers; n++ {
		p.elapse()
	}
	for _, l := range p.late {
		p.tooLate(l)
	}
	p.late = nil
}
