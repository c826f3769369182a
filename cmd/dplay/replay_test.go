package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/replay"
	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/internal/testkit"
	"dplay4/wire"
)

// labGame is the application of the laboratory captures.
const labGame = "{a052a50b-ffe0-11cf-9c4e-00a0c905425e}"

// A joiner of Wine 10 does what ours does (captures/lab/04); its host, of another make, does not.
func TestReplayCommand(t *testing.T) {
	got := dplay(t, "replay", "--as", "joiner", lab(t, "04"))
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Contains(t, got.out,
		"joiner 10.77.0.2:2300, dialect 11: 8 messages compared, 8 equal; 0 that ours does not send, 0 that only ours sends")
	assert.NotContains(t, got.out, "host")

	got = dplay(t, "replay", lab(t, "04"))
	assert.Equal(t, exitFindings, got.status)
	assert.Empty(t, got.err)
	assert.Contains(t, got.out, "mapped: 4 ids, 1 mask of ids, 7 ports that it sent from")
	assert.Contains(t, got.out,
		"SUPERENUMPLAYERSREPLY to 10.77.0.2:2300: Players[1].Flags: recorded LOCAL (0x8), ours INGROUP|LOCAL (0xc)")
	assert.Contains(t, got.out, "2 machines: 15 messages compared, 13 equal, 0 sent by one side only")

	got = dplay(t, "replay", "--as", "host", "-V", lab(t, "13"))
	assert.Contains(t, got.out, "ours ignores it (conflict)")
	assert.Contains(t, got.out, "REQUESTPLAYERREPLY: equal")
}

func TestReplayJSON(t *testing.T) {
	got := dplay(t, "replay", "--format", "ndjson", "--speed", "1e6", lab(t, "13"))
	assert.Equal(t, exitFindings, got.status)
	types := map[string]int{}
	var last map[string]any
	for line := range strings.Lines(got.out) {
		last = map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &last), line)
		types[last["type"].(string)]++
		if last["type"] == "difference" && last["role"] == "joiner" {
			assert.Equal(t, "missing", last["kind"])
			assert.Equal(t, "ADDPLAYERTOGROUP", last["message"])
			assert.Equal(t, 1.514487, last["time"])
			assert.NotContains(t, last, "at")
		}
	}
	assert.Equal(t, map[string]int{"step": 10, "difference": 11, "ignored": 1, "party": 2, "result": 1}, types)
	assert.Equal(t, map[string]any{"type": "result", "parties": 2., "compared": 9., "equal_messages": 7., "equal": false}, last)
}

func TestReplayErrors(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"replay"}, exitUsage, "one FILE"},
		{[]string{"replay", "a", "b"}, exitUsage, "one FILE"},
		{[]string{"replay", "--speed", "0", "a"}, exitUsage, "--speed"},
		{[]string{"replay", "--period", "1ms", "a"}, exitUsage, "--period"},
		{[]string{"replay", "--probes", "0", "a"}, exitUsage, "--probes"},
		{[]string{"replay", "--for", "1s", "a"}, exitUsage, "go with --to"},
		{[]string{"replay", "--to", "127.0.0.1", "--as", "host", "a"}, exitUsage, "--as host"},
		{[]string{"replay", "--to", "127.0.0.1", "--for", "2h", "a"}, exitUsage, "--for"},
		{[]string{"replay", "--to", "127.0.0.1", "--messages", "0", "a"}, exitUsage, "--messages"},
		{[]string{"replay", "--to", "somewhere", "a"}, exitUsage, "IPv4 address"},
		{[]string{"replay", "--to", "255.255.255.255", "a"}, exitUsage, "broadcast"},
		{[]string{"replay", "--to", "127.255.255.255", "a"}, exitUsage, "broadcast"},
		{[]string{"replay", "--to", "224.0.0.1", "a"}, exitUsage, "multicast"},
		{[]string{"replay", "--to", "0.0.0.0", "a"}, exitUsage, "name the host"},
		{[]string{"replay", "--to", "::1", "a"}, exitUsage, "IPv4"},
		{[]string{"replay", "--to", "127.0.0.1:0", "a"}, exitUsage, "port 0"},
		{[]string{"replay", "no such file"}, exitInput, "no such file"},
	} {
		got := dplay(t, c.args...)
		assert.Equal(t, c.status, got.status, "%v: %s", c.args, got.err)
		assert.Contains(t, got.err, c.says, "%v", c.args)
	}
	got := dplayFrom(t, strings.NewReader("no capture"), "replay", "-")
	assert.Equal(t, exitInput, got.status)
	got = dplayFrom(t, bytes.NewReader(newCapture().b), "replay", "-")
	assert.Equal(t, exitFindings, got.status, "a file without messages")
	assert.Contains(t, got.out, "no machine")
}

