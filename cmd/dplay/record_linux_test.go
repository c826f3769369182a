package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/testkit"
)

// lastWord is what tcpdump's recording ends with: a datagram to the port that discards (RFC 863).
const (
	lastWord    = "dplay-last-word"
	discardPort = 9
)

// tcpdump records all that an adapter of a machine sees, until it is ended. It has room for hundreds of packets: the usual buffer
// has for eight.
func tcpdump(t *testing.T, machine, adapter, file string) (end func()) {
	t.Helper()
	if _, err := exec.LookPath("tcpdump"); err != nil {
		if os.Getenv("DPLAY_REQUIRE_TSHARK") != "" {
			t.Fatal("tcpdump is missing")
		}
		t.Skip("NOT COMPARED WITH TCPDUMP, which is missing")
	}
	command := append(inside(machine), "tcpdump", "-i", adapter, "-s", "65535", "--immediate-mode", "-B", "16384", "-U", "-Z", "root", "-w", file)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said := newProgram(t, "tcpdump")
	cmd.Stderr = said
	require.NoError(t, cmd.Start())
	said.expectWith("listening on " + adapter)
	return func() {
		t.Helper()
		// A signal ends it at once, whatever waits in its buffer. What came before the last word is in the file when that is.
		// It is for an address that nobody has: a machine that got it would answer by ICMP, of which it sends a few a second, and
		// the next program that asks it would miss the answer that tells of a closed port.
		say := append(inside(machine), "bash", "-c", fmt.Sprintf("ip neigh replace %[1]s lladdr 02:00:00:00:00:00 dev %[2]s && "+
			"ip route replace %[1]s dev %[2]s && echo %[3]s >/dev/udp/%[1]s/%[4]d", address(250), adapter, lastWord, discardPort))
		out, err := exec.Command(say[0], say[1:]...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		testkit.Until(t, func() bool {
			b, err := os.ReadFile(file)
			return err == nil && bytes.Contains(b, []byte(lastWord))
		}, "the last word in tcpdump's file")
		require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
		require.NoError(t, cmd.Wait())
	}
}

// packetsOf returns the TCP and UDP packets of a capture but the last word, sorted: two programs that record at once need not
// agree on the order of those that came at once.
func packetsOf(t *testing.T, file string) []string {
	t.Helper()
	list, err := packetsIn(file)
	require.NoError(t, err)
	return list
}

// packetsIn is packetsOf for a file that is still being written.
func packetsIn(file string) (list []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	opt := captures.Options{Packet: func(p *captures.Packet) {
		if p.Src.IsValid() && p.Dst.Port() != discardPort {
			list = append(list, fmt.Sprintf("%s %s > %s %x", p.Protocol, p.Src, p.Dst, p.Payload))
		}
	}}
	_, err = captures.Read(context.Background(), f, opt, func(*captures.Record) error { return nil }, nil)
	slices.Sort(list)
	return list, err
}

// has waits until our recording has so many packets with an address: on a busy machine those under way may come later than in tcpdump's.
func has(t *testing.T, ours string, packets int, address string) {
	t.Helper()
	testkit.Until(t, func() bool {
		list, err := packetsIn(ours)
		return err == nil && strings.Count(strings.Join(list, "\n"), " "+address) >= packets
	}, "%d packets with %s in our recording", packets, address)
}

// startRecord runs "dplay record" on a machine, and waits until it records.
func startRecord(t *testing.T, before []string, args ...string) *process {
	t.Helper()
	p := startProcess(t, before, append([]string{"record"}, args...)...)
	p.complains("recording at ")
	return p
}

// interrupts ends a recording as Ctrl-C does.
func (p *process) interrupts() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(p.t, exitOK, p.end(), p.stderr())
}

