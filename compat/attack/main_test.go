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

// TestAttacks has two attacks on real processes, for a moment. The echo's time is not judged here: other tests run beside it.
func TestAttacks(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	c, err := parse([]string{"--only", "stranger-udp,idle", "--format", "ndjson"}, nil)
	require.NoError(t, err)
	c.first, c.time = testkit.Addrs(t, 250)[0], testkit.Moment
	if err := run(testkit.Context(t), c, &out); err != nil {
		require.ErrorIs(t, err, errNotHeld)
	}
	d := json.NewDecoder(&out)
	for range c.attacks {
		var r result
		require.NoError(t, d.Decode(&r))
		assert.Positive(t, r.Attempts, r.Attack)
		assert.Less(t, r.Lost, r.Echoes, r.Attack)
		assert.Positive(t, r.Joins, r.Attack)
		assert.NotContains(t, r.Why, "member", r.Attack)
		assert.NotContains(t, r.Why, "host", r.Attack)
		assert.NotContains(t, r.Why, "join", r.Attack)
	}
}

func TestJudge(t *testing.T) {
	idle := result{P50: 0.5, Echoes: 9}
	for why, r := range map[string]result{
		"":                        {P50: 49, Echoes: 9, Joins: 2, Joined: 2, RSS: 255, Descriptors: 150},
		"echo 50.0 ms, 100 times": {P50: 50, Echoes: 9},
		"no echo":                 {},
		"1 of 2 joins":            {Echoes: 9, Joins: 2, Joined: 1},
		"256 MB":                  {Echoes: 9, RSS: 256},
		"151 desc":                {Echoes: 9, Descriptors: 151},
		"member: lost":            {Echoes: 9, Why: "member: lost"},
		"host: session;":          {Echoes: 9, RSS: 300, Why: "host: session"},
	} {
		r.judge(attack{most: 150}, idle, false)
		assert.Equal(t, why == "", r.Held, "%+v", r)
		assert.Contains(t, r.Why, why)
		for _, format := range []string{"text", "markdown"} {
			var out bytes.Buffer
			r.Attack = "idle"
			printer{&out, format}.row(r)
			assert.Contains(t, out.String(), map[bool]string{true: "yes", false: "NO: " + r.Why}[r.Held])
		}
	}
}

// TestJudgeQuiet: with --quiet the limit is ten times the median without an attack, and never less than 7 ms.
func TestJudgeQuiet(t *testing.T) {
	c, err := parse([]string{"--quiet"}, nil)
	require.NoError(t, err)
	for _, row := range []struct {
		idle, p50 float64
		held      bool
	}{{0.2, 6.9, true}, {0.2, 7, false}, {2, 19.9, true}, {2, 20, false}} {
		r := result{P50: row.p50, Echoes: 9}
		r.judge(attack{most: 150}, result{P50: row.idle, Echoes: 9}, c.quiet)
		assert.Equal(t, row.held, r.Held, "%+v: %s", row, r.Why)
	}
}

func TestTake(t *testing.T) {
	m := meter{sent: map[uint64]time.Time{1: time.Now(), 2: time.Now().Add(-2 * echoLate)}}
	m.came(1)
	m.came(1)
	m.came(7)
	m.finish()
	var r result
	r.take(account{Echoes: m.took, Lost: m.lost, Wrong: []string{"a"}}, account{Attempts: 5, Failure: "f"},
		account{Wrong: []string{"b"}})
	assert.Equal(t, 2, r.Echoes)
	assert.Equal(t, 1, r.Lost)
	assert.GreaterOrEqual(t, r.P50, ms(echoLate))
	assert.Equal(t, "member: a; host: b; the attack itself: f", r.Why)
}

func TestHelpAndRefusals(t *testing.T) {
	for _, help := range []string{"--help", "-h"} {
		var out bytes.Buffer
		require.NoError(t, command(context.Background(), []string{help}, nil, &out))
		for _, want := range []string{"-only", "-seconds", "-quiet", "-format", "flood-names: ", "fill-list: "} {
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
	} {
		var out bytes.Buffer
		err := command(context.Background(), strings.Fields(args), strings.NewReader(""), &out)
		require.ErrorContains(t, err, want, args)
		assert.ErrorAs(t, err, new(usageError), args)
		assert.Empty(t, out.String(), args)
	}
}
