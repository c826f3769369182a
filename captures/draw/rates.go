package draw

import "time"

// rates count messages and octets by sender in buckets of time, at most maxBuckets: when the capture turns out to be
// longer, two become one.
type rates struct {
	step time.Duration
	used int                 // buckets up to the last one that counts something
	by   map[int]*bucketList // by endpoint, later by lane
}

type bucketList struct {
	messages, octets [maxBuckets]int64
}

func newRates() *rates { return &rates{step: firstBucket, by: map[int]*bucketList{}} }

// add counts a message. One from before the start, by a clock that was set back, counts in the first bucket.
func (r *rates) add(at time.Duration, endpoint, octets int) {
	at = max(at, 0)
	for at/r.step >= maxBuckets {
		r.widen()
	}
	i := int(at / r.step)
	r.used = max(r.used, i+1)
	l := r.by[endpoint]
	if l == nil {
		l = new(bucketList)
		r.by[endpoint] = l
	}
	l.messages[i]++
	l.octets[i] += int64(octets)
}

// widen makes the buckets twice as long.
func (r *rates) widen() {
	r.step *= 2
	r.used = (r.used + 1) / 2
	for _, l := range r.by {
		var wide bucketList
		for i := range maxBuckets {
			wide.messages[i/2] += l.messages[i]
			wide.octets[i/2] += l.octets[i]
		}
		*l = wide
	}
}

// rateData is what a page plots: values a second at the middle of each bucket.
type rateData struct {
	Step     float64     `json:"step"` // seconds
	X        []float64   `json:"x"`
	Lanes    []int       `json:"lanes"` // of each line
	Messages [][]float64 `json:"messages"`
	Octets   [][]float64 `json:"octets"`
}

// data returns the rates by lane.
func (r *rates) data(lanes []int, n int) rateData {
	d := rateData{Step: r.step.Seconds(), X: []float64{}, Lanes: []int{}, Messages: [][]float64{}, Octets: [][]float64{}}
	for i := range r.used {
		d.X = append(d.X, (float64(i)+.5)*d.Step)
	}
	sums := make([]bucketList, n)
	for endpoint, l := range r.by { // sums do not depend on the order
		s := &sums[lanes[endpoint]]
		for i := range r.used {
			s.messages[i] += l.messages[i]
			s.octets[i] += l.octets[i]
		}
	}
	for lane, s := range sums {
		if s == (bucketList{}) {
			continue
		}
		m, o := make([]float64, r.used), make([]float64, r.used)
		for i := range r.used {
			m[i], o[i] = float64(s.messages[i])/d.Step, float64(s.octets[i])/d.Step
		}
		d.Lanes, d.Messages, d.Octets = append(d.Lanes, lane), append(d.Messages, m), append(d.Octets, o)
	}
	return d
}
