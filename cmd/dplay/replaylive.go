package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/captures/replay"
	"dplay4/wire"
)

// liveFlags are the flags of "dplay replay --to".
type liveFlags struct {
	to       string
	length   time.Duration
	messages int
	at       netip.AddrPort // the host's listener
}

// The bounds of a replay to a live host.
const (
	defaultLiveLength = time.Minute
	maxLiveLength     = time.Hour
	defaultLiveCount  = 1000
	maxLiveCount      = 1_000_000
	defaultLivePort   = 2300
	// answerWait is how long an answer that the capture has is waited for: as long as the reliable API timer of a machine
	// that joins (3.1.2.2).
	answerWait = 5 * time.Second
	// longestPause bounds the pauses of the recording, which are pauses of people.
	longestPause = 2 * time.Second
)

func (f *liveFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.to, "to", "", "play the joiner's messages to the host that runs at this `ADDRESS` or ADDRESS:PORT instead")
	flags.DurationVar(&f.length, "for", defaultLiveLength, "with --to, end after this `TIME`, an hour at most")
	flags.IntVar(&f.messages, "messages", defaultLiveCount, "with --to, send `N` messages at most")
}

func (f *liveFlags) check() error {
	switch {
	case f.to == "":
		return nil
	case f.length <= 0 || f.length > maxLiveLength:
		return fmt.Errorf("--for %v: more than nothing, and %v at most", f.length, maxLiveLength)
	case f.messages < 1 || f.messages > maxLiveCount:
		return fmt.Errorf("--messages %d: from 1 to %d", f.messages, maxLiveCount)
	}
	at, err := netip.ParseAddrPort(f.to)
	if err != nil {
		ip, err := netip.ParseAddr(f.to)
		if err != nil {
			return fmt.Errorf("--to %s: must be an IPv4 address, such as 127.0.0.1 or 192.0.2.1:2300", f.to)
		}
		at = netip.AddrPortFrom(ip, defaultLivePort)
	}
	f.at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("--to: which addresses are broadcast addresses? %w", err)
	}
	if why := refuseTarget(f.at, interfaces); why != "" {
		return fmt.Errorf("--to %s: %s", f.to, why)
	}
	return nil
}

// refuseTarget says why nothing may be played to an address, "" if it may.
func refuseTarget(at netip.AddrPort, interfaces []net.Addr) string {
	ip := at.Addr()
	switch {
	case !ip.Is4():
		return "DirectPlay 4 knows IPv4 addresses only"
	case at.Port() == 0:
		return "port 0 is nobody's"
	case ip.IsUnspecified():
		return "name the host's address"
	case ip.IsMulticast():
		return "a multicast address is not one host"
	case ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}):
		return "a broadcast address is not one host"
	}
	for _, a := range interfaces {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.To4() == nil || len(n.Mask) != net.IPv4len {
			continue
		}
		last, mask := ip.As4(), n.Mask
		if ones, _ := mask.Size(); ones >= 31 || !n.Contains(last[:]) {
			continue
		}
		all := true
		for i := range last {
			all = all && last[i]|mask[i] == 0xFF
		}
		if all {
			return "it is the broadcast address of " + n.String()
		}
	}
	return ""
}

// A liveReplay is one run of "dplay replay --to".
type liveReplay struct {
	f       *replayFlags
	p       *replayPrinter
	l       *replay.Live
	s       *liveSockets
	held    []liveMessage // came before they were waited for
	octets  int           // of held
	equal   bool
	sent    int
	answers int
	left    int // of the recorded host's game, which this one did not send
}

// play plays the joiner's messages of a capture to a running host.
func (f *liveFlags) play(ctx context.Context, all *replayFlags, c *replay.Capture, p *replayPrinter) (equal bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, f.length)
	defer cancel()
	s, err := openLive(f.at)
	if err != nil {
		return false, err
	}
	defer s.close()
	l, err := c.Live(netip.AddrPort{}, s.streamPort(), s.datagramPort())
	if err != nil {
		return false, err
	}
	r := &liveReplay{f: all, p: p, l: l, s: s, equal: true}
	if err := r.run(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return false, err
	} else if err != nil {
		r.equal = false
		p.note(fmt.Sprintf("ended after %v, before the recording did: --for allows more", f.length))
	}
	r.summary()
	return r.equal, nil
}

// run does one act of the recording after the other.
func (r *liveReplay) run(ctx context.Context) error {
	speed := r.f.speed
	if speed == 0 {
		speed = 1
	}
	last := time.Duration(-1)
	for {
		a, more := r.l.Next()
		if !more {
			return nil
		}
		if !a.Send {
			if ok, err := r.await(ctx, &a); err != nil || !ok {
				return err
			}
			last = a.At
			continue
		}
		if r.sent >= r.f.live.messages {
			r.equal = false
			r.p.note(fmt.Sprintf("%d messages were sent: --messages allows more", r.sent))
			return nil
		}
		if last >= 0 {
			pause := min(time.Duration(float64(a.At-last)/speed), longestPause)
			if err := (&pacer{speed: 1}).wait(ctx, pause); err != nil {
				return err
			}
		}
		last = a.At
		if err := r.s.send(ctx, &a); err != nil {
			return err
		}
		r.sent++
		r.p.live("sent", &a, r.s.host(), nil)
	}
}