// TestRecordSession records a session on a joiner's machine, beside tcpdump: both have the same packets, also those at ports that
// only messages tell, and the doctor has the same to say. It needs root.
func TestRecordSession(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 2, 0)
	there := net.machines[1]
	ours, theirs := filepath.Join(t.TempDir(), "game.pcapng"), filepath.Join(t.TempDir(), "game.pcap")
	as := append(inside(there), "env", "SUDO_UID=65534", "SUDO_GID=65533")
	rec := startRecord(t, as, "-o", ours, "--for", anHour)
	end := tcpdump(t, there, "eth0", theirs)
	a := net.newArena("recorded")
	host := a.open(nil, "--tcp", "31400", "--udp", "31401")
	joiner := a.open(host)
	a.meet()
	a.talk("hello")
	joiner.leaves()
	host.leaves()
	end()
	want := packetsOf(t, theirs)
	has(t, ours, len(want), "> ")
	rec.interrupts()
	assert.Greater(t, len(want), 20)
	assert.Equal(t, want, packetsOf(t, ours))
	verdict := net.on(1, "doctor", ours)
	assert.Equal(t, exitOK, verdict.status)
	assert.Equal(t, strings.SplitAfter(verdict.out, "\n")[0], strings.Join(rec.output(), "\n")+"\n")
	assert.Contains(t, verdict.out, "game.pcapng: healthy: 1 session, 1 machine joined, ")
	assert.Contains(t, rec.stderr(), "dplay: stopped: "+fmt.Sprint(len(want))+" packets, ")
	info, err := os.Stat(ours)
	require.NoError(t, err)
	owner := info.Sys().(*syscall.Stat_t)
	assert.Equal(t, []uint32{65534, 65533}, []uint32{owner.Uid, owner.Gid}, "it is whose sudo it was")
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "passwords are in it")

	again := net.on(1, "record", "-o", ours, "--for", "50ms")
	assert.Equal(t, exitInput, again.status)
	assert.Contains(t, again.err, "game.pcapng: file already exists and is not empty: name another one, or --force to replace it")
	again = net.on(1, "record", "-o", ours, "--for", "50ms", "--force", "--format", "ndjson")
	assert.Equal(t, exitOK, again.status, again.err)
	lines := strings.Split(again.out, "\n")
	assert.Equal(t, "no-directplay4", parse(t, lines[0])["code"])
	assert.Equal(t, "verdict", parse(t, lines[1])["type"])
	again = net.on(1, "record", "-o", ours, "--for", "50ms", "--force")
	assert.Equal(t, exitOK, again.status, again.err)
	assert.Contains(t, again.out, "1 finding: the capture is empty: it holds no packet\n")
	assert.Contains(t, again.err, "dplay: stopped, the time is over: 0 packets, nothing of DirectPlay 4, in ")
}

// TestRecordLoopback records two programs on one machine: each packet passes the loopback adapter twice, and is recorded once.
// An adapter that comes up meanwhile is recorded as well. It takes over 2 s because "dplay record" looks for one every 2 s.
func TestRecordLoopback(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 2, 0)
	there := net.machines[0]
	net.ip(there, "link set eth0 down")
	ours, theirs := filepath.Join(t.TempDir(), "game.pcapng"), filepath.Join(t.TempDir(), "game.pcap")
	rec := startRecord(t, inside(there), "-o", ours)
	assert.Contains(t, rec.stderr(), "recording at lo into ")
	end := tcpdump(t, there, "lo", theirs)
	a := net.newArena("loopback")
	a.before = func(int) []string { return inside(there) }
	a.addr = func(i int) string { return fmt.Sprintf("127.0.0.%d", 2+i) }
	host := a.open(nil)
	a.open(host).leaves()
	net.ip(there, "link set eth0 up")
	rec.complains("recording at eth0 as well")
	net.on(1, "sessions", address(0), "--timeout", "200ms") // asks at eth0, in vain: the host listens on the loopback
	host.leaves()
	end()
	want := packetsOf(t, theirs)
	has(t, ours, len(want), "> 127.0.0.")
	has(t, ours, 1, "> "+address(0))
	rec.interrupts()
	got := packetsOf(t, ours)
	assert.Greater(t, len(want), 20)
	assert.Equal(t, want, slices.DeleteFunc(slices.Clone(got), func(p string) bool { return !strings.Contains(p, " 127.0.0.") }))
	assert.Contains(t, strings.Join(got, "\n"), " > "+address(0)+":47624 ")
}

