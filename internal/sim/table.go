package sim

import (
	"slices"
	"time"
)

// A Row sums up runs with the same rule and the same loss rate.
type Row struct {
	Rule       Rule
	Loss       float64
	Runs       int
	Violated   int // runs with violations
	Split      int // runs in which a session had several hosts at some time
	SplitEnd   int // runs in which one still has in the end
	HostsLost  int // hosts that were gone
	Lost       int // times that a member lost its session
	Breaks     int // see Stats
	ThrownOut  int
	NewHost    []time.Duration // see Stats
	Operations int             // what members should know of each other in the end
	LostOps    int             // what of that they do not
}

// Add counts a run in.
func (r *Row) Add(res *Result) {
	s := &res.Stats
	r.Runs++
	if len(res.Violations) > 0 {
		r.Violated++
	}
	if s.Splits > 0 {
		r.Split++
	}
	if s.SplitAtEnd > 0 {
		r.SplitEnd++
	}
	r.HostsLost += s.HostsLost
	r.Lost += s.SessionsLost
	r.Breaks += s.Breaks
	r.ThrownOut += s.ThrownOut
	r.NewHost = append(r.NewHost, s.NewHost...)
	r.Operations += s.Known
	r.LostOps += s.LostOperations
}

// Quantile returns the time to a new host that a part q of all members did not exceed; 0 if there was none. 1 is the
// worst.
func (r *Row) Quantile(q float64) time.Duration {
	if len(r.NewHost) == 0 {
		return 0
	}
	slices.Sort(r.NewHost)
	i := int(q * float64(len(r.NewHost)))
	return r.NewHost[min(max(i, 0), len(r.NewHost)-1)]
}

// LossRates are those of the table, in order.
func LossRates() []float64 { return []float64{0, 0.01, 0.05, 0.2} }

// Under returns options with another rule and loss rate. Everything else that was drawn stays as it is.
func (o Options) Under(rule Rule, loss float64) Options {
	o.Rule, o.Loss = rule, loss
	o.Faults |= Lose
	if loss == 0 {
		o.Faults &^= Lose
	}
	o.Complete()
	return o
}
