package doctor_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/dpsp"
	"dplay4/dpsp/recording"
	"dplay4/dpsp/sock"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// The games of the scenes.
var thisGame, otherGame, thirdGame = wire.GUID{1}, wire.GUID{2}, wire.GUID{4}

// gameName names them.
func gameName(g wire.GUID) string {
	return map[wire.GUID]string{thisGame: "This Game", otherGame: "Other Game", thirdGame: "Third Game"}[g]
}

// A scene is a world in which sessions are played.
type scene struct {
	*world
	t       *testing.T
	ctx     context.Context
	members []*member
	form    form
}

// A member is a machine of a scene.
type member struct {
	*sock.Session
	s      *scene
	addr   netip.Addr
	player wire.PlayerID
	name   string
	own    bytes.Buffer // its own recording, as --record makes it
	tape   *recording.Writer
}

// at returns the address of the machine with a number; a number that is an address stands for itself.
func (s *scene) at(number string) netip.Addr {
	if strings.Contains(number, ".") {
		return netip.MustParseAddr(number)
	}
	return netip.MustParseAddr(cmp.Or(s.form.net, "192.0.2.") + number)
}

// open starts a program on the machine with a number.
func (s *scene) open(number string, change ...func(*sock.Options)) *member {
	m := &member{s: s, addr: s.at(number), name: "p" + number}
	var err error
	m.tape, err = recording.New(&m.own)
	require.NoError(s.t, err)
	o := sock.Options{Bind: m.addr, Network: plug{s.world, m.addr}, Record: sock.Addressed(m.tape),
		Config: dpsp.Config{Seed: [32]byte{1, byte(len(s.members))}, Period: 5 * time.Second, Probes: 3}}
	if s.form.option != nil {
		s.form.option(number, &o)
	}
	for _, c := range change {
		c(&o)
	}
	m.Session, err = sock.Open(o)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { m.Close() })
	go func() {
		for range m.Events() { //nolint:revive // nobody looks at them
		}
	}()
	s.members = append(s.members, m)
	return m
}

// hosts opens a session.
func (m *member) hosts(flags wire.SessionFlags, change ...func(*dpsp.Host)) *member {
	m.s.t.Helper()
	h := dpsp.Host{Application: thisGame, Name: "Test", Flags: flags}
	for _, c := range change {
		c(&h)
	}
	require.NoError(m.s.t, m.Host(m.s.ctx, h))
	return m
}

// finds looks for a session for five seconds: by asking everybody, or the machine with a number.
func (m *member) finds(number string, change ...func(*sock.Ask)) (sock.Found, error) {
	a := sock.Ask{Application: thisGame}
	if number != "" {
		a.Hosts = []netip.Addr{m.s.at(number)}
	}
	for _, c := range change {
		c(&a)
	}
	ctx, cancel := context.WithTimeout(m.s.ctx, 5*time.Second)
	defer cancel()
	return m.Find(ctx, a)
}

// enters joins the session of a machine, and makes a player.
func (m *member) enters(number, password string, change ...func(*sock.Ask)) error {
	f, err := m.finds(number, change...)
	if err == nil {
		err = m.Join(m.s.ctx, f, dpsp.Text(password))
	}
	if err == nil {
		err = m.plays()
	}
	return err
}

// joins does so, and it has to go well.
func (m *member) joins(number, password string, change ...func(*sock.Ask)) *member {
	m.s.t.Helper()
	require.NoError(m.s.t, m.enters(number, password, change...))
	return m
}

// plays makes a player.
func (m *member) plays() (err error) {
	m.player, err = m.CreatePlayer(m.s.ctx, dpsp.Text(m.name), nil)
	return err
}

// talks has those of the members who play send each other messages for some seconds.
func (s *scene) talks(rounds int, members ...*member) {
	for i := range rounds {
		for _, m := range members {
			if m.player == 0 {
				continue
			}
			text := []byte(fmt.Sprintf("round %d", i))
			m.Send(s.ctx, m.player, wire.IDAll, text, true)                //nolint:errcheck // the session may be lost
			m.Send(s.ctx, m.player, wire.IDAll, append(text, '!'), false)  //nolint:errcheck // likewise
			m.Chat(s.ctx, m.player, wire.IDAll, dpsp.Text("hello"), false) //nolint:errcheck // likewise
		}
		s.passes(500 * time.Millisecond)
	}
}

// passes lets time pass.
func (s *scene) passes(d time.Duration) { <-pause(d) }

// pause and later are those of the bubble that a scene is in.
func pause(d time.Duration) <-chan time.Time { return time.After(d) }
func later(d time.Duration, do func())       { time.AfterFunc(d, do) }

// leave has members leave, the last one first.
func (s *scene) leave(members ...*member) {
	for i := len(members) - 1; i >= 0; i-- {
		members[i].Leave(s.ctx) //nolint:errcheck // the session may be lost
		s.passes(time.Second)
	}
}

// A form is how sessions are recorded: on which addresses they play, and what is seen of them.
type form struct {
	net    string // beginning of the addresses; "": 192.0.2.
	view   func(*scene) []byte
	option func(number string, o *sock.Options)
}

// A taping is a member of a set: a kind of session, and the form of its recording.
type taping struct {
	kind, form string
	play       func(*scene)
}

