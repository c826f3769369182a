package main

import (
	"bytes"
	"encoding/binary"
	"time"

	"dplay4/dpsp"
)

// echoPrefix begins what the host's program sends back.
var echoPrefix = []byte("echo")

func isEcho(payload []byte) bool { return bytes.HasPrefix(payload, echoPrefix) }

const (
	echoOctets = 64
	// echoEvery is how often the control asks for an echo, by TCP and UDP in turn.
	echoEvery = 2 * time.Millisecond
	// echoLate is when an echo counts as lost.
	echoLate = time.Second
)

// control is a well-behaved member: it joins, and measures how long echoes take.
func (r *role) control() error {
	s, me, err := r.enter(r.options(2), "Control", nil)
	if err != nil {
		return err
	}
	defer s.Close()
	r.out.Encode(me)
	<-r.begin
	m := meter{sent: map[uint64]time.Time{}}
	w := watcher{}
	tick := time.NewTicker(echoEvery)
	defer tick.Stop()
	ask := func() {
		m.next++
		b := append(bytes.Clone(echoPrefix), make([]byte, echoOctets-len(echoPrefix))...)
		binary.LittleEndian.PutUint64(b[len(echoPrefix):], m.next)
		m.sent[m.next] = time.Now()
		if err := s.Send(r.ctx, me.Player, r.Host.Player, b, guaranteed(m.next) == 1); err != nil && len(w.wrong) == 0 {
			w.wrong = append(w.wrong, "the control cannot send: "+err.Error())
		}
	}
	ask()
	events, end := s.Events(), r.end
	var late <-chan time.Time // echoes that have not come then are lost
	for waits := 0; end != nil || len(m.sent) > 0 && (waits == 0 || waits == 1 && len(m.took) == 0); {
		select {
		case <-end:
			end, late = nil, time.After(echoLate)
			tick.Stop()
		case <-late: // if not one came the machine may have stood still: then the first echo to come is enough
			waits++
			late = time.After(joinTime)
		case <-tick.C:
			ask()
		case e, ok := <-events:
			if !ok {
				events = nil
				w.wrong = append(w.wrong, "the control's session was closed")
			}
			if x, ok := e.(dpsp.Message); ok && isEcho(x.Payload) && len(x.Payload) == echoOctets {
				m.came(binary.LittleEndian.Uint64(x.Payload[len(echoPrefix):]))
			}
			w.see(e)
		}
	}
	return r.tell(&m, &w)
}

// A meter measures echoes. Those with even numbers are asked for with guarantee.
type meter struct {
	next uint64
	sent map[uint64]time.Time // that did not come
	took []time.Duration
	lost [2]int
}

func (m *meter) came(n uint64) {
	if at, ok := m.sent[n]; ok {
		m.took = append(m.took, time.Since(at))
		delete(m.sent, n)
	}
}

// guaranteed returns the index in an account of the echo with a number.
func guaranteed(n uint64) int { return int(1 - n%2) }

// finish counts the echoes that did not come. A datagram is lost; a message with guarantee is late, at least.
func (m *meter) finish() {
	for n, at := range m.sent {
		m.lost[guaranteed(n)]++
		if guaranteed(n) == 1 {
			m.took = append(m.took, max(time.Since(at), echoLate))
		}
	}
}

// tell reports what the control saw. The process stays until its starter ends it.
func (r *role) tell(m *meter, w *watcher) error {
	m.finish()
	asked := [2]int{int(m.next+1) / 2, int(m.next) / 2}
	r.out.Encode(account{Echoes: m.took, Asked: asked, Lost: m.lost, Wrong: w.wrong})
	<-r.ctx.Done()
	return nil
}