// What a machine did is told with its timers: the machine of captures/migration/cut-right gave up after three pings.
func TestReplayHint(t *testing.T) {
	file := filepath.Join("..", "..", "captures", "migration", "cut-right.pcapng")
	const hint = "hint: the differences begin with pings"
	got := dplay(t, "replay", file)
	assert.Equal(t, exitFindings, got.status)
	assert.Contains(t, got.out, "\n"+hint)
	assert.Regexp(t, `--probes 3 --period 500ms\n\n\d+ machines: `, got.out)
	assert.Contains(t, dplay(t, "replay", "--format", "ndjson", file).out, `{"type":"note","text":"`+hint)
	right := dplay(t, "replay", "--probes", "3", "--period", "500ms", file)
	assert.NotContains(t, right.out, "hint")
	assert.Less(t, strings.Count(right.out, "only ours sends it"), strings.Count(got.out, "only ours sends it")/2)
	assert.NotContains(t, dplay(t, "replay", lab(t, "13")).out, "hint", "differs, but not in pings")
}

// Only what makes machines think that another one is gone is put down to timers.
func TestTimersDiffer(t *testing.T) {
	for _, c := range []struct {
		first replay.Difference
		ticks int
		want  bool
	}{
		{replay.Difference{Kind: replay.Missing, Message: "PING"}, 0, true},
		{replay.Difference{Kind: replay.Extra, Message: "PING"}, 0, true},
		{replay.Difference{Kind: replay.Field, Message: "PING"}, 1, false},
		{replay.Difference{Kind: replay.Extra, Message: "DELETEPLAYER"}, 1, true},
		{replay.Difference{Kind: replay.Extra, Message: "DELETEPLAYER"}, 0, false},
		{replay.Difference{Kind: replay.Missing, Message: "CHAT"}, 1, false},
	} {
		p := replay.Party{Mapped: replay.Mapped{Ticks: c.ticks},
			Differences: []replay.Difference{c.first, {Kind: replay.Missing, Message: "PING"}}}
		assert.Equal(t, c.want, timersDiffer(&p), "%+v", c)
	}
	assert.False(t, timersDiffer(&replay.Party{}))
}

// Numbers have their nouns, and what is not there is named.
func TestReplayWords(t *testing.T) {
	got := dplay(t, "replay", "--as", "joiner", lab(t, "04"))
	assert.Contains(t, got.out, "\n1 machine: 8 messages compared")
	got = dplay(t, "replay", "--as", "host", lab(t, "05-rzhost-two-w10-joiners-peer2peer"))
	assert.Equal(t, "no machine of the capture was seen to be host; without --as, every machine is shown\n", got.out)
	assert.Equal(t, exitFindings, got.status)
	help := dplay(t, "replay", "--help").out
	assert.NotContains(t, help, "(default )")
	assert.NotContains(t, help, "(default 0)")
}

// A liveHost is a host of ours on loopback, with what happens in its session.
type liveHost struct {
	s      *sock.Session
	events chan dpsp.Event
}

