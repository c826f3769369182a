package main

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
	"dplay4/dpsp/sock/trainhost"
	"dplay4/dpsp/sock/windowshost"
)

// asHost is the variable that makes this test program be a host that is not ours: "windows" or "train" at an address.
const asHost = "DPLAY_TEST_AS_HOST"

// beHost is a host until standard input ends.
func beHost(kind string) {
	at := netip.MustParseAddr(address(0))
	var err error
	if kind == "train" {
		_, err = trainhost.Open(at, trainhost.Options{})
	} else {
		_, err = windowshost.Open(at, mustParse(faultyApp), windowshost.Manner{})
	}
	if err != nil {
		panic(err)
	}
	fmt.Println("hosting")
	os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // its end
	os.Exit(0)
}

const faultyApp = "{00000000-0000-0000-0000-000000000007}"

// A fault keeps the second machine of a network out of what the first one hosts.
type fault struct {
	name  string
	host  []string // flags of our host; "-" alone: nobody hosts, "windows" or "train": a host that is not ours
	here  string   // a rule of nftables for what comes to the joiner
	there string   // likewise, to the host
	out   string   // likewise, from the joiner
	ask   []string // flags of who asks
	to    string   // who is asked; "": the host
	mtu   int      // of the switch, which drops what is larger; 0: the usual one

	code     doctor.Code // what doctor --live and doctor FILE find; "": nothing
	joins    bool        // the capture is of a join: only that shows it
	live     string      // what the report of doctor --live holds
	join     string      // what the error of join holds; "": it is not tried
	sessions string      // likewise
	onlyLive bool        // a capture cannot show it
	answered bool        // the host answers all that is asked, so that nothing but its answers ends anything
}

