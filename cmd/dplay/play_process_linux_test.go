package main

import (
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A window is a terminal with a process of its own in it.
type window struct {
	*program
	screen *screen
	cmd    *exec.Cmd
}

// openWindow runs a command line as a process whose terminal is a pseudo terminal, as a shell in a window does.
func openWindow(t *testing.T, args ...string) *window {
	t.Helper()
	return openTerminal(t, asProcess(t, nil, args...))
}

// openTerminal starts a command in a terminal of its own, with environment variables beside those that tell of a usual terminal.
func openTerminal(t *testing.T, command *exec.Cmd, variables ...string) *window {
	t.Helper()
	command.Env = append(append(command.Env, "TERM=xterm-256color", "NO_COLOR="), variables...)
	p := newProgram(t, strings.Join(command.Args[1:], " "))
	w := &window{p, openScreen(t, p), command}
	w.cmd.Stdin, w.cmd.Stdout, w.cmd.Stderr = w.screen.tty, w.screen.tty, w.screen.tty
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, w.cmd.Start())
	require.NoError(t, w.screen.tty.Close()) // the process has it now, and with it ends what is written there
	go func() {
		defer close(p.done)
		w.cmd.Wait() //nolint:errcheck // the status says it
		w.screen.done.Wait()
		p.status = w.cmd.ProcessState.ExitCode()
	}()
	t.Cleanup(func() {
		w.cmd.Process.Kill() //nolint:errcheck // it has ended, as a rule
		<-p.done
		w.screen.master.Close()
	})
	return w
}

// reads waits for a line, which stands above the one that is being typed.
func (w *window) reads(line string) {
	w.t.Helper()
	w.find("line "+line, func(l string) bool { return strings.HasSuffix(ansi.Strip(l), line+"\r") })
}

// types presses keys.
func (w *window) types(keys string) {
	w.t.Helper()
	_, err := io.WriteString(w.screen.master, keys)
	require.NoError(w.t, err)
}

// TestTwoTerminals has two processes chat, each in a terminal of its own. One leaves with Ctrl-C, the other one with
// Ctrl-D. Their recordings are whole.
func TestTwoTerminals(t *testing.T) {
	t.Parallel()
	const interrupt, endOfInput = "\x03", "\x04"
	at := newPlace(t)
	file := filepath.Join(t.TempDir(), "host.pcapng")
	ann := openWindow(t, at.host("--player", "Ann", "--record", file)...)
	ann.expectWith("* you are Ann")
	bob := openWindow(t, at.join("--player", "Bob")...)
	bob.expectWith("* you are Bob")
	ann.expectWith("* Bob is here")
	for _, text := range []string{"hello", "gr\u00fc\u00df dich"} {
		bob.types(text + "\n")
		ann.reads("Bob: " + text)
		ann.types(text + " too\n")
		bob.reads("Ann: " + text + " too")
	}
	bob.types(interrupt)
	assert.Equal(t, exitOK, bob.end())
	ann.expectWith("* Bob is gone")
	ann.types(endOfInput)
	assert.Equal(t, exitOK, ann.end())
	for _, w := range []*window{ann, bob} {
		assert.Contains(t, ansi.Strip(w.screen.seen.String()), "* you left the session\r\n")
	}
	said := 0
	for _, m := range readRecording(t, file) {
		if m.command == "CHAT" {
			said++
		}
	}
	assert.Equal(t, 4, said)
}

