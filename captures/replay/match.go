package replay

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp"
)

// recorded takes a message that the machine sent: ours is looked for, and compared.
func (p *player) recorded(msg *message) {
	fields := msg.fields()
	if isViewMessage(msg.command) {
		p.recordedView(msg, fields)
		return
	}
	i, c := p.equal(msg, fields)
	if i < 0 && byProgram(msg.command) {
		i, c = p.acted(msg, fields)
	}
	if i < 0 {
		i, c = p.nearest(msg, fields, 0)
	}
	if i < 0 && !byProgram(msg.command) {
		i, c = p.acted(msg, fields)
	}
	if i < 0 {
		i, c = p.soon(msg, fields)
	}
	if i < 0 {
		p.missing(msg, p.program.note())
		return
	}
	p.settlePending(msg, i, c)
}

// isViewMessage reports whether a command is a VIEW. Its time depends on the messages of others at that time, so that only its effect in
// other messages is compared.
func isViewMessage(command string) bool { return strings.HasPrefix(command, "EXTENSION VIEW ") }

// viewPrepare is the one with which a machine asks others to follow it.
const viewPrepare = "EXTENSION VIEW PREPARE"

// recordedView learns from a recorded message about views, and from one of ours like it, which values stand for which.
func (p *player) recordedView(msg *message, fields *tree) {
	for i, s := range p.pending {
		if s.command == msg.command {
			p.compare(msg, fields, s).commit()
			p.pending = slices.Delete(p.pending, i, i+1)
			return
		}
	}
}

// settlePending settles a recorded message with a pending one of ours.
func (p *player) settlePending(msg *message, i int, c *comparison) {
	ours := p.pending[i]
	p.pending = slices.Delete(p.pending, i, i+1)
	p.settle(msg, ours, c)
}

// settle reports what a message of ours is beside the recorded one, which it stands for.
func (p *player) settle(msg *message, ours *sent, c *comparison) {
	c.commit()
	if ours.to != msg.dst && !p.sameSocket(ours, msg) {
		c.differ("destination", msg.dst.String(), ours.to.String())
	}
	p.party.Compared++
	if len(c.diffs) == 0 {
		p.party.Equal++
	}
	for j := range c.diffs {
		p.about(&c.diffs[j], msg)
	}
	p.report(c.diffs...)
	p.watch(Step{N: msg.n, Frame: msg.frame, At: msg.at, Message: msg.command, To: msg.dst.String(), Equal: len(c.diffs) == 0,
		Differences: c.diffs})
}

// about says which message a difference is about.
func (p *player) about(d *Difference, msg *message) {
	d.N, d.Frame, d.At, d.Message, d.To = msg.n, msg.frame, msg.at, msg.command, msg.dst
}

func (p *player) missing(msg *message, note string) {
	d := Difference{Kind: Missing, Recorded: msg.summary(), Note: note}
	p.about(&d, msg)
	p.party.Missing++
	p.watch(Step{N: msg.n, Frame: msg.frame, At: msg.at, Message: msg.command, To: msg.dst.String(), Differences: p.report(d)})
}

// sameSocket reports whether ours went to where the recorded message went, by another name: a broadcast, or address 0.0.0.0.
func (p *player) sameSocket(s *sent, msg *message) bool {
	return msg.dst.Port() == dpsp.EnumPort && s.to.Port() == dpsp.EnumPort && s.to.Addr().Unmap() == msg.dst.Addr().Unmap() ||
		s.to.Addr().Unmap() == msg.dst.Addr().Unmap() && s.to.Port() == msg.dst.Port()
}

// candidate reports whether a message of ours may be the recorded one: the same command, the same way, to the same machine.
func (p *player) candidate(s *sent, msg *message) bool {
	if s.transport != msg.transport || s.command != msg.command {
		return false
	}
	if s.transport == captures.TCP || msg.dst.Port() == dpsp.EnumPort {
		return s.to.Addr().Unmap() == msg.dst.Addr().Unmap() && s.to.Port() == msg.dst.Port()
	}
	return p.machineAt(s.to) == msg.addressee()
}

func (m *message) addressee() *machine {
	if len(m.to) == 1 {
		return m.to[0]
	}
	return nil
}