// faults are the faults.
var faults = []fault{
	{name: "none", answered: true, live: "healthy: nothing was found"},
	{name: "our firewall drops the answer", here: "tcp dport 2300-2349 drop", code: "reply-timed-out", live: "a firewall of this machine drops it",
		join: "a firewall of this machine drops its answer", sessions: "a firewall of this machine drops its answer"},
	{name: "our firewall refuses the answer", here: "tcp dport 2300-2349 reject with tcp reset", code: "reply-refused",
		live: "a firewall of this machine refuses it", join: "a firewall of this machine refuses its answer", sessions: "a firewall of this machine refuses its answer"},
	{name: "our firewall drops 2300 alone", here: "tcp dport 2300 drop", code: "reply-timed-out", live: "a firewall of this machine drops it",
		join: "a firewall of this machine drops its answer: let TCP 2300 in here"},
	{name: "our firewall drops the answer of Windows", host: []string{"windows"}, here: "tcp dport 2300-2349 drop", code: "reply-timed-out",
		live: "a firewall of this machine drops it"}, // that host hangs over its answer for minutes
	{name: "the session's port drops", there: "tcp dport 2300 drop", ask: []string{"--timeout", "2s"}, code: "host-unreachable",
		live: "Nothing has to change here", join: "the host's TCP port 2300 is closed: it has to be opened there"}, // a second proves nothing yet
	{name: "the session's port refuses", there: "tcp dport 2300 reject with tcp reset", code: "host-unreachable", live: "it is refused",
		join: "the host's TCP port 2300 is closed: it has to be opened there"},
	{name: "the session's port of Windows refuses", host: []string{"windows"}, there: "tcp dport 2300 reject with tcp reset", code: "host-unreachable",
		live: "it is refused"}, // and writes its next answers to a connection that has ended
	{name: "UDP 47624 drops", there: "udp dport 47624 drop", code: "udp-blocked", live: "At the host forward UDP 47624"},
	{name: "UDP 47624 refuses", there: "udp dport 47624 reject", code: "udp-blocked", live: "a firewall at the host refuses them"},
	{name: "UDP 2350-2399 drops", there: "udp dport 2350-2399 drop", code: "udp-one-way", live: "At the host forward UDP 2300-2400 as well as TCP",
		onlyLive: true}, // pings from nobody are in no session, which is what the capture is judged by
	{name: "our firewall drops UDP 2350-2399", here: "udp dport 2350-2399 drop", code: "udp-one-way", live: "do not get to this machine",
		onlyLive: true},
	{name: "an MTU of 600", mtu: 600, code: "mtu", live: "packets of 1400 octets do not get to", onlyLive: true},
	{name: "only TCP 47624 refuses", there: "tcp dport 47624 reject with tcp reset", live: "healthy: nothing was found"},
	{name: "47624 drops", there: "th dport 47624 drop", code: "enum-unanswered", live: "lets 2300 in and not 47624",
		join: "lets 2300 in and not 47624", sessions: "lets 2300 in and not 47624"},
	{name: "everything drops", there: "meta l4proto { tcp, udp } drop", code: "enum-unanswered", live: "a firewall at the host drops",
		join: "its firewall drops everything, or no machine is", sessions: "its firewall drops everything, or no machine is"},
	{name: "our firewall keeps the question in", out: "th dport 47624 drop", code: "enum-unanswered", live: "own firewall keeps the question in",
		join: "a firewall of this machine keeps the question in", sessions: "a firewall of this machine keeps the question in",
		onlyLive: true}, // nothing leaves this machine
	{name: "nobody hosts", host: []string{"-"}, code: "enum-unanswered", live: "no game is hosted on it now",
		join: "no game is hosted there", sessions: "no game is hosted there"},
	{name: "no way", to: "198.51.100.1", code: "enum-unanswered", live: "no way to that address", join: "there is no way to it",
		sessions: "there is no way to it", onlyLive: true}, // nothing leaves this machine
	{name: "full", answered: true, host: []string{"--max", "1", "--player", "Ann"}, code: "session-full", joins: true, live: "is full: 1 of 1 players",
		join: "full", sessions: "is full: 1 of 1 players"},
	{name: "closed", answered: true, host: []string{"--flags", "joindisabled"}, code: "join-disabled", joins: true, live: "lets nobody join any more",
		join: "takes nobody in", sessions: "lets nobody join any more"},
	{name: "no new players", answered: true, host: []string{"--flags", "newplayersdisabled", "--player", ""}, code: "new-players-disabled", joins: true,
		live: "takes no new players", join: "takes nobody in", sessions: "takes no new players"},
	{name: "wrong password", host: []string{"--password", "sesame"}, ask: []string{"--password", "x"}, code: "password-wrong", joins: true,
		live: "wants another password than the one that was given", join: "wrong password"},
	{name: "private", host: []string{"--password", "sesame", "--flags", "private"}, code: "reply-never-tried", live: "give --password",
		join: "does it want --password?", sessions: "does it want --password?"},
	{name: "wants --app", host: []string{"train"}, code: "app-mismatch", live: `--app "Lego Loco"`}, // it answers nobody twice
	{name: "answers at its own port", host: []string{"train"}, ask: []string{"--app", "loco", "--tcp", "2300-2349"}, code: "reply-wrong-port",
		live: "--tcp 31415"}, // likewise
}

// An ordeal is a fault on a network of its own, and what is run there.
type ordeal struct {
	*fault
	net                  *network
	file                 string
	recorded             func() // ends the recording
	live, join, sessions *process
}

// TestFaults makes each fault with a firewall between two machines, and checks that doctor --live finds the same culprit as doctor
// does in the joiner's capture of that, and that join and sessions name it. All are tried at once, for they wait: it needs root.
//
// Where a fault keeps something from coming, the clock of the program under test ends the wait for it, and what does come has to be in
// time: those are tried by "make faults" (DPLAY_FAULTS) alone, for half a minute and more, on a machine that does nothing else. What is
// found then is held in captures/doctor and package probe.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"nft", "tcpdump"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("THE FAULTS ARE NOT MADE: there is no %s here", program)
		}
	}
	var ordeals []*ordeal
	for i := range faults {
		if faults[i].answered || unanswered() {
			ordeals = append(ordeals, newOrdeal(t, &faults[i]))
		}
	}
	for _, r := range ordeals {
		r.examine()
	}
	for _, r := range ordeals {
		r.live.end()
		r.play()
	}
	for _, r := range ordeals {
		t.Run(r.name, r.check)
	}
}

// unanswered reports whether faults are tried that the clock ends.
func unanswered() bool { return os.Getenv("DPLAY_FAULTS") != "" }

