package sim

import (
	"time"

	"dplay4/dpsp"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// This file is where the simulator meets host migration: all that depends on it is here.

// configure tells an engine by which rule it elects. An engine that does without the extension has the rule of
// DirectPlay 4.
func configure(cfg *dpsp.Config, rule Rule, legacy bool) {
	cfg.Legacy = legacy || rule == DPlay4
}

// extended reports whether the engine of a machine uses the extension: views, and objects.
func (w *World) extended(l *lane) bool {
	return !l.legacy && !l.older && w.opt.Rule != DPlay4 &&
		w.opt.Flags&(wire.SessionClientServer|wire.SessionMulticastServer|wire.SessionSecureServer) == 0
}

// expectations says what a session with these options promises.
func expectations(o *Options) Checks {
	migrating := o.Flags&wire.SessionMigrateHost != 0
	// Parts come together, and have equal lists, where the session may have another host. A legacy member, which one of an older
	// release is to those of this one, has no view.
	modern := migrating && o.Rule == Modern && o.Legacy == 0 && !o.has(Outdated)
	// The rule of DirectPlay 4 holds if all learn alike who is gone: a crash closes all connections, a leave is said
	// to all. Whoever is only silent, or cut off, is gone for some and not for others; so is a newcomer whom the host had
	// no time to tell all of. A program that takes the place of another one before its end was noticed is taken for that one.
	only := !o.has(Lose|Stall|Break|Partition|OneWay|Power|Sleep|Freeze|Breaks|Pairs|NoUDP|NoTCP|ThreeWay|Timeout|Strike|
		CrashLoop|Sharing) && !o.late()
	alike := only && !o.has(Lobby)
	pings := o.Flags&wire.SessionKeepAlive != 0 && (modern || !migrating)
	framed := o.Flags&wire.SessionDirectPlayProtocol != 0
	return Checks{
		Migration: migrating && (modern || alike),
		// A program that crashed and began anew at once has the address of the host that it was. Who did not see its
		// connection break goes on with it for a while.
		Whole:   modern && only && pings && !o.has(Crash),
		OneHost: modern || alike || !migrating,
		// A machine that loses its connection to another one takes it for gone, and tells nobody; what it hears in
		// another order than others ends otherwise. Only resynchronisation mends that.
		Tables: modern || alike && !o.has(Crash|Churn),
		// Nobody tells a member that the host took for gone, unless it pings. By the rule of DirectPlay 4 it may wait for
		// ever for a candidate that answers pings, and has another host.
		Known: modern || alike || pings,
		IDs:   modern || alike,
		Final: !(migrating && o.Rule == Modern),
		// Objects come right where everybody hears in the end who is there and who is host, as long as no message is
		// older than a tombstone lives: a program that stands still reads its messages later.
		Objects: (modern || alike) && (!o.has(Sleep|Freeze|Timeout) || o.longest()+o.Retransmit < object.DefaultTombstone),
		Once:    true, Order: true,
		// In frames today's engine loses one in some hundred thousand: where one side alone has lost the other (seeds 823 and 1293), and
		// where a legacy machine passes over a frame that may have been no reliable message (facts, reliable 8, D3).
		Delivered: !framed,
		// Where the halves of a session come together, a membership may be lost, and a shortcut into a group that was away is.
		Entered: alike,
		// Without pings a machine does not notice that the other end of a link has lost it.
		Life: (modern || alike) && (!framed || pings),
		// Without pings a machine that fell silent is noticed only by who speaks to it.
		Living: alike || pings,
	}
}

// held is how long a datagram that others overtake is held up at most.
func (o *Options) held() time.Duration { return 10 * (o.Delay + o.Jitter) }

// late reports whether the answer to a ping may come after who is asked was taken for gone.
func (o *Options) late() bool {
	if o.Flags&(wire.SessionKeepAlive|wire.SessionMigrateHost) == 0 {
		return false // nobody pings
	}
	trip, patience := o.Delay+longTail*o.Jitter, float64(o.Period)*float64(o.Probes)
	if o.has(Overtake) {
		trip += o.held()
	}
	if o.has(Clocks) {
		patience *= 1 - 2*o.Skew
	}
	return 2*trip >= time.Duration(patience)
}

// convergence bounds how long everything takes to come right after the last fault.
func convergence(o *Options) time.Duration {
	notice := time.Duration(float64(o.Period)*float64(o.Probes+2)*(1+2*o.Skew)) + 10*time.Second
	elections := 1
	if o.Flags&wire.SessionMigrateHost != 0 {
		elections = 3 // the one that was under way, its candidate gone, and the next one; silence is noticed of all at a time
	}
	// Twice the time in which a connection breaks: the view change, and what follows.
	return time.Duration(elections)*notice + 2*o.Retransmit + 3*time.Minute
}

// An election is what an event says about one; none for other events.
type election struct{ kind, text string }

// electionOf reads the events of host migration.
func (w *World) electionOf(p *process, ev dpsp.Event) (election, bool) {
	name := func(id wire.PlayerID) string { return w.nameOf(p.told.instance, id) }
	switch ev := ev.(type) {
	case dpsp.HostLost:
		return election{"host-lost", "the host, " + name(ev.Host) + ", is gone: " + ev.Reason}, true
	case dpsp.MigrationStarted:
		return election{"election", name(ev.Candidate) + " is to be host"}, true
	case dpsp.SessionSplit:
		return election{"split", "the session has another host than " + name(ev.Host) + ": " + name(ev.Other)}, true
	case dpsp.SessionHealed:
		return election{"healed", "the session is one again, under " + name(ev.Host)}, true
	}
	return election{}, false
}
