package main

import (
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// TestMigration kills the host of a session of five processes, and then the next host. The survivors agree on each new
// one, a sixth process joins the last one, and they talk on. With DPLAY_LONG it takes a minute: legacy machines in a session with the
// reliable protocol notice by their pings alone that a machine was killed, twice.
func TestMigration(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		common []string
		host   []string
	}{
		{"modern", nil, nil}, {"legacy", []string{"--legacy"}, nil},
		{"reliable", nil, []string{"--flags", "migratehost,keepalive,directplayprotocol"}},
		{"reliable-legacy", append(pinging, "--legacy"), []string{"--flags", "migratehost,keepalive,directplayprotocol"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if slices.Contains(c.common, pinging[0]) {
				needsPings(t)
			}
			t.Parallel()
			a := newArena(t, "killed-"+c.name, c.common...)
			host := a.open(nil, c.host...)
			for range 4 {
				a.open(host)
			}
			a.meet()
			a.talk("before")
			second := a.loseHost(host, host.kill)
			assert.Same(t, a.expectNext(), second)
			a.talk("after the first")
			third := a.loseHost(second, second.kill)
			assert.Same(t, a.expectNext(), third)
			a.talk("after the second")
			sixth := a.open(third)
			assert.Equal(t, third.id, sixth.opened["host_id"])
			for _, p := range a.here() {
				if p != sixth {
					p.event("player_created", "name", "p5")
				}
			}
			a.talk("with a newcomer")
			for _, p := range a.here() {
				p.leaves()
			}
			a.recorded(third, !slices.Contains(c.common, "--legacy"))
		})
	}
}

// commands counts what a process recorded.
func (a *arena) commands(p *process) map[string]int {
	a.t.Helper()
	commands := map[string]int{}
	for _, m := range readRecording(a.t, p.file()) {
		commands[m.command]++
	}
	return commands
}

// recorded checks the recording of a machine that became host.
func (a *arena) recorded(host *process, modern bool) {
	a.t.Helper()
	commands := a.commands(host)
	extension := slices.DeleteFunc(sortedKeys(commands), func(c string) bool { return len(c) < 9 || c[:9] != "EXTENSION" })
	if !modern {
		assert.Positive(a.t, commands["IAMNAMESERVER"])
		assert.Empty(a.t, extension, "a legacy machine says nothing of its own")
		return
	}
	assert.Zero(a.t, commands["IAMNAMESERVER"], "its view says so")
	assert.Subset(a.t, extension, []string{"EXTENSION HELLO", "EXTENSION VIEW PREPARE", "EXTENSION VIEW INSTALL"})
}

// TestFrozenHost freezes the host: the others notice by their pings and go on with another one. When it goes on itself, it
// finds the others' session and is one with it again, with all players. It takes as long as pinging says, as does TestFrozenMember.
func TestFrozenHost(t *testing.T) {
	needsPings(t)
	t.Parallel()
	a := newArena(t, "frozen-host", pinging...)
	host := a.open(nil)
	for range 2 {
		a.open(host)
	}
	a.meet()
	next := a.loseHost(host, func() { freeze(t, host.cmd) })
	require.NoError(t, host.cmd.Process.Signal(syscall.SIGCONT))
	a.healed(host, next, func(p *process) []*process {
		if p == host {
			return nil // it lost nobody if it was frozen for a short time
		}
		return a.all[:1]
	})
	a.talk("all together again")
	for _, p := range a.all {
		p.leaves()
	}
	commands := a.commands(host)
	assert.Positive(t, commands["PING"])
	assert.Positive(t, commands["EXTENSION VIEW INSTALL"], "%v", commands)
}

// TestFrozenMember freezes a legacy machine: when it goes on, it is told that it is dead.
func TestFrozenMember(t *testing.T) {
	needsPings(t)
	t.Parallel()
	a := newArena(t, "frozen-member", append(pinging, "--legacy")...)
	host := a.open(nil)
	a.open(host)
	frozen := a.open(host)
	a.meet()
	freeze(t, frozen.cmd)
	for _, p := range a.all[:2] {
		p.event("player_deleted", "name", "p2")
	}
	require.NoError(t, frozen.cmd.Process.Signal(syscall.SIGCONT))
	frozen.event("session_lost")
	assert.Equal(t, exitInput, frozen.end())
	a.talk("without it")
	for _, p := range a.here() {
		p.leaves()
	}
	assert.Positive(t, a.commands(frozen)["YOUAREDEAD"])
}

// TestNewHostSaysSo: people at a joiner that becomes host are told, and where others can join; and there they can.
func TestNewHostSaysSo(t *testing.T) {
	t.Parallel()
	a := newArena(t, "says")
	host := a.open(nil)
	next := startProcess(t, nil, "join", host.at, "--app", a.app, "--bind", a.addr(1), "--player", "Ann", "--timeout", anHour)
	next.expectWith("* you are Ann")
	host.event("player_created", "name", "Ann")
	host.kill()
	next.expectWith("* the host, p0's machine (" + host.at + "), is lost: ")
	next.expect("* we are to be the next host")
	next.expectWith("* p0 is gone (")
	assert.Contains(t, next.expectWith("* we are the host now"), ": others can join us at "+a.addr(1))
	late := startProcess(t, nil, "join", a.addr(1), "--app", a.app, "--bind", a.addr(2), "--player", "Eve", "--say", "hello", "--timeout", anHour)
	late.expectWith("* Ann is here")
	next.expectWith("* Eve is here")
	next.expect("Eve: hello")
	late.leaves()
	next.leaves()
}

// TestNewHostIsNotFound has another program hold the port that the next host needs: its user is told once, after it was
// tried again, and which port it is. The session goes on. When the port is free the session is found there. It takes listingPatience.
func TestNewHostIsNotFound(t *testing.T) {
	t.Parallel()
	a := newArena(t, "unlisted")
	host := a.open(nil)
	next := a.open(host)
	a.open(host)
	a.meet()
	other, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(next.at), wire.EnumPort)))
	require.NoError(t, err)
	defer other.Close()
	require.Same(t, next, a.loseHost(host, host.kill))
	next.complains("; we keep trying\n")
	a.talk("alone")
	require.NoError(t, other.Close())
	a.open(next)
	for _, p := range a.here() {
		p.leaves()
		if p != next {
			assert.Empty(t, p.stderr(), p.at)
		}
	}
	assert.Regexp(t,
		`^dplay: we are the host, but who looks for the session does not find it here: UDP port 47624 is taken by .*; we keep `+
			`trying\n$`, next.stderr())
	assert.Equal(t, 1, strings.Count(next.stderr(), "\n"), next.stderr())
}
