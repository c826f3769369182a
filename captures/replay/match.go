package replay

import (
	"regexp"
	"slices"
	"strings"

	"dplay4/captures"
	"dplay4/dpsp"
)

// recorded takes a message that the machine sent, and compares it with one of ours. If none is equal, the program does what
// makes the engine send it, or timers go off that are due soon.
func (p *player) recorded(msg *message) {
	if isViewMessage(msg.command) {
		p.recordedView(msg)
		return
	}
	c := p.match(msg, len(p.pending))
	if c == nil || !c.equal() && byProgram(msg.command) {
		p.failed = nil
		if acted := p.match(msg, p.infer(msg, msg.env.Message)); acted != nil {
			c = acted
		}
	}
	if c == nil {
		c = p.soon(msg)
	}
	p.settle(msg, c, p.note())
}

// isViewMessage reports whether a command is a VIEW. Its time depends on the messages of others at that time, so that only its
// effect in other messages is compared.
func isViewMessage(command string) bool { return strings.HasPrefix(command, "EXTENSION VIEW ") }

// viewPrepare is the one with which a machine asks others to follow it.
const viewPrepare = "EXTENSION VIEW PREPARE"

// recordedView pairs the values of a recorded message about views with those of the first one of ours like it.
func (p *player) recordedView(msg *message) {
	i := slices.IndexFunc(p.pending, func(s *message) bool { return s.command == msg.command })
	if i >= 0 {
		compare(&p.mapping, msg, p.pending[i]).commit()
		p.pending = slices.Delete(p.pending, i, i+1)
	}
}

// settle reports what stands for a recorded message: a message of ours as c compares it, or none if c is nil. The note says why.
func (p *player) settle(msg *message, c *comparison, note string) {
	var diffs []Difference
	if c == nil {
		p.party.Missing++
		d := msg.difference(Missing)
		d.Recorded, d.Note = msg.summary(), note
		diffs = []Difference{d}
	} else {
		p.pending = slices.DeleteFunc(p.pending, func(s *message) bool { return s == c.ours })
		c.commit()
		if to := c.ours.dst; to != msg.dst {
			c.differ("destination", msg.dst.String(), to.String())
		}
		p.party.Compared++
		diffs = c.diffs
	}
	if len(diffs) == 0 {
		p.party.Equal++
	}
	p.report(msg, diffs)
}

// match compares a recorded message with those of ours that may be it, among the last ones of pending. It returns the first
// equal one, else the first one, nil if there is none.
func (p *player) match(msg *message, last int) (first *comparison) {
	alike := 0
	for _, s := range p.pending[max(0, len(p.pending)-last):] {
		if !p.candidate(s, msg) {
			continue
		}
		c := compare(&p.mapping, msg, s)
		if c.equal() {
			return c
		}
		if first == nil {
			first = c
		}
		if alike++; alike >= maxAlike {
			break
		}
	}
	return first
}

// candidate reports whether a message of ours may be the recorded one: the same command, the same way, to the same machine.
func (p *player) candidate(s, msg *message) bool {
	switch {
	case s.transport != msg.transport || s.command != msg.command:
		return false
	case s.transport == captures.TCP || msg.dst.Port() == dpsp.EnumPort:
		return s.dst == msg.dst
	}
	return p.c.machineAt(s.dst) == msg.addressee()
}

func (m *message) addressee() *machine {
	if len(m.to) == 1 {
		return m.to[0]
	}
	return nil
}

// soon lets timers go off that are due now or in a moment, until one sends the recorded message.
func (p *player) soon(msg *message) *comparison {
	until := msg.at + slack
	if p.now > until {
		return nil
	}
	sent := p.step(p.now, dpsp.Input{})
	for range maxTimers {
		if c := p.match(msg, sent); c != nil || p.wake <= p.now || p.wake > until {
			return c
		}
		sent = p.elapse()
	}
	return nil
}

// byProgram reports whether only a program makes an engine send a message: then one of ours that differs is another one.
func byProgram(command string) bool { return programs.MatchString(command) }

var programs = regexp.MustCompile(`^(PLAYERMESSAGE|PLAYERWRAPPER|CHAT|ENUMSESSIONS|SESSIONDESCCHANGED|(PLAYER|GROUP)(DATA|NAME)CHANGED` +
	`|(ADD|DELETE)(PLAYER|SHORTCUT|GROUP)(TO|FROM)GROUP|DELETE(PLAYER|GROUP)|ASK4MULTICAST(GUARANTEED)?|MALFORMED)$|^EXTENSION OBJECT`)
