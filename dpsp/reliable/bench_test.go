package reliable

import (
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// The network of the benchmark: 20 ms each way, as much lost in both directions.
const (
	benchDelay  = 20 * time.Millisecond
	benchLength = 60 * time.Second
	benchEvery  = 20 * time.Millisecond // between messages whose time is taken
	benchSize   = 1394
)

// paced returns how long messages take until they are delivered, in order, that are sent one every 20 ms.
func paced(t testing.TB, ours bool, loss float64) []time.Duration {
	w := newWorld(t, 1, Config{}, Config{})
	w.strip = true
	if ours {
		w.ours()
	}
	w.ends[0].loss, w.ends[1].loss = loss, loss
	n := 0
	for at := time.Duration(0); at < benchLength; at += benchEvery {
		w.run(at, nil)
		w.send(0, Message{Data: numbered(n, 100), Reliable: true})
		n++
	}
	w.run(benchLength+time.Minute, nil)
	var took []time.Duration
	for _, m := range w.ends[1].got {
		took = append(took, m.at-time.Duration(binary.LittleEndian.Uint32(m.Data))*benchEvery)
	}
	return took
}

// part returns the value below which a part of all lies.
func part(of []time.Duration, p float64) time.Duration {
	slices.Sort(of)
	return of[int(p*float64(len(of)-1))]
}

// idleFrames returns the frames on a link in an hour after its last message.
func idleFrames(t testing.TB) int {
	w := newWorld(t, 1, Config{}, Config{}).ours()
	w.send(0, Message{Data: numbered(1, 100), Reliable: true})
	w.run(time.Minute, nil)
	before := w.ends[0].frames + w.ends[1].frames
	w.run(time.Hour, nil)
	return w.ends[0].frames + w.ends[1].frames - before
}

// BenchmarkReliable prints goodput and delivery times in the seeded network beside a model of TCP there.
func BenchmarkReliable(b *testing.B) {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	row := func(loss, what, value, ask any) { fmt.Fprintf(out, "%v\t%v\t%v\t%v\n", loss, what, value, ask) }
	row("loss", "what", "here", "asked")
	for _, x := range []struct {
		loss                   float64
		kB, sent, times, trips float64
		alone                  float64
	}{
		{0, 656, 1.01, 0, 0.525, 488}, {0.01, 560, 1.05, 1.3, 3, 488}, {0.05, 408, 1.15, 2, 4, 340}, {0.2, 248, 1.6, 3, 6, 216},
	} {
		loss := fmt.Sprintf("%v %%", x.loss*100)
		kB, sent := goodput(b, 1, true, x.loss, benchLength)
		other, _ := goodput(b, 1, false, x.loss, benchLength)
		tcp := newReno(1, x.loss, benchDelay, func(int) time.Duration { return 0 })
		if x.loss > 0 {
			tcp.run(benchLength)
		}
		reno := float64(len(tcp.times)) * benchSize / 1000 / benchLength.Seconds()
		row(loss, "goodput between our own, kB/s", fmt.Sprintf("%.0f", kB), fmt.Sprintf(">= %.0f", x.kB))
		if x.loss > 0 {
			row(loss, "goodput of TCP, kB/s", fmt.Sprintf("%.0f", reno), "")
			row(loss, "goodput to that of TCP", fmt.Sprintf("%.1f", kB/reno), fmt.Sprintf(">= %.1f", x.times))
		}
		row(loss, "goodput without NACKs, kB/s", fmt.Sprintf("%.0f", other), fmt.Sprintf(">= %.0f", x.alone))
		row(loss, "frames sent for each needed", fmt.Sprintf("%.2f", sent), fmt.Sprintf("<= %.2f", x.sent))
		took := paced(b, true, x.loss)
		row(loss, "delivery, median", part(took, 0.5).Round(time.Microsecond), "")
		row(loss, "delivery, 99 %", part(took, 0.99).Round(time.Microsecond),
			fmt.Sprintf("<= %v", time.Duration(x.trips*2*float64(benchDelay))))
		pacing := newReno(1, x.loss, benchDelay, func(n int) time.Duration { return time.Duration(n) * benchEvery })
		pacing.run(benchLength)
		var slow []time.Duration
		for i, at := range pacing.times {
			slow = append(slow, at-time.Duration(i)*benchEvery)
		}
		row(loss, "delivery of TCP, median", part(slow, 0.5).Round(time.Microsecond), "")
		row(loss, "delivery of TCP, 99 %", part(slow, 0.99).Round(time.Microsecond), "")
	}
	least, most := speeds(b, 20, benchLength/12, func(*end) {})
	row("20 %", "goodput at 1 ms and back, kB/s, of 20 runs", fmt.Sprintf("%.0f to %.0f", least, most), "a factor <= 2")
	row("", "frames on an idle link in an hour", idleFrames(b), "0")
	if err := out.Flush(); err != nil {
		b.Error(err)
	}
}