// await waits for a message that the recorded host sent, and compares. False ends the replay.
func (r *liveReplay) await(ctx context.Context, a *replay.Act) (bool, error) {
	if a.Optional {
		r.drain()
		r.optional(a)
		return true, nil
	}
	late := time.NewTimer(answerWait)
	defer late.Stop()
	for {
		if r.fitting(a) {
			return true, nil
		}
		select {
		case m := <-r.s.came:
			r.hold(m)
		case <-late.C:
			r.equal = false
			r.p.live("not answered", a, r.s.host(), []replay.Difference{a.Lacking(answerWait)})
			if a.Vital {
				r.p.note("nothing after this makes sense without it")
			}
			return !a.Vital, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// fitting takes a message that came before it was waited for, if there is one.
func (r *liveReplay) fitting(a *replay.Act) bool {
	for i, m := range r.held {
		if a.Fits(m.transport, m.data) {
			r.held = slices.Delete(r.held, i, i+1)
			r.octets -= len(m.data)
			r.took(a, m.data)
			return true
		}
	}
	return false
}

// optional takes a message that the host need not send, if it has.
func (r *liveReplay) optional(a *replay.Act) {
	if !r.fitting(a) {
		r.left++
	}
}

func (r *liveReplay) hold(m liveMessage) {
	if len(r.held) < maxHeldLive && r.octets+len(m.data) <= maxHeldLiveOctets {
		r.held = append(r.held, m)
		r.octets += len(m.data)
	}
}

// drain takes what has come.
func (r *liveReplay) drain() {
	for {
		select {
		case m := <-r.s.came:
			r.hold(m)
		default:
			return
		}
	}
}

// What the host may say before it is waited for is bounded.
const (
	maxHeldLive       = 1024
	maxHeldLiveOctets = 16 << 20
)

func (r *liveReplay) took(a *replay.Act, data []byte) {
	r.answers++
	diffs := r.l.Take(a, data)
	r.equal = r.equal && len(diffs) == 0
	r.p.live("got", a, r.s.host(), diffs)
}

// summary says what became of all.
func (r *liveReplay) summary() {
	r.drain()
	for _, m := range r.held {
		r.p.note("the host also sent " + replay.NameOf(m.transport, m.data, wire.Options{}))
	}
	m := r.l.Mapped()
	text := fmt.Sprintf("%s played to %s: %s sent, %s; %s, %s", r.l.Joiner(), r.s.host(), numbered(r.sent, "message"),
		numbered(r.answers, "answer"), numbered(m.IDs, "other id"), numbered(m.GUIDs, "other GUID"))
	if r.left > 0 {
		text += fmt.Sprintf("; %s that the recorded host sent of itself, and this one did not", numbered(r.left, "message"))
	}
	if n := r.l.Skipped(); n > 0 {
		text += fmt.Sprintf("; %s left out, with other machines or to what this host did not say", numbered(n, "message"))
	}
	r.p.note(text)
}

// live writes a message that was sent to, or came from, a running host.
func (p *replayPrinter) live(what string, a *replay.Act, host netip.AddrPort, diffs []replay.Difference) {
	defer p.out.flush() //nolint:errcheck // the output keeps it
	if p.ndjson {
		p.object(struct {
			replayStep
			What string `json:"what"`
		}{replayStep{"step", host.String(), a.N, a.Frame, inSeconds(a.At), a.Message, "", len(diffs) == 0}, what})
		for i := range diffs {
			p.object(replayDifference{Type: "difference", Role: string(replay.Host), From: host.String(), Time: inSeconds(a.At), Difference: diffs[i]})
		}
		return
	}
	transport := "TCP"
	if a.Transport == captures.UDP {
		transport = "UDP"
	}
	fmt.Fprintf(p.out, "%6d %12.6f  %-12s %s  %s\n", a.N, a.At.Seconds(), what, transport, a.Message)
	for i := range diffs {
		if d := &diffs[i]; d.Kind == replay.Field {
			fmt.Fprintf(p.out, "         %s: recorded %s, the host has %s\n", d.Field, d.Recorded, d.Ours)
		} else {
			fmt.Fprintf(p.out, "         %s\n", d.Note)
		}
	}
}

// note writes something that is about no message.
func (p *replayPrinter) note(text string) {
	if p.ndjson {
		p.object(struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}{"note", text})
		return
	}
	fmt.Fprintln(p.out, text)
}
