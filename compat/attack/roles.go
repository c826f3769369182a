package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// game is the application of our sessions.
var game = wire.GUID{0xBE, 0x7C, 0x5E, 0x57}

// roleWord is the first argument of the processes that this program starts.
const roleWord = "role"

// A machine is what others know of one.
type machine struct {
	System, Player   wire.PlayerID
	Stream, Datagram netip.AddrPort
}

// A stage is what a process is told: where it is, and who is there already.
type stage struct {
	First         netip.Addr // of the 250 addresses of this stage, below 127.0.0.0/8; its last octet is 1
	Attack        string
	Time          time.Duration
	Host, Control machine
}

// address is one of ours. The host is 1, the control 2, the crowd 10 and up, those who join 100 and up, a
// machine in no session 180, attackers 200 and up.
func (s stage) address(n int) netip.Addr {
	b := s.First.As4()
	b[3] = byte(n)
	return netip.AddrFrom4(b)
}

func (s stage) options(n int) sock.Options {
	return sock.Options{Bind: s.address(n), Config: dpsp.Config{Tries: 2}}
}

// play is one of the other processes: a role and its stage. It says in a line of JSON that it is ready, and in another
// one how it went, when its input ends: when it is told to end, or who started it is gone.
func play(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	var st stage
	if len(args) != 2 {
		return usageError{fmt.Errorf("%s is for the program itself", roleWord)}
	}
	if err := json.Unmarshal([]byte(args[1]), &st); err != nil {
		return usageError{err}
	}
	do := map[string]func(*role) error{"host": (*role).host, "control": (*role).control, "strike": (*role).strike, "crowd": (*role).crowd}[args[0]]
	if do == nil {
		return usageError{fmt.Errorf("there is no role %q", args[0])}
	}
	a, ok := attackOf(st.Attack)
	if !ok {
		return usageError{fmt.Errorf("there is no attack %q", st.Attack)}
	}
	ctx, cancel := context.WithTimeout(ctx, st.Time+mostTime)
	defer cancel()
	begin, end := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(end)
		s := bufio.NewScanner(in)
		if s.Scan() {
			close(begin)
		}
		for s.Scan() {
		}
	}()
	r := role{stage: st, attack: a, ctx: ctx, out: json.NewEncoder(out), begin: begin, end: end}
	return do(&r)
}

// A role is one of the other processes.
type role struct {
	stage
	attack     attack // that the role is for
	ctx        context.Context
	out        *json.Encoder
	begin, end chan struct{}
	mu         sync.Mutex // of what a watcher saw
}

// An account is how it went for one of them.
type account struct {
	Echoes   []time.Duration // how long each took; one with guarantee that did not come took as long as it was waited for
	Asked    [2]int          // echoes that were asked for, without guarantee and with it
	Lost     [2]int          // those of them that did not come
	Wrong    []string        // what must not happen
	Attempts int             // of the attacker, messages or connections
	Third    int             // connections that a machine that is in no session got from one other
	Failure  string          // of the attacker: why it could not do what it was to
}

// host hosts, with a program that echoes what begins so.
func (r *role) host() error {
	flags := wire.SessionKeepAlive | wire.SessionMigrateHost
	if r.attack.in.framed {
		flags |= wire.SessionDirectPlayProtocol
	}
	s, err := sock.Open(r.options(1))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Host(r.ctx, dpsp.Host{Application: game, Name: "Attacked", Flags: flags}); err != nil {
		return err
	}
	me, err := r.player(s, "Host", nil)
	if err != nil {
		return err
	}
	w := watcher{}
	go func() {
		for e := range s.Events() {
			if m, ok := e.(dpsp.Message); ok && isEcho(m.Payload) {
				s.Send(r.ctx, me.Player, m.From, m.Payload, m.Guaranteed)
			}
			r.mu.Lock()
			w.see(e)
			r.mu.Unlock()
		}
	}()
	return r.serve(me, func() {}, func() account { return account{Wrong: w.wrong} })
}

