package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// TestMain is what the other processes are started with: this program is the test then.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == roleWord {
		if err := command(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// attackOnce runs some attacks once, each for a moment, and returns their results. Each attacker sent something.
func attackOnce(t *testing.T, attacks string) (all []result) {
	t.Helper()
	var out bytes.Buffer
	c, err := parse([]string{"--only", attacks, "--format", "ndjson"}, nil)
	require.NoError(t, err)
	c.first, c.time, c.quiet = testkit.Addrs(t, 250)[0], testkit.Moment, true // it tries once
	if err := run(testkit.Context(t), c, &out); err != nil {
		require.ErrorIs(t, err, errNotHeld)
	}
	d := json.NewDecoder(&out)
	for range c.attacks {
		var r result
		require.NoError(t, d.Decode(&r))
		assert.Positive(t, r.Attempts, r.Attack)
		all = append(all, r)
	}
	return all
}

// harmless checks a result but for the times, because other tests run beside it.
func (r *result) harmless(t *testing.T) {
	t.Helper()
	assert.Less(t, r.Lost, r.Echoes, r.Attack)
	for _, wrong := range []string{"member: ", "host: ", "joins fail", "itself: "} {
		assert.NotContains(t, r.Why, wrong, r.Attack)
	}
}

// TestAttacks has some attacks on real processes, for a moment. The times are not judged here: other tests run beside it.
func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, r := range attackOnce(t, "stranger-udp,idle,third-list,stranger-frames") {
		r.harmless(t)
		assert.Positive(t, r.Joins, r.Attack)
		if r.Attack != "third-list" { // a machine that never answers may get a greeting
			assert.Zero(t, r.Third, r.Attack)
		}
	}
}

// TestJudge: no limit can be passed without the attack being said not to hold, and why.
func TestJudge(t *testing.T) {
	idle := result{P50: 0.5, P99: 4, Loss: 0.5, Echoes: 9}
	one := attack{most: 150}
	inside := attack{most: 150, enter: (*striker).enterOne}
	for _, row := range []struct {
		why string
		by  attack
		r   result
		try bool // it may be tried again
	}{
		{"", one, result{P50: 69, P99: 399, Echoes: 9, Loss: 1.4, Joins: 2, Joined: 2, RSS: 255, Descriptors: 150, Wait: 29,
			Third: mostThird}, false},
		{"p50 70.0 ms, 140 times", one, result{P50: 70, Echoes: 9}, true},
		{"p99 400.0 ms, 100 times", one, result{P99: 400, Echoes: 9}, true},
		{"1.5 % lost", one, result{Loss: 1.5, Echoes: 9}, true},
		{"", inside, result{P50: 69, P99: 1999, Loss: 5.4, Echoes: 9}, false},
		{"p99 2000.0 ms, 500 times", inside, result{P99: 2000, Echoes: 9}, true},
		{"5.5 % lost", inside, result{Loss: 5.5, Echoes: 9}, true},
		{"a join takes 30.0 s", one, result{Wait: 30, Echoes: 9}, true},
		{"no echo", one, result{}, false},
		{"no echo", one, result{Echoes: 9, Lost: 9}, false},
		{"1 of 2 joins fail", one, result{Echoes: 9, Joins: 2, Joined: 1}, false},
		{"256 MB", one, result{Echoes: 9, RSS: 256}, false},
		{"151 descriptors", one, result{Echoes: 9, Descriptors: 151}, false},
		{"17 connections of one machine to a third one", one, result{Echoes: 9, Third: mostThird + 1}, false},
		{"member: lost", one, result{Echoes: 9, Why: "member: lost"}, false},
		{"host: session; 300 MB; p50 70.0 ms", one, result{Echoes: 9, RSS: 300, P50: 70, Why: "host: session"}, false},
	} {
		r := row.r
		r.judge(row.by, idle, false)
		assert.Equal(t, row.why == "", r.Held, "%+v", r)
		assert.Contains(t, r.Why, row.why)
		assert.Equal(t, row.try, r.slow, "%+v", r)
		for _, format := range []string{"text", "markdown"} {
			var out bytes.Buffer
			r.Attack = "idle"
			printer{&out, format}.row(r)
			assert.Contains(t, out.String(), map[bool]string{true: "yes", false: "NO: " + r.Why}[r.Held])
		}
	}
}