func newLiveHost(t *testing.T, at netip.Addr, c dpsp.Host) *liveHost {
	t.Helper()
	s, err := sock.Open(sock.Options{Bind: at})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	require.NoError(t, s.Host(context.Background(), c))
	_, err = s.CreatePlayer(context.Background(), "HostGuy", nil)
	require.NoError(t, err)
	h := &liveHost{s, make(chan dpsp.Event, 1024)}
	go func() {
		for e := range s.Events() {
			h.events <- e
		}
		close(h.events)
	}()
	return h
}

// said returns the names of the players that came and what was said, once so many came and were said.
func (h *liveHost) said(t *testing.T, joined, messages int) (players, said []string) {
	t.Helper()
	take := func(e dpsp.Event) {
		switch e := e.(type) {
		case dpsp.PlayerCreated:
			if !e.Local {
				players = append(players, e.ShortName)
			}
		case dpsp.Message:
			said = append(said, string(e.Payload))
		}
	}
	for len(players) < joined || len(said) < messages {
		e, _ := testkit.Receive(t, h.events, "%d players and %d messages", joined, messages)
		take(e)
	}
	h.s.Close()
	for e := range h.events {
		take(e)
	}
	return players, said
}

// What recorded joiners of Wine 10 sent works with a host of ours that runs: with other ids, another GUID, and our ports.
func TestReplayLive(t *testing.T) {
	game, err := wire.ParseGUID(labGame)
	require.NoError(t, err)
	interop, err := wire.ParseGUID("{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}")
	require.NoError(t, err)
	lab2 := dpsp.Host{Application: game, Name: "live", MaxPlayers: 8}
	for _, c := range []struct {
		file    string
		session dpsp.Host
		players []string
		said    int
		first   string
	}{
		{lab(t, "02"), lab2, []string{"W10"}, 2, "w10says #0\x00"},
		{lab(t, "04"), lab2, []string{"W10"}, 3, "w10udp #0\x00"},
		{lab(t, "13"), lab2, []string{"W10"}, 0, ""},
		{filepath.Join("..", "..", "captures", "interop", "ourhost-third-machine.pcap"),
			dpsp.Host{Application: interop, Name: "live", Password: "sesame", MaxPlayers: 8}, []string{"Ann"}, 2, "\xa1\xff"},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			t.Parallel()
			at := testkit.Addr(t)
			h := newLiveHost(t, at, c.session)
			got := dplay(t, "replay", "--to", at.String(), "--speed", "100", "--for", "1h", c.file)
			assert.Empty(t, got.err)
			assert.Contains(t, []int{exitOK, exitFindings}, got.status)
			assert.NotContains(t, got.out, "not answered")
			assert.Regexp(t, `\d+ messages sent, [4-9] answers; [3-9] other ids, 1 other GUID`, got.out)
			players, said := h.said(t, len(c.players), c.said)
			assert.Equal(t, c.players, players)
			require.Len(t, said, c.said)
			if c.said > 0 {
				assert.Equal(t, c.first, said[0])
			}
		})
	}
}

// A replay to a host ends when it should.
func TestReplayLiveBounds(t *testing.T) {
	t.Parallel()
	game, err := wire.ParseGUID(labGame)
	require.NoError(t, err)
	at := testkit.Addr(t)
	h := newLiveHost(t, at, dpsp.Host{Application: game, Name: "live"})
	got := dplay(t, "replay", "--to", at.String(), "--speed", "100", "--messages", "4", "--format", "ndjson", lab(t, "02"))
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Equal(t, 4, strings.Count(got.out, `"what":"sent"`))
	assert.Contains(t, got.out, "--messages allows more")
	got = dplay(t, "replay", "--to", at.String(), "--for", "300ms", lab(t, "02"))
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out, "--for allows more")
	players, _ := h.said(t, 0, 0)
	assert.Empty(t, players)

	got = dplay(t, "replay", "--to", testkit.Addr(t).String()+":2345",
		filepath.Join("..", "..", "captures", "lab", "05-rzhost-two-w10-joiners-peer2peer.pcap"))
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "no machine of the capture joins")
}
