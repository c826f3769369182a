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
	P50         float64 `json:"p50_ms"`
	P99         float64 `json:"p99_ms"`
	Times       float64 `json:"times_idle"` // the median, divided by that without an attack in the same run
	Echoes      int     `json:"echoes"`
	Lost        int     `json:"lost"`
	RSS         int     `json:"rss_mb"`
	Descriptors int     `json:"descriptors"`
	Joins       int     `json:"joins"`
	Joined      int     `json:"joined"`
	Attempts    int     `json:"attempts"`
	Held        bool    `json:"held"`
	Why         string  `json:"why,omitempty"` // it did not hold
}

// run does all attacks, each on a session of its own, and prints the table.
func run(ctx context.Context, c config, out io.Writer) error {
	if err := loopbackUp(); err != nil {
		return err
	}
	p := printer{out: out, format: c.format}
	p.head(c)
	idle, err := one(ctx, attacks[0], c)
	if err != nil {
		return err
	}
	held := true
	for _, a := range c.attacks {
		r := idle
		if a.name != attacks[0].name {
			if r, err = one(ctx, a, c); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
		}
		r.judge(a, idle, c.quiet)
		held = held && r.Held
		p.row(r)
	}
	if !held {
		return errNotHeld
	}
	return nil
}

// judge reports whether an attack held: by the limits of a quiet machine, or by those of a busy one.
func (r *result) judge(a attack, idle result, quiet bool) {
	if idle.P50 > 0 {
		r.Times = r.P50 / idle.P50
	}
	echo, late := fmt.Sprintf("%d times", timesBusy), r.Times >= timesBusy
	if quiet {
		most := max(timesQuiet*idle.P50, leastP50)
		echo, late = fmt.Sprintf("%.1f ms", most), r.P50 >= most
	}
	r.Goal = fmt.Sprintf("echo below %s, all joins, nothing changed, %d MB, %d descriptors", echo, mostRSS, a.most)
	var why []string
	if r.Why != "" {
		why = append(why, r.Why)
	}
	fails := func(bad bool, format string, args ...any) {
		if bad {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	fails(late, "echo %.1f ms, %.0f times", r.P50, r.Times)
	fails(r.Echoes == 0, "no echo")
	fails(r.Joined < r.Joins, "%d of %d joins fail", r.Joins-r.Joined, r.Joins)
	fails(r.RSS >= mostRSS, "%d MB", r.RSS)
	fails(r.Descriptors > a.most, "%d descriptors", r.Descriptors)
	r.Why, r.Held = strings.Join(why, "; "), len(why) == 0
}

// mostTime is how long the processes of an attack may take besides the attack, on a machine that is busy with other things.
const mostTime = 10 * time.Minute

// one attacks one session.
func one(ctx context.Context, a attack, c config) (r result, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.time+mostTime)
	defer cancel()
	st := stage{First: c.first, Attack: a.name, Time: c.time}
	host, err := start(ctx, "host", st, &st.Host)
	if err != nil {
		return r, err
	}
	defer host.kill()
	control, err := start(ctx, "control", st, &st.Control)
	if err != nil {
		return r, err
	}
	defer control.kill()
	strike, err := start(ctx, "strike", st, &struct{}{})
	if err != nil {
		return r, err
	}
	defer strike.kill()
	strike.begin()
	control.begin()
	r = watch(ctx, st, host, c.time)
	r.Attack = a.name
	told, err := control.finish()
	if err != nil {
		return r, fmt.Errorf("the control: %w", err)
	}
	strikes, err := strike.finish()
	if err != nil {
		return r, fmt.Errorf("the attacker: %w", err)
	}
	hosts, err := host.finish()
	if err != nil {
		return r, fmt.Errorf("the host: %w", err)
	}
	r.take(told, strikes, hosts)
	return r, nil
}

// take puts together what the processes say.
func (r *result) take(control, strikes, host account) {
	r.Attempts, r.Lost, r.Echoes = strikes.Attempts, control.Lost, len(control.Echoes)
	if n := r.Echoes; n > 0 {
		slices.Sort(control.Echoes)
		r.P50, r.P99 = ms(control.Echoes[n/2]), ms(control.Echoes[n*99/100])
	}
	var why []string
	for _, w := range control.Wrong {
		why = append(why, "member: "+w)
	}
	for _, w := range host.Wrong {
		why = append(why, "host: "+w)
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
	joins := make(chan bool)
	over := make(chan struct{})
	defer func() {
		close(over)
		for ok := range joins { // the last one, if it is under way
			r.count(ok)
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
		case ok := <-joins:
			r.count(ok)
		case <-look.C:
			rss, fds := usageOf(host.cmd.Process.Pid)
			r.RSS, r.Descriptors = max(r.RSS, rss), max(r.Descriptors, fds)
		case <-ctx.Done():
			return r
		}
	}
}

func (r *result) count(joined bool) {
	r.Joins++
	if joined {
		r.Joined++
	}
}

// join finds the session, joins it and leaves it.
func join(ctx context.Context, st stage, n int) bool {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	s, err := sock.Open(st.options(n))
	if err != nil {
		return false
	}
	defer s.Close()
	found, err := s.Find(ctx, st.ask())
	if err != nil {
		return false
	}
	return s.Join(ctx, found, "") == nil
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
		fmt.Fprintf(p.out, "%s\n\n%-16s %9s %9s %6s %6s %7s %6s %8s  %s\n", where, "attack", "p50", "p99", "times", "lost", "memory",
			"desc.", "joins", "held")
	case "markdown":
		fmt.Fprintf(p.out,
			"%s:\n\n| attack | goal | p50 | p99 | times | lost | memory | descriptors | joins | held |\n|---|---|---|---|---|---|---|---|---|---|\n",
			where)
	}
}

func (p printer) row(r result) {
	held := "yes"
	if !r.Held {
		held = "NO: " + r.Why
	}
	share := 0.0
	if r.Echoes > 0 {
		share = 100 * float64(r.Lost) / float64(r.Echoes)
	}
	switch p.format {
	case "ndjson":
		json.NewEncoder(p.out).Encode(r)
	case "markdown":
		what := attacks[slices.IndexFunc(attacks, func(a attack) bool { return a.name == r.Attack })].what
		fmt.Fprintf(p.out, "| `%s`: %s | %s | %.1f ms | %.1f ms | %.0f | %.0f %% | %d MB | %d | %d of %d | %s |\n", r.Attack, what,
			r.Goal, r.P50, r.P99, r.Times, share, r.RSS, r.Descriptors, r.Joined, r.Joins, held)
	default:
		fmt.Fprintf(p.out, "%-16s %6.1f ms %6.1f ms %6.0f %4.0f %% %4d MB %6d %8s  %s\n", r.Attack, r.P50, r.P99, r.Times, share, r.RSS, r.Descriptors,
			fmt.Sprintf("%d/%d", r.Joined, r.Joins), held)
	}
}
