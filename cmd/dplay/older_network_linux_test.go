package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// older names the commit that TestOlder builds the older release from. "make older" sets it.
const older = "DPLAY_OLDER"

// buildOlder builds dplay of the commit that DPLAY_OLDER names, from the history of this checkout.
func buildOlder(t *testing.T) (program string) {
	t.Helper()
	commit := os.Getenv(older)
	if commit == "" {
		t.Skip("it plays with an older release of this program, which it builds: make older runs it")
	}
	git := func(args ...string) *exec.Cmd {
		return exec.Command("git", append([]string{"-c", "safe.directory=*"}, args...)...)
	}
	if out, err := git("cat-file", "-e", commit+"^{commit}").CombinedOutput(); err != nil {
		t.Skipf("NO OLDER RELEASE IS THERE: the checkout has no git history with the commit %s, as a shallow clone or an unpacked archive "+
			"has none; \"git fetch --unshallow\" gets it: %v: %s", commit, err, out)
	}
	dir := t.TempDir()
	files := filepath.Join(dir, "files.tar")
	root, err := git("rev-parse", "--show-toplevel").Output() // git archive has the files of the folder that it runs in
	require.NoError(t, err)
	archive := git("archive", "--format=tar", "-o", files, commit)
	archive.Dir = strings.TrimSpace(string(root))
	out, err := archive.CombinedOutput()
	require.NoError(t, err, "git archive: %s", out)
	out, err = exec.Command("tar", "-x", "-f", files, "-C", dir).CombinedOutput()
	require.NoError(t, err, "tar: %s", out)
	program = filepath.Join(dir, "dplay-older")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", program, "./cmd/dplay")
	build.Dir = dir
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "PWD="+dir)
	out, err = build.CombinedOutput()
	require.NoError(t, err, "go build: %s", out)
	return program
}

// newMixed is an arena on the machines of the network. releases has a letter a machine: o runs the older program, n this one.
func (n *network) newMixed(name, program, releases string) *arena {
	a := n.newArena(name)
	a.before = func(i int) []string {
		command := inside(n.machines[i])
		if releases[i] == 'o' {
			command = append(command, "sh", "-c", `shift; exec "$0" "$@"`, program) // in place of this one, which is the first argument
		}
		return command
	}
	return a
}

// TestOlder has processes of this dplay and of an older release in one session: either hosts, with joiners of both. They talk, in a group
// as well; the host is killed, and then the next one; a newcomer comes. The connections between two joiners are broken, at least one of
// which is of this release. It needs root, git and Go.
func TestOlder(t *testing.T) {
	program := buildOlder(t)
	// In the last two the next host is of the other release, whatever the rule.
	for _, releases := range []string{"ononnoo", "nonoonn", "onnnnno", "nooooon"} {
		t.Run("host-killed-"+releases, func(t *testing.T) {
			t.Parallel()
			net := newNetwork(t, len(releases), 0)
			a := net.newMixed("older", program, releases)
			host := a.open(nil)
			for range 3 {
				a.open(host)
			}
			for range 2 { // of both releases
				a.open(host, "--group", "Team")
			}
			a.meet()
			all, team := a.half(0, 4), a.half(4, 6)
			all.talk("before")
			testkit.Until(t, func() bool { return entered(t, team.all[0]) == 2 && entered(t, team.all[1]) == 2 }, "the group")
			team.talk("in the group")
			next := a.loseHost(host, host.kill)
			all.talk("after the first")
			team.talk("in the group after the first")
			last := a.loseHost(next, next.kill)
			late := a.open(last)
			for _, p := range a.here() {
				if p != late {
					p.event("player_created", "name", late.player)
				}
			}
			all.talk("after the second") // without the newcomer
			late.types("I came late")
			for _, p := range all.here() {
				p.event("chat", "text", "I came late")
			}
			a.alive()
			for _, p := range a.here() {
				p.leaves()
			}
			for _, p := range all.all {
				assert.NotContains(t, strings.Join(p.output(), "\n"), "in the group", "%s is not in it", p.player)
			}
		})
	}
	// Two older members lose one another, and one of them the session: no host can tell them to connect once more.
	for _, releases := range []string{"non", "nno", "onn", "oon", "ono"} {
		t.Run("broken-"+releases, func(t *testing.T) {
			t.Parallel()
			net := newNetwork(t, len(releases), 0)
			a := net.newMixed("older-broken", program, releases)
			host := a.open(nil)
			for range 2 {
				a.open(host)
			}
			a.meet()
			a.talk("before")
			if len(net.ss(1, 2, "--kill"))+len(net.ss(2, 1, "--kill")) < 2 {
				t.Skip("NO CONNECTION IS RESET: this system has no INET_DIAG_DESTROY, which ss --kill takes")
			}
			testkit.Until(t, func() bool {
				return slices.ContainsFunc(a.all, func(p *process) bool {
					return strings.Contains(strings.Join(p.output(), "\n"), `"event":"connection_renewed"`)
				})
			}, "a new connection")
			a.talk("after")
			a.alive()
			for _, p := range slices.Backward(a.all) {
				p.leaves()
			}
		})
	}
}

// entered returns how many players a process was told to have entered a group.
func entered(t *testing.T, p *process) (n int) {
	t.Helper()
	for _, line := range p.output() {
		if parse(t, line)["event"] == "member_added" {
			n++
		}
	}
	return n
}

// alive checks that all running processes are in the session, and that none of them reported the loss of another one.
func (a *arena) alive() {
	a.t.Helper()
	all := a.here()
	for _, p := range all {
		assert.False(a.t, p.session().over, p.player)
		for _, q := range all {
			assert.NotContains(a.t, strings.Join(p.output(), "\n"), `"event":"peer_lost","system":"`+q.id+`"`, "%s lost %s", p.player, q.player)
		}
	}
}
