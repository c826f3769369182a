// Package liveplay plays the joiner of a recorded session to a host that runs, and compares what it answers.
package liveplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures/replay"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// Options say to whom a recording is played, and how.
type Options struct {
	To       netip.AddrPort // the host's listener
	Length   time.Duration  // it ends after this time,
	Messages int            // or when so many were sent
	Speed    float64        // how many times the recorded pace; 0: once
	// Show is told each message that was sent or came, and how the answer differs, Note what is about no message.
	Show func(what string, a *replay.Act, host netip.AddrPort, diffs []replay.Difference)
	Note func(text string)
}

const (
	// answerWait is how long an answer that the capture has is waited for: as long as the reliable API timer of a machine
	// that joins (3.1.2.2).
	answerWait = 5 * time.Second
	// longestPause bounds the pauses of the recording, which are pauses of people.
	longestPause = 2 * time.Second
)

// A play is one run.
type play struct {
	*Options
	l       *replay.Live
	s       *sockets
	held    []message // came before they were waited for
	octets  int       // of held
	equal   bool
	sent    int
	answers int
	left    int // of the recorded host's game, which this one did not send
}

// Play plays the joiner's messages of a capture, and reports whether all answers were as recorded.
func (o *Options) Play(ctx context.Context, c *replay.Capture) (equal bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.Length)
	defer cancel()
	s, err := open(o.To)
	if err != nil {
		return false, err
	}
	defer s.close()
	l, err := c.Live(netip.AddrPort{}, s.streamPort(), s.datagramPort())
	if err != nil {
		return false, err
	}
	p := &play{Options: o, l: l, s: s, equal: true}
	switch err := p.run(ctx); {
	case errors.Is(err, context.DeadlineExceeded):
		p.equal = false
		p.Note(fmt.Sprintf("ended after %v, before the recording did: --for allows more", o.Length))
	case err != nil:
		return false, err
	}
	p.summary()
	return p.equal, nil
}

// run does one act of the recording after the other.
func (p *play) run(ctx context.Context) error {
	speed := cmp.Or(p.Speed, 1)
	last := time.Duration(-1)
	for {
		a, more := p.l.Next()
		if !more {
			return nil
		}
		if !a.Send {
			if ok, err := p.await(ctx, &a); err != nil || !ok {
				return err
			}
			last = a.At
			continue
		}
		if p.sent >= p.Messages {
			p.equal = false
			p.Note(fmt.Sprintf("%d messages were sent: --messages allows more", p.sent))
			return nil
		}
		if last >= 0 {
			pause := min(time.Duration(float64(a.At-last)/speed), longestPause)
			if err := cli.Wait(ctx, pause); err != nil {
				return err
			}
		}
		last = a.At
		if err := p.s.send(ctx, &a); err != nil {
			return err
		}
		p.sent++
		p.Show("sent", &a, p.s.host(), nil)
	}
}

// await waits for a message that the recorded host sent, and compares. False ends the replay.
func (p *play) await(ctx context.Context, a *replay.Act) (bool, error) {
	if a.Optional {
		p.drain()
		if !p.fitting(a) {
			p.left++
		}
		return true, nil
	}
	late := time.NewTimer(answerWait)
	defer late.Stop()
	for {
		if p.fitting(a) {
			return true, nil
		}
		select {
		case m := <-p.s.came:
			p.hold(m)
		case <-late.C:
			p.equal = false
			p.Show("not answered", a, p.s.host(), []replay.Difference{a.Lacking(answerWait)})
			if a.Vital {
				p.Note("nothing after this makes sense without it")
			}
			return !a.Vital, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// fitting takes a message that came before it was waited for, if there is one.
func (p *play) fitting(a *replay.Act) bool {
	i := slices.IndexFunc(p.held, func(m message) bool { return a.Fits(m.transport, m.data) })
	if i < 0 {
		return false
	}
	data := p.held[i].data
	p.held = slices.Delete(p.held, i, i+1)
	p.octets -= len(data)
	p.took(a, data)
	return true
}

func (p *play) hold(m message) {
	if len(p.held) < maxHeld && p.octets+len(m.data) <= maxHeldOctets {
		p.held = append(p.held, m)
		p.octets += len(m.data)
	}
}

// drain takes what has come.
func (p *play) drain() {
	for {
		select {
		case m := <-p.s.came:
			p.hold(m)
		default:
			return
		}
	}
}

// What the host may say before it is waited for is bounded.
const (
	maxHeld       = 1024
	maxHeldOctets = 16 << 20
)

func (p *play) took(a *replay.Act, data []byte) {
	p.answers++
	diffs := p.l.Take(a, data)
	p.equal = p.equal && len(diffs) == 0
	p.Show("got", a, p.s.host(), diffs)
}

// summary says what became of all.
func (p *play) summary() {
	p.drain()
	for _, m := range p.held {
		p.Note("the host also sent " + replay.NameOf(m.transport, m.data, wire.Options{}))
	}
	m := p.l.Mapped()
	text := fmt.Sprintf("%s played to %s: %s sent, %s; %s, %s", p.l.Joiner(), p.s.host(), cli.Numbered(p.sent, "message"),
		cli.Numbered(p.answers, "answer"), cli.Numbered(m.IDs, "other id"), cli.Numbered(m.GUIDs, "other GUID"))
	if p.left > 0 {
		text += fmt.Sprintf("; %s that the recorded host sent of itself, and this one did not", cli.Numbered(p.left, "message"))
	}
	if n := p.l.Skipped(); n > 0 {
		text += fmt.Sprintf("; %s left out, with other machines or to what this host did not say", cli.Numbered(n, "message"))
	}
	p.Note(text)
}
