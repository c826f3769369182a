package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMain is what a round starts its host with: this program is the test then.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		if err := command(context.Background(), os.Args[1:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestBench kills and stops hosts, by both rules, and reads the table.
func TestBench(t *testing.T) {
	var out bytes.Buffer
	args := []string{"--kills", "1", "--stops", "2", "--period", "200ms", "--probes", "2", "--machines", "3"}
	require.NoError(t, command(context.Background(), args, nil, &out))
	for _, row := range []string{"killed DirectPlay 8 1 ", "killed DirectPlay 4 (--legacy) 1 ",
		"silent, 200ms, 2 probes DirectPlay 8 2 ", "silent, 200ms, 2 probes DirectPlay 4 (--legacy) 2 "} {
		assert.Contains(t, strings.Join(strings.Fields(out.String()), " "), row)
	}
	assert.Equal(t, 4, strings.Count(out.String(), "DirectPlay"))
}

// TestSilence holds the time of a silent host against what package pingtimer promises: more than --probes periods.
func TestSilence(t *testing.T) {
	r := round{stopped: true, machines: 2, program: os.Getpid(), network: 200, period: 300 * time.Millisecond, probes: 2}
	took, err := r.run(context.Background())
	require.NoError(t, err)
	assert.Greater(t, took.all, time.Duration(r.probes)*r.period)
	assert.LessOrEqual(t, took.election, took.all)
}

// TestCalledOff ends a round whose host is silent for minutes.
func TestCalledOff(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	k := kind{round{stopped: true, machines: 2, program: os.Getpid()}, "silent", 2}
	start := time.Now()
	require.ErrorIs(t, k.sideBySide(ctx).err, context.DeadlineExceeded)
	assert.Less(t, time.Since(start), patience)
}

// TestHelpAndRefusals checks the command line.
func TestHelpAndRefusals(t *testing.T) {
	for _, help := range []string{"--help", "-h"} {
		var out bytes.Buffer
		require.NoError(t, command(context.Background(), []string{help}, nil, &out))
		for _, want := range []string{"-kills", "-stops", "-period", "-probes", "-defaults", "-machines", "six minutes", "35s", "8 pings"} {
			assert.Contains(t, out.String(), want)
		}
		assert.NotContains(t, out.String(), "serve", "it is for the program itself")
	}
	for args, want := range map[string]string{
		"x":                         `got "x"`,
		"--kills -1":                "--kills -1: 0 to 10000",
		"--kills x":                 "invalid value",
		"--stops 21":                "--stops 21: 0 to 20",
		"--defaults -1":             "--defaults -1: 0 to 20",
		"--machines 1":              "2 to 60",
		"--machines 61":             "2 to 60",
		"--period 1ms":              "10 ms and 1 at least",
		"--probes 0":                "10 ms and 1 at least",
		"--period 10m":              "longer than 20m0s",
		"--period 9999h --probes 9": "longer than 20m0s",
		"--probes 999999999":        "longer than 20m0s",
		"--nosuch":                  "nosuch",
		"serve --nosuch":            "nosuch",
	} {
		var out bytes.Buffer
		err := command(context.Background(), strings.Fields(args), nil, &out)
		require.ErrorContains(t, err, want, args)
		assert.ErrorAs(t, err, new(usageError), args)
		assert.Empty(t, out.String(), args)
	}
}