func (r *taping) name() string { return r.kind + ", " + r.form }

// keepSets names a folder for the recordings of the sets that fail.
const keepSets = "DPLAY_SETS_KEEP"

// examined plays a scene and examines its recording, which is kept where the test fails.
func (r *taping) examined(t *testing.T) *doctor.Report {
	f, ok := forms[r.form]
	require.True(t, ok, "the form %q", r.form)
	var file []byte
	synctest.Test(t, func(t *testing.T) {
		s := &scene{world: newWorld(t), t: t, ctx: t.Context(), form: f}
		r.play(s)
		synctest.Wait()
		file = f.view(s)
	})
	report, err := doctor.Examine(context.Background(), bytes.NewReader(file), doctor.Options{Options: captures.Options{Name: r.name()}, Game: gameName})
	require.NoError(t, err)
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		t.Logf("%s", report.AppendText(nil))
		if folder := os.Getenv(keepSets); folder != "" {
			path := filepath.Join(folder, strings.ReplaceAll(r.name(), " ", "-")+".pcapng")
			assert.NoError(t, os.WriteFile(path, file, 0o600))
			t.Logf("the recording is %s", path)
		}
	})
	return report
}

// wrong returns the findings that are no information, each in a line.
func wrong(r *doctor.Report) (list []string) {
	for _, f := range r.Findings {
		if f.Severity > doctor.Information {
			list = append(list, f.Severity.String()+" ["+string(f.Code)+"]: "+f.Text)
		}
	}
	return list
}

// machine returns a view of what one machine sees.
func machine(number string) func(*scene) []byte {
	return func(s *scene) []byte { return s.file(view{at: s.at(number)}) }
}

// tape returns the recording that a machine made itself, by --record.
func tape(number int) func(*scene) []byte {
	return func(s *scene) []byte {
		m := s.members[number]
		require.NoError(s.t, m.tape.Close())
		return m.own.Bytes()
	}
}

// ofMachine returns a view of a machine that begins late, or has only what it sent.
func ofMachine(number string, v view) func(*scene) []byte {
	return func(s *scene) []byte {
		v := v // scenes run at the same time
		v.at = s.at(number)
		return s.file(v)
	}
}

// split has packets of one machine on the second adapter of another one.
func split(machine, second string) func(*scene) []byte {
	return func(s *scene) []byte {
		there := s.at(second)
		return s.file(view{at: s.at(machine), card: func(p *packet) int { return flag(p.src.Addr() == there || p.dst.Addr() == there) }})
	}
}

// everything is a view of the whole network.
func everything(v view) func(*scene) []byte { return func(s *scene) []byte { return s.file(v) } }

// behindRouters gives the machines of the tests addresses of the internet, and others behind their routers.
func behindRouters(machine string) func(*scene) []byte {
	return func(s *scene) []byte {
		at := s.at(machine)
		return s.file(view{at: at, inner: map[netip.Addr]netip.Addr{at: netip.MustParseAddr("192.168.1.20")}})
	}
}

// told advertises the address that packets come from.
func told(_ string, o *sock.Options) { o.Advertise = o.Bind }

// forms are all forms.
var forms = map[string]form{
	"network":        {view: everything(view{})},
	"host":           {view: machine("1")},
	"joiner":         {view: machine("2")},
	"host's own":     {view: tape(0)},
	"joiner's own":   {view: tape(1)},
	"joiner's alone": {view: tape(0)},
	"joiner, with gaps": {view: ofMachine("2", view{drop: func(n int, p *packet) bool {
		return !p.udp && len(p.data) == madeup.MaxSegment && n%3 == 0
	}})},
	"joiner, what it sent alone":    {view: ofMachine("2", view{sent: true})},
	"third":                         {view: machine("3")},
	"third's own":                   {view: tape(2)},
	"host, private addresses":       {net: "10.4.5.", view: machine("1")},
	"joiner, private addresses":     {net: "192.168.178.", view: machine("2")},
	"joiner, link-local addresses":  {net: "169.254.7.", view: machine("2")},
	"joiner, a VPN":                 {net: "25.11.12.", view: machine("2")},
	"host, another VPN":             {net: "100.101.102.", view: machine("1")},
	"loopback":                      {net: "127.0.0.", view: everything(view{})},
	"loopback, joiner's own":        {net: "127.0.0.", view: tape(1)},
	"host, two adapters":            {view: split("1", "2")},
	"joiner, two adapters":          {view: split("2", "1")},
	"network, each packet twice":    {view: everything(view{both: true})},
	"host, from the middle":         {view: ofMachine("1", view{after: 20 * time.Second})},
	"joiner, from the middle":       {view: ofMachine("2", view{after: 20 * time.Second})},
	"network, from the middle":      {view: everything(view{after: 20 * time.Second})},
	"host, what it sent alone":      {view: ofMachine("1", view{sent: true})},
	"host, ends early":              {view: ofMachine("1", view{until: 21 * time.Second})},
	"internet, host advertises":     {view: machine("1"), option: told},
	"internet, joiner advertises":   {view: machine("2"), option: told},
	"host behind a router":          {view: behindRouters("1"), option: told},
	"joiner behind a router":        {view: behindRouters("2"), option: told},
	"network, other IPv4 addresses": {net: "172.20.30.", view: everything(view{})},
}
