package bridging

import (
	"time"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
)

// A PairObject is how octets go between two machines, in JSON. What is not known is left out.
type PairObject struct {
	A         *MachineObject `json:"a"`
	B         *MachineObject `json:"b"`
	Way       string         `json:"way"` // direct, relayed, none or unknown
	RoundTrip *float64       `json:"round_trip,omitempty"`
	Loss      *float64       `json:"loss,omitempty"`
}

// PairsOf returns the objects of the pairs that this machine is none of.
func PairsOf(pairs []bridge.PairWay) (list []*PairObject) {
	for _, p := range pairs {
		if p.A.Self || p.B.Self {
			continue
		}
		o := &PairObject{A: namedObject(&p.A), B: namedObject(&p.B), Way: "unknown"}
		if p.Known {
			o.Way = wayWord(&bridge.Member{Linked: p.Linked, Way: p.Way})
		}
		if p.Known && p.Linked {
			o.RoundTrip, o.Loss = new(p.Way.RTT.Seconds()), new(p.Way.Loss)
		}
		list = append(list, o)
	}
	return list
}

// PairLines returns a line for each pair, with the columns below each other.
func PairLines(list []*PairObject) []string {
	var rows [][]string
	for _, p := range list {
		row := []string{p.A.Called() + " - " + p.B.Called() + ":", p.Way}
		if p.RoundTrip != nil {
			m := &bridge.Member{Linked: true, Way: link.Way{RTT: time.Duration(*p.RoundTrip * float64(time.Second)), Loss: *p.Loss}}
			row = append(row, tripText(m), lossText(m)+" lost")
		}
		rows = append(rows, row)
	}
	return aligned(rows)
}
