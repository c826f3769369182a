package sim

import (
	"reflect"
	"slices"
	"time"
)

// A Row sums up runs, such as those with the same rule and the same loss rate.
type Row struct {
	Rule     Rule // "" for any
	Loss     float64
	Runs     int
	Violated int // runs with violations
	Split    int // runs in which a session had several hosts at some time
	SplitEnd int // runs in which one still has in the end
	Thrown   int // runs in which a member was thrown out
	Stats    Stats
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
	if s.ThrownOut > 0 {
		r.Thrown++
	}
	r.Stats.Add(s)
}

// Add adds the numbers of another run.
func (s *Stats) Add(o *Stats) {
	sum, from := reflect.ValueOf(s).Elem(), reflect.ValueOf(o).Elem()
	for i := range sum.NumField() {
		switch to, x := sum.Field(i), from.Field(i); to.Kind() {
		case reflect.Slice:
			to.Set(reflect.AppendSlice(to, x))
		case reflect.Map:
			if to.IsNil() {
				to.Set(reflect.MakeMap(to.Type()))
			}
			for _, key := range x.MapKeys() {
				n := x.MapIndex(key).Int()
				if old := to.MapIndex(key); old.IsValid() {
					n += old.Int()
				}
				to.SetMapIndex(key, reflect.ValueOf(int(n)))
			}
		default:
			to.SetInt(to.Int() + x.Int())
		}
	}
}

// Times are durations of one kind.
type Times []time.Duration

// Quantile returns the time that a part q of all did not exceed; 0 if there was none. 1 is the worst.
func (t Times) Quantile(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	slices.Sort(t)
	i := int(q * float64(len(t)))
	return t[min(max(i, 0), len(t)-1)]
}

// Total returns all of them together.
func (t Times) Total() (sum time.Duration) {
	for _, d := range t {
		sum += d
	}
	return sum
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
