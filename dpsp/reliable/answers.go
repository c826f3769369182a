package reliable

import (
	"slices"
	"time"

	"dplay4/wire/reliable"
)

// gap notes whether frames are missing, and when that is to be said.
func (r *receiver) gap(now time.Duration) {
	switch {
	case !r.lacks():
		r.nack, r.after = answering{}, 0
	case !r.nack.due:
		r.nack, r.after = answering{due: true, at: now + nackDelay}, 0
	default:
		if r.after++; r.after == nackAfter && r.nack.wait == 0 {
			r.nack.at = min(r.nack.at, now)
		}
	}
}

// lacks reports whether a frame is missing before one that came.
func (r *receiver) lacks() bool {
	id := r.passed + 1
	if len(r.ahead) == 0 {
		return false
	}
	p, ok := r.rly.Unfinished(id)
	return !ok || !p.Begun || len(p.Ahead) > 0 || len(r.ahead) > 1
}

func (r *receiver) answerNow() { r.ack.due, r.ack.at = true, 0 }

// answer sends the ACK and NACK that are due.
func (r *receiver) answer(now time.Duration) {
	lacks := r.lacks()
	asked := r.ack.due && r.ack.at <= now
	switch {
	case r.nack.due && r.nack.at <= now, asked && lacks && r.nack.due && (r.nack.wait == 0 || r.l.ours):
		if (r.l.ours || !r.l.cfg.NoNACK) && (r.nack.count < mostNACKs || asked && r.l.ours) {
			r.nack.count++
			r.sendNACK(now)
			asked = asked && !r.l.ours // it says the same
			r.ack.due, r.last = r.ack.due && !r.l.ours, 0
		}
		wait := max(r.l.path.mean*5/4, 2*leastTimeout)
		if !r.l.path.measured {
			wait = foreignDelay
		}
		r.nack.wait = min(max(wait, r.nack.wait*3/2), time.Second)
		r.nack.at = now + r.nack.wait
	}
	if asked {
		r.ack.due, r.last = false, 0
		r.sendACK(now)
	}
	if r.tell {
		r.tell = false
		r.sendPlainACK(now)
	}
}

// sendACK names the last frame before which none is missing (2.2.4).
func (r *receiver) sendACK(now time.Duration) {
	at := r.named
	id := r.passed + 1
	if p, ok := r.rly.Unfinished(id); ok && p.Begun {
		at = place{id, p.Next - 1, 0}
		if a := r.ahead[id]; a != nil {
			at.serial = a.frames.of(p.Next - 1)
		}
	} else if !r.any {
		return
	}
	r.putACK(now, at, reliable.RLY)
}

// sendPlainACK answers an unreliable frame that asked for it, unless that would acknowledge reliable ones that are missing.
func (r *receiver) sendPlainACK(now time.Duration) {
	if r.l.ours || !r.lacks() {
		r.putACK(now, r.fleet, 0)
	}
}

func (r *receiver) putACK(now time.Duration, at place, rly reliable.Flags) {
	r.l.stats.ACKs++
	r.l.put(&reliable.Frame{
		Flags: reliable.ACK | rly, MessageID: at.id, Sequence: at.sequence, Serial: at.serial,
		BytesReceived: r.bytes, Tick: r.l.tick(now),
	})
}

// sendNACK says what is missing: of the message that is due, or between our own of all that came after it.
func (r *receiver) sendNACK(now time.Duration) {
	id := r.passed + 1
	from := uint8(reliable.FirstSequence)
	if r.l.learned[Running] {
		from = r.end
	}
	var came []uint8
	p, ok := r.rly.Unfinished(id)
	switch {
	case r.l.ours && r.l.learned[Running]:
		if ok && p.Begun {
			from = p.Next
		}
		for i, a := range r.ahead {
			for s := range 256 {
				if s := uint8(s); a.frames.came.has(s) && (i != id || !ok || slices.Contains(p.Ahead, s)) {
					came = append(came, s)
				}
			}
		}
	case ok && p.Begun:
		from, came = p.Next, p.Ahead
	case ok:
		came = p.Ahead
	}
	missing, reach := []uint8{from}, 0
	for _, s := range came {
		if d := int(s - from); d > reach && d <= 8*reliable.MaxMask {
			reach = d
		}
	}
	// A zero in the mask says that a frame has come, so whole octets of it are spoken for.
	for i := 1; i <= (reach+7)/8*8; i++ {
		if s := from + uint8(i); !slices.Contains(came, s) {
			missing = append(missing, s)
		}
	}
	f := reliable.Frame{
		Flags: reliable.RLY, MessageID: id, BytesReceived: r.bytes, Tick: r.l.tick(now),
	}
	f.SetLost(missing)
	if want := (reach + 7) / 8; f.Extended.MaskSize() < want {
		f.Extended = f.Extended.WithMaskSize(want)
	}
	r.l.stats.NACKs++
	r.l.put(&f)
}

// wake returns when something is to be done.
func (r *receiver) wake(now time.Duration) time.Duration {
	at := Never
	if r.l.lost {
		return at
	}
	if r.ack.due {
		at = min(at, r.ack.at)
	}
	if r.plain.Held() > 0 {
		at = min(at, r.stale)
	}
	if r.nack.due {
		at = min(at, r.nack.at)
	}
	return max(at, now)
}
