package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"dplay4/dpsp/sock"
)

// A result is one row of the table.
type result struct {
	Attack      string  `json:"attack"`
	Goal        string  `json:"goal"`
	P50         float64 `json:"p50_ms"` // of the echoes that came, and of those with guarantee that did not
	P99         float64 `json:"p99_ms"`
	Times       float64 `json:"times_idle"`     // the median, divided by that without an attack in the same run
	TimesP99    float64 `json:"p99_times_idle"` // likewise
	Echoes      int     `json:"echoes"`         // that were asked for
	Lost        int     `json:"lost"`           // of those
	Loss        float64 `json:"lost_percent"`   // of the datagrams or of the messages with guarantee, whichever is more
	RSS         int     `json:"rss_mb"`
	Descriptors int     `json:"descriptors"`
	Joins       int     `json:"joins"`
	Joined      int     `json:"joined"`
	Wait        float64 `json:"wait_s"` // the longest way in
	Third       int     `json:"third"`  // connections that a machine that is in no session got from one other
	Attempts    int     `json:"attempts"`
	Tries       int     `json:"tries"`
	Held        bool    `json:"held"`
	Why         string  `json:"why,omitempty"` // it did not hold
	slow        bool    // why is a time or loss, which other programs of the machine can cause
}

// run does all attacks, each on a session of its own, and prints the table.
func run(ctx context.Context, c config, out io.Writer) error {
	if err := loopbackUp(); err != nil {
		return err
	}
	p := printer{out: out, format: c.format}
	p.head(c)
	idle := map[setting]result{}
	held := true
	for _, a := range c.attacks {
		r, err := attempt(ctx, a, c, idle)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		held = held && r.Held
		p.row(r)
	}
	if !held {
		return errNotHeld
	}
	return nil
}

// attempt does an attack, and again where a busy machine may be why it did not hold. idle has the runs without an attack so far.
func attempt(ctx context.Context, a attack, c config, idle map[setting]result) (r result, err error) {
	for n := 1; ; n++ {
		still, ok := idle[a.in]
		if !ok {
			if still, err = one(ctx, a.in.comparison(), c); err != nil {
				return r, err
			}
			idle[a.in] = still
		}
		r = still
		if a.name != still.Attack {
			if r, err = one(ctx, a, c); err != nil {
				return r, err
			}
		}
		r.judge(a, still, c.quiet)
		r.Tries = n
		if r.Held || !r.slow || c.quiet || n == tries {
			return r, nil
		}
		delete(idle, a.in)
	}
}

// judge reports whether an attack held: by the limits of a quiet machine, or by those of a busy one.
func (r *result) judge(a attack, idle result, quiet bool) {
	times := func(now, idle float64) float64 {
		if idle == 0 {
			return 0
		}
		return now / idle
	}
	r.Times, r.TimesP99 = times(r.P50, idle.P50), times(r.P99, idle.P99)
	g, busy := a.goal(), 1.0
	if !quiet {
		busy = timesBusy
	}
	p50 := busy * max(g.p50*idle.P50, leastP50)
	p99 := busy * max(g.p99*idle.P99, leastP99)
	loss := g.loss + idle.Loss
	wait := busy * mostWait
	r.Goal = fmt.Sprintf("echo below %.1f ms (p50) and %.0f ms (p99), below %.1f %% lost, all joins within %.0f s, nothing changed, "+
		"%d MB, %d descriptors", p50, p99, loss, wait, mostRSS, a.most)
	why := slices.DeleteFunc([]string{r.Why}, func(s string) bool { return s == "" })
	fails := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	fails(r.Echoes == r.Lost, "no echo")
	fails(r.Joined < r.Joins, "%d of %d joins fail", r.Joins-r.Joined, r.Joins)
	fails(r.RSS >= mostRSS, "%d MB", r.RSS)
	fails(r.Descriptors > a.most, "%d descriptors", r.Descriptors)
	fails(r.Third > mostThird, "%d connections of one machine to a third one", r.Third)
	firm := len(why)
	fails(r.P50 >= p50, "p50 %.1f ms, %.0f times", r.P50, r.Times)
	fails(r.P99 >= p99, "p99 %.1f ms, %.0f times", r.P99, r.TimesP99)
	fails(r.Loss >= loss, "%.1f %% lost", r.Loss)
	fails(r.Wait >= wait, "a join takes %.1f s", r.Wait)
	r.slow = firm == 0 && len(why) > 0
	r.Why, r.Held = strings.Join(why, "; "), len(why) == 0
}

// mostTime is how long the processes of an attack may take besides the attack, on a machine that is busy with other things.
const mostTime = 10 * time.Minute

// one attacks one session.
func one(ctx context.Context, a attack, c config) (r result, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.time+mostTime)
	defer cancel()
	st := stage{First: c.first, Attack: a.name, Time: c.time}
	processes := map[string]*process{}
	for _, p := range []struct {
		name  string
		ready any
	}{{"host", &st.Host}, {"control", &st.Control}, {"crowd", &struct{}{}}, {"strike", &struct{}{}}} {
		if p.name == "crowd" && a.in.crowd == 0 {
			continue
		}
		started, err := start(ctx, p.name, st, p.ready)
		if err != nil {
			return r, err
		}
		defer started.kill()
		processes[p.name] = started
	}
	processes["strike"].begin()
	processes["control"].begin()
	r = watch(ctx, st, processes["host"], c.time)
	r.Attack = a.name
	var went [3]account
	for i, p := range []struct{ name, words string }{{"control", "the control"}, {"strike", "the attacker"}, {"host", "the host"}} {
		if went[i], err = processes[p.name].finish(); err != nil {
			return r, fmt.Errorf("%s: %w", p.words, err)
		}
	}
	r.take(went[0], went[1], went[2])
	return r, nil
}