// newOrdeal makes a network with a host and the fault.
func newOrdeal(t *testing.T, f *fault) *ordeal {
	r := &ordeal{fault: f, net: newNetwork(t, 2, 0), file: filepath.Join(t.TempDir(), "joiner.pcap")}
	if f.to == "" {
		f.to = address(0)
	}
	if f.mtu > 0 {
		r.net.ip(r.net.switches, fmt.Sprintf("link set left mtu %d", f.mtu), fmt.Sprintf("link set port0 mtu %d", f.mtu))
	}
	r.host(t)
	for i, rule := range []string{f.there, f.here, f.out} {
		if rule == "" {
			continue
		}
		hook := []string{"input", "input", "output"}[i]
		command := append(inside(r.net.machines[min(i, 1)]), "nft", "add table ip faults; add chain ip faults c { type filter hook "+hook+
			" priority 0; }; add rule ip faults c "+rule)
		out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return r
}

// host starts the host of the fault.
func (r *ordeal) host(t *testing.T) {
	before := inside(r.net.machines[0])
	if len(r.fault.host) > 0 && !strings.HasPrefix(r.fault.host[0], "--") {
		if kind := r.fault.host[0]; kind != "-" {
			startProcess(t, append([]string{"env", asHost + "=" + kind}, before...), "host").expect("hosting")
		}
		return
	}
	args := append([]string{"host", "--app", faultyApp, "--name", "Test", "--events", "ndjson"}, r.fault.host...)
	startProcess(t, before, args...).event("session_opened")
}

// run starts a command on the joiner's machine.
func (r *ordeal) run(args ...string) *process {
	return startProcess(r.net.t, inside(r.net.machines[1]), append(append(args, r.ask...), r.to)...)
}

// examine runs the doctor, while the joiner's packets are recorded.
func (r *ordeal) examine() {
	r.recorded = tcpdump(r.net.t, r.net.machines[1], "eth0", r.file)
	if r.answered {
		r.live = r.run("doctor", "--live", "--timeout", anHour, "--until", "session_found")
	} else {
		r.live = r.run("doctor", "--live", "--timeout", "5s") // so that a SYN is repeated, after a second: its silence is then seen
	}
	if r.joins {
		r.join = r.run("join", "--timeout", anHour)
	}
}

// play ends the recording, and runs what a player would.
func (r *ordeal) play() {
	r.live.end()
	if r.joins {
		r.join.end()
	}
	r.recorded()
	if r.fault.join != "" && r.join == nil {
		r.join = r.run("join", "--timeout", "1s")
	}
	if r.fault.sessions != "" && unanswered() {
		r.sessions = r.run("sessions", "--timeout", "1s")
	}
}

// check holds what everybody said against what is to be said.
func (r *ordeal) check(t *testing.T) {
	out := strings.Join(r.live.output(), "\n")
	t.Log(out)
	if r.code == "" {
		assert.Equal(t, exitOK, r.live.status, r.live.stderr())
	} else {
		assert.Equal(t, exitFindings, r.live.status, r.live.stderr())
		assert.Contains(t, out, "\n1. failure: ")
		assert.Contains(t, out, " ["+string(r.code)+"]\n")
		assert.NotContains(t, out, "\n2. failure: ", "one culprit")
	}
	assert.Contains(t, strings.Join(strings.Fields(out), " "), r.fault.live)
	assert.Contains(t, out, "\nTried:\n   asked udp "+r.to+":47624")
	if !r.onlyLive {
		assert.Equal(t, string(r.code), r.captured(t))
	}
	for p, want := range map[*process]string{r.join: r.fault.join, r.sessions: r.fault.sessions} {
		if p != nil {
			assert.Equal(t, exitInput, p.end())
			assert.Contains(t, p.stderr(), want)
		}
	}
}

// captured returns the code of the first failure that doctor finds in the joiner's capture; "" for none.
func (r *ordeal) captured(t *testing.T) string {
	b, err := os.ReadFile(r.file)
	require.NoError(t, err)
	report, err := doctor.Examine(context.Background(), bytes.NewReader(b), doctor.Options{})
	require.NoError(t, err)
	for _, f := range report.Findings {
		if f.Severity == doctor.Failure {
			return string(f.Code)
		}
	}
	return ""
}