// serve says that the process is ready, does something, and says how it went when it is told to end. The process stays until its
// starter ends it.
func (r *role) serve(ready any, do func(), went func() account) error {
	r.out.Encode(ready)
	do()
	<-r.end
	r.mu.Lock()
	r.out.Encode(went())
	r.mu.Unlock()
	<-r.ctx.Done()
	return nil
}

// enter makes a machine a member of the session, with a player.
func (r *role) enter(o sock.Options, name string, data []byte) (s *sock.Session, m machine, err error) {
	if s, err = sock.Open(o); err != nil {
		return nil, m, err
	}
	if err = r.join(r.ctx, s); err == nil {
		m, err = r.player(s, name, data)
	}
	if err != nil {
		s.Close()
	}
	return s, m, err
}

// player makes a player of a machine.
func (r *role) player(s *sock.Session, name string, data []byte) (machine, error) {
	id, err := s.CreatePlayer(r.ctx, dpsp.Text(name), data)
	return machine{s.Info().System, id, s.StreamAddr(), s.DatagramAddr()}, err
}

// A watcher sees what must not happen in an attacked session.
type watcher struct{ wrong []string }

// see notes what must not happen.
func (w *watcher) see(e dpsp.Event) {
	switch e := e.(type) {
	case dpsp.SessionLost:
		w.refuse(true, "session lost: "+e.Reason)
	case dpsp.SessionChanged:
		w.refuse(true, "session changed to "+e.Name)
	case dpsp.HostLost, dpsp.HostChanged, dpsp.SessionSplit, dpsp.SessionHealed:
		w.refuse(true, fmt.Sprintf("%T", e))
	case dpsp.PlayerDeleted:
		w.refuse(slices.Contains([]string{"Host", "Control", "Crowd", friend}, e.Name), e.Name+" deleted")
	case dpsp.PeerJoined:
		w.refuse(e.System >= madeUp && e.System-madeUp < madeUpOf, "a machine with a made-up id is in")
	case dpsp.PlayerCreated:
		w.refuse(e.ShortName == intruder, "a stranger's player")
	case dpsp.PlayerChanged:
		w.refuse(e.ShortName == intruder, "renamed by a stranger")
	case dpsp.Message:
		w.refuse(string(e.Payload) == intruder, "a stranger's message")
	case dpsp.ChatMessage:
		w.refuse(true, "a stranger's text")
	}
}

// refuse notes a text if it is about something wrong: each text once, and ten at most.
func (w *watcher) refuse(wrong bool, text string) {
	if wrong && !slices.Contains(w.wrong, text) && len(w.wrong) < 10 {
		w.wrong = append(w.wrong, text)
	}
}

const (
	intruder = "Intruder" // the name and the text of strangers
	friend   = "Friend"   // a member that does nothing wrong
)

// A process is one of the others, seen from who started it.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// start starts a process and reads what it says once it is ready.
func start(ctx context.Context, name string, st stage, ready any) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b, err := json.Marshal(st)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, roleWord, name, string(b))}
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.out.Decode(ready); err != nil {
		p.kill()
		return nil, fmt.Errorf("the process of the %s did not get ready", name)
	}
	return p, nil
}

// begin tells a process that it begins.
func (p *process) begin() { io.WriteString(p.in, "begin\n") }

// finish has a process end what it does and reads how it went. It is there until kill: if it went away itself, those that
// are finished after it would notice.
func (p *process) finish() (a account, err error) {
	p.in.Close()
	return a, p.out.Decode(&a)
}

// kill ends a process.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// ask asks the attacked host.
func (s stage) ask() sock.Ask {
	return sock.Ask{Application: game, Flags: wire.EnumAvailable, Hosts: []netip.Addr{s.address(1)}, Repeat: 100 * time.Millisecond}
}

// join finds the session and joins it.
func (s stage) join(ctx context.Context, machine *sock.Session) error {
	found, err := machine.Find(ctx, s.ask())
	if err != nil {
		return err
	}
	return machine.Join(ctx, found, "")
}
