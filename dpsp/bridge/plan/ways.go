package plan

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
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

// UnmarshalJSON refuses what no program of ours sends.
func (w *Way) UnmarshalJSON(data []byte) error {
	type plain Way
	err := json.Unmarshal(data, (*plain)(w))
	return errors.Join(err, within("round trip", w.RTT, 0, maxRTT), within("loss", w.Loss, 0, 1))
}

// AskWays asks each member that has not been asked yet, or has answered.
func (in AskWays) input(p *Plan) {
	for _, q := range p.members() {
		if !q.asksWays {
			q.asksWays = true
			p.send(q, message{AskWays: true})
		}
	}
}

// wantWays has the caller answer the members that ask, each of them once a second at most.
func (p *Plan) wantWays() {
	for _, q := range p.members() {
		if q.wantsWays && p.due(q.waysAt) {
			q.wantsWays, q.waysAt = false, p.now.Add(waysPace)
			p.do(WaysWanted{ID: q.id})
		}
	}
}

func (in TellWays) input(p *Plan) {
	ways := append([]Way{}, in.Ways[:min(len(in.Ways), maxPeers)]...) // none is an answer as well
	for i := range ways {
		w := &ways[i]
		w.RTT, w.Loss = min(max(w.RTT, 0), maxRTT), min(max(w.Loss, 0), 1)
		if math.IsNaN(w.Loss) {
			w.Loss = 1
		}
	}
	if q := p.peer(in.ID, 0); slices.Contains(p.members(), q) {
		p.send(q, message{Ways: ways})
	}
}