// take puts together what the processes say.
func (r *result) take(control, strikes, host account) {
	r.Attempts, r.Third = strikes.Attempts, strikes.Third
	for i, n := range control.Asked {
		r.Echoes += n
		r.Lost += control.Lost[i]
		if n > 0 {
			r.Loss = max(r.Loss, 100*float64(control.Lost[i])/float64(n))
		}
	}
	if n := len(control.Echoes); n > 0 {
		slices.Sort(control.Echoes)
		r.P50, r.P99 = ms(control.Echoes[n/2]), ms(control.Echoes[n*99/100])
	}
	var why []string
	for _, a := range []struct {
		who   string
		wrong []string
	}{{"member", control.Wrong}, {"host", host.Wrong}, {"another member", strikes.Wrong}} {
		for _, w := range a.wrong {
			why = append(why, a.who+": "+w)
		}
	}
	if strikes.Failure != "" {
		why = append(why, "the attack itself: "+strikes.Failure)
	}
	r.Why = strings.Join(why, "; ")
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// joinEvery is how often somebody tries to join during an attack, and joinTime how long it may take.
const (
	joinEvery = 250 * time.Millisecond
	joinTime  = time.Minute
)

// watch has machines join during an attack, and looks at the host's process.
func watch(ctx context.Context, st stage, host *process, d time.Duration) (r result) {
	end := time.After(d)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	joins := make(chan joining)
	over := make(chan struct{})
	defer func() {
		close(over)
		for j := range joins { // the last one, if it is under way
			r.count(j)
		}
	}()
	go func() {
		defer close(joins)
		again := time.NewTicker(joinEvery)
		defer again.Stop()
		for n := 0; ; n++ {
			joins <- join(ctx, st, 100+n%50)
			select {
			case <-over:
				return
			case <-again.C:
			}
		}
	}()
	for {
		select {
		case <-end:
			return r
		case j := <-joins:
			r.count(j)
		case <-look.C:
			rss, fds := usageOf(host.cmd.Process.Pid)
			r.RSS, r.Descriptors = max(r.RSS, rss), max(r.Descriptors, fds)
		case <-ctx.Done():
			return r
		}
	}
}

// A joining is a machine's way into the session.
type joining struct {
	in   bool
	took time.Duration
}

func (r *result) count(j joining) {
	r.Joins++
	if j.in {
		r.Joined++
	}
	r.Wait = max(r.Wait, j.took.Seconds())
}

// join finds the session, joins it and leaves it.
func join(ctx context.Context, st stage, n int) joining {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	began := time.Now()
	s, err := sock.Open(st.options(n))
	if err != nil {
		return joining{}
	}
	defer s.Close()
	err = st.join(ctx, s)
	return joining{err == nil, time.Since(began)}
}

// A printer prints the table, a row at a time.
type printer struct {
	out    io.Writer
	format string
}

func (p printer) head(c config) {
	where := fmt.Sprintf("%s %s/%s, %d processors, %v each", runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), c.time)
	switch p.format {
	case "text":
		fmt.Fprintf(p.out, "%s\n\n%-16s %9s %6s %10s %6s %6s %7s %6s %7s %6s %6s  %s\n", where, "attack", "p50", "times", "p99", "times",
			"lost", "memory", "desc.", "joins", "wait", "third", "held")
	case "markdown":
		fmt.Fprintf(p.out, "%s:\n\n| attack | goal | p50 | times | p99 | times | lost | memory | descriptors | joins | wait | third | "+
			"held |\n"+strings.Repeat("|---", 13)+"|\n", where)
	}
}

func (p printer) row(r result) {
	held := "yes"
	if r.Tries > 1 {
		held = fmt.Sprintf("yes, at try %d", r.Tries)
	}
	if !r.Held {
		held = "NO: " + r.Why
	}
	switch p.format {
	case "ndjson":
		json.NewEncoder(p.out).Encode(r)
	case "markdown":
		a, _ := attackOf(r.Attack)
		fmt.Fprintf(p.out, "| `%s`: %s | %s | %.1f ms | %.0f | %.1f ms | %.0f | %.1f %% | %d MB | %d | %d of %d | %.1f s | %d | %s |\n",
			r.Attack, a.what, r.Goal, r.P50, r.Times, r.P99, r.TimesP99, r.Loss, r.RSS, r.Descriptors, r.Joined, r.Joins, r.Wait, r.Third, held)
	default:
		fmt.Fprintf(p.out, "%-16s %6.1f ms %6.0f %7.1f ms %6.0f %4.1f %% %4d MB %6d %7s %4.1f s %6d  %s\n", r.Attack, r.P50, r.Times,
			r.P99, r.TimesP99, r.Loss, r.RSS, r.Descriptors, fmt.Sprintf("%d/%d", r.Joined, r.Joins), r.Wait, r.Third, held)
	}
}