// TestTwoTerminalsReliable is a session with the reliable protocol, with the flags of Stronghold Crusader: two chat, the host is
// killed, the other goes on as host, and a third one joins it.
func TestTwoTerminalsReliable(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	file := filepath.Join(t.TempDir(), "bob.pcapng")
	ann := openWindow(t, at.host("--player", "Ann", "--flags", "directplayprotocol,keepalive,migratehost,optimizelatency")...)
	ann.expectWith("* you are Ann")
	bob := openWindow(t, at.join("--player", "Bob", "--record", file)...)
	bob.expectWith("directplayprotocol")
	ann.expectWith("* Bob is here")
	chat := func(a, b *window, from, to string) {
		t.Helper()
		a.types("hello " + to + "\n")
		b.reads(from + ": hello " + to)
		b.types("hello " + from + "\n")
		a.reads(to + ": hello " + from)
	}
	chat(ann, bob, "Ann", "Bob")
	require.NoError(t, ann.cmd.Process.Kill())
	ann.end()
	bob.expectWith("* we are the host now")
	carl := openWindow(t, at.join("--player", "Carl", "--send-hex", "cafe")...)
	carl.expectWith("* you are Carl")
	bob.expectWith("* Carl is here")
	bob.expectWith("2 octets, guaranteed: cafe")
	chat(bob, carl, "Bob", "Carl")
	carl.types("\x04")
	assert.Equal(t, exitOK, carl.end())
	bob.expectWith("* Carl is gone")
	bob.types("\x04")
	assert.Equal(t, exitOK, bob.end())
	framed, said := 0, 0
	for _, line := range strings.Split(dplay(t, "decode", "-q", "--format", "ndjson", file).out, "\n") {
		framed += strings.Count(line, `"RELIABLE_`)
		said += strings.Count(line, `"command":"CHAT"`)
	}
	assert.Positive(t, framed, "what the game says goes in frames, and is acknowledged")
	assert.Equal(t, 4, said)
}

// A router passes connections to a port of its own address on to the same port of another one. They arrive there from its
// address, which is where strangers are answered.
func router(t *testing.T, outside, inside string) {
	t.Helper()
	l, err := net.Listen("tcp4", outside)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: l.Addr().(*net.TCPAddr).IP}}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := dialer.Dial("tcp4", inside)
				if err != nil {
					return
				}
				defer out.Close()
				go func() {
					defer in.Close()
					io.Copy(in, out) //nolint:errcheck // it ends with the connection
				}()
				io.Copy(out, in) //nolint:errcheck // likewise
			}()
		}
	}()
}

// TestAdvertise has a host and a joiner tell others an address that is not the one of their sockets: that of a router
// that passes their ports on. Each reaches the other one through it.
func TestAdvertise(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	outside := at.beside()
	for _, port := range []string{":2310", ":2311"} { // others listen at 2300 and 2301 of all addresses at times
		router(t, outside+port, at.address+port)
	}
	h := startHost(t, at, "--advertise", outside, "--tcp", "2310", "--echo")
	assert.Equal(t, outside+":2310", finds(t, at.sessions()...)["addr"])
	j := startJoin(t, at, "--advertise", outside, "--tcp", "2311", "--send-hex", "c0ffee", "--say", "around the corner")
	assert.Equal(t, outside+":2311", h.event("peer_joined")["addr"])
	h.event("chat", "text", "around the corner")
	j.event("message", "payload", "c0ffee", "from_name", "host")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
	h.event("player_deleted", "name", "guest")
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
}

// freeze stops a process, and returns when each thread of it stands still: until then the rest of them go on for a while.
func freeze(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	_, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
	require.NoError(t, err)
	require.True(t, status.Stopped())
}

// TestCommandUnderWay: while a command waits for a host that is frozen, events are printed and the next lines wait; if the session is
// left meanwhile it is answered before the end.
func TestCommandUnderWay(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := openWindow(t, at.host("--player", "Ann")...)
	h.expectWith("* you are Ann")
	j := start(t, at.join("--commands", "ndjson", "--player", "Bob"))
	j.event("player_created", "name", "Bob") // else it is still on its way when the host stops
	k := startJoin(t, at, "--player", "Kim")
	j.event("player_created", "name", "Kim")
	freeze(t, h.cmd)
	j.say(`{"command":"create_player","name":"Second","id":"s"}`)
	j.say(`{"command":"say","text":"later"}`)
	k.say("are you there?")
	j.event("chat", "text", "are you there?")
	j.stop()
	j.event("answer", "id", "s", "ok", false, "error", "no-session")
	j.event("session_closed")
	j.endWell()
	assert.NotContains(t, strings.Join(j.output(), ""), `"line":2`)
}