// machineAt returns the machine of the capture that a UDP socket of ours is meant for.
func (p *player) machineAt(at netip.AddrPort) *machine {
	if i := slices.IndexFunc(p.c.machines, func(m *machine) bool { return m.datagram == at }); i >= 0 {
		return p.c.machines[i]
	}
	var only *machine
	for _, m := range p.c.machines {
		if m.listener.Addr() == at.Addr().Unmap() {
			if only != nil {
				return nil
			}
			only = m
		}
	}
	return only
}

// equal returns a message of ours that is the recorded one.
func (p *player) equal(msg *message, fields *tree) (int, *comparison) {
	alike := 0
	for i, s := range p.pending {
		if !p.candidate(s, msg) {
			continue
		}
		if c := p.compare(msg, fields, s); len(c.diffs) == 0 {
			return i, c
		}
		if alike++; alike >= maxAlike {
			break
		}
	}
	return -1, nil
}

// nearest returns the first message of ours, from a place on, that may be the recorded one.
func (p *player) nearest(msg *message, fields *tree, from int) (int, *comparison) {
	for i := from; i < len(p.pending); i++ {
		if s := p.pending[i]; p.candidate(s, msg) {
			return i, p.compare(msg, fields, s)
		}
	}
	return -1, nil
}

func (p *player) compare(msg *message, fields *tree, s *sent) *comparison {
	if s.fields == nil {
		s.fields = treeOf(s.transport, s.data, msg.opts)
	}
	c := compare(&p.mapping, p.opt.Exact, msg.command, fields, s.fields)
	if p.opt.Exact && len(c.diffs) == 0 && !bytes.Equal(msg.raw, s.data) {
		c.differ("octets", "those of the recording", "others")
	}
	return c
}

// acted lets the program do what makes the engine send the recorded message, as far as that can be told, and gives the
// message.
func (p *player) acted(msg *message, fields *tree) (int, *comparison) {
	n := 0
	for _, in := range p.program.infer(msg) {
		n += p.step(p.now, in)
	}
	from := max(0, len(p.pending)-n)
	if n == 0 {
		return -1, nil
	}
	for i := from; i < len(p.pending); i++ {
		if s := p.pending[i]; p.candidate(s, msg) {
			if c := p.compare(msg, fields, s); len(c.diffs) == 0 {
				return i, c
			}
		}
	}
	return p.nearest(msg, fields, from)
}

// soon lets timers go off that are due now, or would be in a moment, and gives the recorded message if that was it.
func (p *player) soon(msg *message, fields *tree) (int, *comparison) {
	last := p.now
	for at, n := p.now, 0; at <= msg.at+slack && at >= last && n < maxTimers; at, n = p.wake, n+1 {
		from := max(0, len(p.pending)-p.step(at, dpsp.Input{}))
		p.now = max(p.now, at)
		if i, c := p.nearest(msg, fields, from); i >= 0 {
			return i, c
		}
		last = at + 1
	}
	return -1, nil
}

// byProgram reports whether a message is only ever sent because the program wanted it: then one of ours that differs
// is another one.
func byProgram(command string) bool {
	switch command {
	case "PLAYERMESSAGE", "PLAYERWRAPPER", "CHAT", "PLAYERDATACHANGED", "GROUPDATACHANGED", "PLAYERNAMECHANGED", "GROUPNAMECHANGED",
		"ADDPLAYERTOGROUP", "DELETEPLAYERFROMGROUP", "ADDSHORTCUTTOGROUP", "DELETEGROUPFROMGROUP", "ENUMSESSIONS",
		"SESSIONDESCCHANGED", "ASK4MULTICAST", "ASK4MULTICASTGUARANTEED", "DELETEPLAYER", "DELETEGROUP", malformed:
		return true
	}
	return strings.HasPrefix(command, "EXTENSION OBJECT")
}

// summary says in short what a message is about.
func (m *message) summary() string { return short(treeOf(m.transport, m.raw, m.opts)) }

func summary(s *sent) string {
	if s.fields == nil {
		return short(treeOf(s.transport, s.data, s.after.options()))
	}
	return short(s.fields)
}