// TestRecordNoRight checks what who may not record, or names an adapter that is not there, is told.
func TestRecordNoRight(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 1, 0)
	file := filepath.Join(t.TempDir(), "game.pcapng")
	p := startProcess(t, append(inside(net.machines[0]), "setpriv", "--bounding-set", "-net_raw", "--inh-caps", "-net_raw"), "record", "-o", file)
	assert.Equal(t, exitInput, p.end())
	assert.Contains(t, p.stderr(), `dplay: this user may not record packets. Run it as root: "sudo dplay record"; or allow it once and `+
		`for all: "sudo setcap cap_net_raw+ep /`)
	got := net.on(0, "record", "-o", file, "-i", "nosuch0")
	assert.Equal(t, exitInput, got.status)
	assert.Equal(t, "dplay: there is no network adapter \"nosuch0\"; those that are up: lo, eth0\n", got.err)
	got = net.on(0, "record", "-o", filepath.Join(file, "no", "folder"))
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "no such file or directory")
	assert.NoFileExists(t, file)
}

// tunnel makes an adapter as VPNs have it: a program at the other end, and nothing before the IP header.
const tunnel = `import fcntl, os, struct
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454ca, struct.pack("16sH", b"tun0", 0x1001))
print("ready", flush=True)
while True:
    os.read(tun, 2000)`

// TestRecordTunnel records what leaves by the adapter of a VPN.
func TestRecordTunnel(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is missing")
	}
	net := newNetwork(t, 1, 0)
	there := net.machines[0]
	command := append(inside(there), "python3", "-c", tunnel)
	vpn := exec.Command(command[0], command[1:]...)
	said := newProgram(t, "tunnel")
	vpn.Stdout, vpn.Stderr = said, (*programErrors)(said)
	require.NoError(t, vpn.Start())
	t.Cleanup(func() {
		vpn.Process.Kill() //nolint:errcheck // it may have failed
		vpn.Wait()         //nolint:errcheck // as said
	})
	said.await("tunnel", func() bool { return len(said.output()) > 0 || said.stderr() != "" })
	if text := said.stderr(); text != "" {
		t.Skipf("THE TUNNEL IS NOT RECORDED: this machine cannot make one: %s", text)
	}
	net.ip(there, "addr add 10.9.0.1/24 dev tun0", "link set tun0 up")
	file := filepath.Join(t.TempDir(), "game.pcapng")
	rec := startRecord(t, inside(there), "-i", "tun0", "-o", file)
	assert.Equal(t, exitInput, net.on(0, "sessions", "10.9.0.2", "--timeout", "300ms").status, "nobody is there")
	rec.interrupts()
	assert.Contains(t, strings.Join(packetsOf(t, file), "\n"), " > 10.9.0.2:47624 ")
	assert.Contains(t, strings.Join(rec.output(), "\n"), "10.9.0.1")
}

// TestRecordDisk has a disk that is nearly full: nothing is recorded there.
func TestRecordDisk(t *testing.T) {
	t.Parallel()
	net := newNetwork(t, 1, 0)
	folder := t.TempDir()
	mount := append(inside(net.machines[0]), "unshare", "--mount", "sh", "-c",
		`mount -t tmpfs -o size=100m none "$0" && exec "$@"`, folder)
	p := startProcess(t, mount, "record", "-o", filepath.Join(folder, "game.pcapng"))
	assert.Equal(t, exitInput, p.end())
	assert.Contains(t, p.stderr(), "game.pcapng: only 100 MB are free there, and 256 MB are to stay so")
}