// TestJudgeQuiet: with --quiet the limits are those that SECURITY.md promises, and times too short for anybody to notice are none.
func TestJudgeQuiet(t *testing.T) {
	c, err := parse([]string{"--quiet"}, nil)
	require.NoError(t, err)
	one, inside := attack{most: 150}, attack{most: 150, enter: (*striker).enterOne}
	for _, row := range []struct {
		by        attack
		idle, now result
		held      bool
	}{
		{one, result{P50: 0.2}, result{P50: 6.9}, true}, {one, result{P50: 0.2}, result{P50: 7}, false},
		{one, result{P50: 2}, result{P50: 19.9}, true}, {one, result{P50: 2}, result{P50: 20}, false},
		{one, result{P99: 0.4}, result{P99: 32.9}, true}, {one, result{P99: 0.4}, result{P99: 33}, false},
		{one, result{P99: 4}, result{P99: 39.9}, true}, {one, result{P99: 4}, result{P99: 40}, false},
		{inside, result{P99: 4}, result{P99: 199.9}, true}, {inside, result{P99: 4}, result{P99: 200}, false},
		{one, result{}, result{Wait: 2.9}, true}, {one, result{}, result{Wait: 3}, false},
	} {
		r := row.now
		r.Echoes = 9
		r.judge(row.by, row.idle, c.quiet)
		assert.Equal(t, row.held, r.Held, "%+v: %s", row, r.Why)
	}
}

func TestTake(t *testing.T) {
	m := meter{sent: map[uint64]time.Time{}}
	for n := range uint64(10) {
		m.sent[n+1] = time.Now().Add(-2 * echoLate)
	}
	for _, n := range []uint64{1, 1, 2, 3, 4, 5, 6, 8, 77} {
		m.came(n)
	}
	m.finish()
	var r result
	r.take(account{Echoes: m.took, Asked: [2]int{5, 5}, Lost: m.lost, Wrong: []string{"a"}},
		account{Attempts: 5, Failure: "f", Third: 3, Wrong: []string{"c"}}, account{Wrong: []string{"b"}})
	assert.Equal(t, 10, r.Echoes)
	assert.Equal(t, 3, r.Lost) // 7 and 9, which were datagrams, and 10
	assert.Equal(t, 40., r.Loss)
	assert.Len(t, m.took, 8) // the lost datagrams did not take any time
	assert.GreaterOrEqual(t, r.P99, ms(echoLate))
	assert.Equal(t, 3, r.Third)
	assert.Equal(t, "member: a; host: b; another member: c; the attack itself: f", r.Why)
}

// TestPlan: each attack has a name of its own, and a run to be compared with.
func TestPlan(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range attacks {
		assert.False(t, seen[a.name], a.name)
		seen[a.name] = true
		assert.True(t, strings.HasPrefix(a.in.comparison().name, "none"), a.name)
	}
}

func TestHelpAndRefusals(t *testing.T) {
	for _, help := range []string{"--help", "-h"} {
		var out bytes.Buffer
		require.NoError(t, command(context.Background(), []string{help}, nil, &out))
		for _, want := range []string{"-only", "-seconds", "-quiet", "-format", "flood-names: ", "fill-list: ", "p99", "third"} {
			assert.Contains(t, out.String(), want)
		}
	}
	for args, want := range map[string]string{
		"x":              `got "x"`,
		"--seconds 0":    "0.5 to 60",
		"--seconds 61":   "0.5 to 60",
		"--seconds NaN":  "0.5 to 60",
		"--only x":       "there is no such attack",
		"--format x":     "text, markdown or ndjson",
		"--nosuch":       "nosuch",
		"role":           "for the program itself",
		"role host {":    "JSON",
		"role x {}":      "no role",
		`role strike {}`: "no attack",
		`role crowd {}`:  "no attack",
		`role host {}`:   "no attack",
	} {
		var out bytes.Buffer
		err := command(context.Background(), strings.Fields(args), strings.NewReader(""), &out)
		require.ErrorContains(t, err, want, args)
		assert.ErrorAs(t, err, new(usageError), args)
		assert.Empty(t, out.String(), args)
	}
}
