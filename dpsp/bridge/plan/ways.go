package plan

import (
	"fmt"
	"time"
)

// A Way is how octets go from who says it to another machine, and no address.
type Way struct {
	ID     ID            `json:"id"`
	Up     bool          `json:"up,omitempty"` // there is one
	Direct bool          `json:"direct,omitempty"`
	RTT    time.Duration `json:"rtt,omitempty"`
	Loss   float64       `json:"loss,omitempty"` // 0 to 1
}

// The bounds of what a member says of its ways.
const (
	waysPace = time.Second // between two answers to one machine
	maxRTT   = time.Minute
)

// checkWays refuses what no program of ours says.
func checkWays(ways []Way) error {
	if len(ways) > maxPeers {
		return fmt.Errorf("%d ways", len(ways))
	}
	for _, w := range ways {
		if w.RTT < 0 || w.RTT > maxRTT || !(w.Loss >= 0 && w.Loss <= 1) {
			return fmt.Errorf("a round trip of %v, %v lost", w.RTT, w.Loss)
		}
	}
	return nil
}

// askWays asks each member that has not been asked yet, or has answered.
func (p *Plan) askWays() {
	for _, q := range p.known() {
		if q.link != 0 && p.in[q.id] && !q.asksWays {
			q.asksWays = true
			p.send(q, message{AskWays: true})
		}
	}
}

// wantWays has the caller answer the members that ask, each of them once a second at most.
func (p *Plan) wantWays() {
	for _, q := range p.known() {
		if q.wantsWays && q.link != 0 && p.in[q.id] && p.due(q.waysAt.Add(waysPace)) {
			q.wantsWays, q.waysAt = false, p.now
			p.do(WaysWanted{ID: q.id})
		}
	}
}

// tellWays answers a member.
func (p *Plan) tellWays(in TellWays) {
	q := p.peers[in.ID]
	if q == nil || q.link == 0 || !p.in[q.id] {
		return
	}
	ways := make([]Way, min(len(in.Ways), maxPeers))
	for i := range ways {
		w := in.Ways[i]
		w.RTT = min(max(w.RTT, 0), maxRTT)
		if !(w.Loss >= 0 && w.Loss <= 1) {
			w.Loss = 1
		}
		ways[i] = w
	}
	p.send(q, message{Ways: &ways})
}

// hearWays takes a member's question, or its answer to ours.
func (p *Plan) hearWays(q *peer, m message) {
	if q.link == 0 {
		return // what it said of itself was the end of it
	}
	if m.AskWays {
		q.wantsWays = true
	}
	if m.Ways != nil && q.asksWays && p.in[q.id] {
		q.asksWays = false
		p.do(WaysTold{ID: q.id, Ways: *m.Ways})
	}
}
