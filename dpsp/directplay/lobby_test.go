package directplay

import (
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A desk is a machine with processes, in memory.
type desk struct {
	t        testing.TB
	mu       sync.Mutex
	accepts  map[string]func(io.ReadWriteCloser)
	started  []Command
	running  map[uint32]chan struct{} // closed when the process ends
	pipes    []io.Closer              // between processes
	secrets  byte
	broken   error         // of Start
	deaf     error         // of Listen
	busy     chan struct{} // calls are taken once it is closed; nil: at once
	registry MapRegistry
}

func newDesk(t testing.TB) *desk {
	d := &desk{t: t, accepts: map[string]func(io.ReadWriteCloser){}, running: map[uint32]chan struct{}{}, registry: MapRegistry{
		"Game": {"guid": testApplication.String(), "File": "game.exe", "Path": `C:\Games\`, "CommandLine": "/lobby"},
	}}
	t.Cleanup(d.end)
	return d
}

// end ends all processes, and what they were connected by.
func (d *desk) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.pipes {
		c.Close()
	}
	for _, done := range d.running {
		select {
		case <-done:
		default:
			close(done)
		}
	}
}

type deskProcess struct {
	id   uint32
	done chan struct{}
}

func (p deskProcess) ID() uint32 { return p.id }
func (p deskProcess) Wait()      { <-p.done }

// process returns a lobby for a process that has these variables besides.
func (d *desk) process(id uint32, environment ...string) *Lobby {
	return NewLobby(Machine{
		Process:  id,
		Registry: d.registry,
		Getenv: func(name string) string {
			for _, e := range environment {
				if n, v, _ := strings.Cut(e, "="); n == name {
					return v
				}
			}
			return ""
		},
		Start: func(c Command) (Process, error) {
			if d.broken != nil {
				return nil, d.broken
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			d.started = append(d.started, c)
			p := deskProcess{1000 + uint32(len(d.started)), make(chan struct{})}
			d.running[p.id] = p.done
			return p, nil
		},
		Listen: func(accept func(io.ReadWriteCloser)) (string, error) {
			if d.deaf != nil {
				return "", d.deaf
			}
			d.mu.Lock()
			defer d.mu.Unlock()
			d.accepts["127.0.0.1:5000"] = accept
			return "127.0.0.1:5000", nil
		},
		Dial: func(place string) (io.ReadWriteCloser, error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			accept := d.accepts[place]
			if accept == nil {
				return nil, errors.New("nobody listens")
			}
			ours, theirs := net.Pipe()
			d.pipes = append(d.pipes, ours, theirs)
			go func() {
				if d.busy != nil {
					<-d.busy
				}
				accept(theirs)
			}()
			return ours, nil
		},
		Secret: func() Secret {
			d.secrets++
			return Secret{d.secrets}
		},
	})
}

// events is what a program waits for.
type events chan struct{}

func (e events) notify() { e <- struct{}{} }

// receive waits for the next lobby message.
func receive(t testing.TB, l *Lobby, application uint32, e events) (uint32, []byte) {
	t.Helper()
	<-e
	b := Buffer{Size: math.MaxUint32}
	flags, code := l.ReceiveLobbyMessage(0, application, &b)
	require.Equal(t, wire.OK, code)
	return flags, b.Data
}

// system waits for the next lobby message, which is one of DirectPlay's own.
func system(t testing.TB, l *Lobby, application uint32, e events) LobbyMessageType {
	t.Helper()
	flags, b := receive(t, l, application, e)
	m, err := ParseLobbyMessage(b)
	require.NoError(t, err)
	assert.Equal(t, m.Flags(), flags)
	assert.Equal(t, testInstance, m.Instance)
	return m.Type
}

// quiet says that no message waits.
func quiet(t testing.TB, l *Lobby, application uint32) {
	t.Helper()
	_, code := l.ReceiveLobbyMessage(0, application, &Buffer{})
	assert.Equal(t, wire.ErrNoMessages, code)
}

// run starts the game of testSettings, and returns launcher and game.
func run(t testing.TB, d *desk) (launcher *Lobby, id uint32, heard events, game *Lobby) {
	t.Helper()
	heard = make(events, 16)
	launcher = d.process(1)
	id, code := launcher.RunApplication(0, testSettings(), heard.notify)
	require.Equal(t, wire.OK, code)
	game = d.process(id, d.started[len(d.started)-1].Environment...)
	return launcher, id, heard, game
}

func TestLobbiedGame(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	launcher, id, heard, game := run(t, d)
	c := d.started[0]
	assert.Equal(t, []string{`C:\Games\game.exe`, `"C:\Games\game.exe" /lobby`, `C:\Games\`},
		[]string{c.File, c.CommandLine, c.Directory})
	require.Len(t, c.Environment, 2)

	size := uint32(len(testSettings().Block(face32).Data))
	sizeQuery(t, size, func(b *Buffer) wire.HResult { return game.GetConnectionSettings(0, b, face32) })
	assert.Equal(t, ConnectionSettingsRead, system(t, launcher, id, heard))
	quiet(t, launcher, id) // to ask for the size is not to read, and to read again is nothing new
	b := Buffer{Size: size, Address: 0x500000}
	require.Equal(t, wire.OK, game.GetConnectionSettings(0, &b, face32))
	assert.Equal(t, octets(t, goldenSettings32), b.Data)
	b = Buffer{Size: size, Address: 0x500000}
	require.Equal(t, wire.OK, launcher.GetConnectionSettings(id, &b, face32), "the launcher knows them, too")

	game.migrated(testInstance)
	assert.Equal(t, NewSessionHost, system(t, launcher, id, heard))

	game.own.link.end()
	close(d.running[id])
	assert.Equal(t, AppTerminated, system(t, launcher, id, heard))
	quiet(t, launcher, id)
	assert.Equal(t, wire.ErrAppNotStarted, launcher.SendLobbyMessage(0, id, []byte("hello")))
}

func TestLobbyMessages(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	launcher, id, heard, game := run(t, d)
	assert.Equal(t, wire.ErrAppNotStarted, launcher.SendLobbyMessage(0, id, []byte("too early")))

	told := make(events, 16)
	require.Equal(t, wire.OK, game.SetLobbyMessageEvent(0, 0, told.notify))
	require.Equal(t, wire.OK, game.SendLobbyMessage(0, 0, []byte("the game's own")))
	flags, b := receive(t, launcher, id, heard)
	assert.Zero(t, flags)
	assert.Equal(t, "the game's own", string(b))

	ask := LobbyMessage{Type: GetProperty, Request: 7, Player: testPlayer, Property: PropertyMessagesSupported}.Append(nil)
	require.Equal(t, wire.OK, game.SendLobbyMessage(LobbyStandard, id, ask), "its own number is itself")
	flags, b = receive(t, launcher, id, heard)
	assert.EqualValues(t, LobbyStandard, flags)
	assert.Equal(t, ask, b)
	require.Equal(t, wire.OK, launcher.SendLobbyMessage(LobbyStandard, id, []byte{8, 0, 0, 0}))
	<-told
	sizeQuery(t, 4, func(b *Buffer) wire.HResult { // takes the message where there is room, so that it is sent again
		flags, code := game.ReceiveLobbyMessage(0, 0, b)
		assert.EqualValues(t, LobbyStandard, flags)
		if code == wire.OK {
			require.Equal(t, wire.OK, launcher.SendLobbyMessage(LobbyStandard, id, b.Data))
			<-told
		}
		return code
	})
}

func TestLobbySettingsLater(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	launcher, id, heard, game := run(t, d)
	told := make(events, 16)
	require.Equal(t, wire.OK, game.SetLobbyMessageEvent(0, 0, told.notify))
	require.Equal(t, wire.OK, game.WaitForConnectionSettings(0))
	assert.Equal(t, wire.ErrNotLobbied, game.GetConnectionSettings(0, &Buffer{}, face32), "it waits for others")

	require.Equal(t, wire.OK, game.SendLobbyMessage(0, 0, []byte("here")))
	receive(t, launcher, id, heard) // it has called
	later := testSettings()
	later.Session.MaxPlayers, later.Address = 99, nil
	require.Equal(t, wire.OK, launcher.SetConnectionSettings(0, id, later))
	assert.Equal(t, NewConnectionSettings, system(t, game, 0, told))
	assert.EqualValues(t, 99, game.own.settings.Session.MaxPlayers)
}

// objects makes objects at an address of this machine.
func objects(t *world, at netip.Addr) func() *Object {
	return func() *Object { return New(Options{Config: Config{Bind: at}, Network: t.network}) }
}

// TestLobbyConnect has two lobbied games: one hosts, the other one goes there by the address that it is given.
func TestLobbyConnect(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		d := newDesk(t)
		hostSettings, joinSettings := testSettings(), testSettings()
		hostSettings.Session.Flags, hostSettings.Session.Password = wire.SessionMigrateHost, some("secret")
		hostSettings.Address = nil
		joinSettings.Session = &SessionDesc{Application: testApplication, Password: some("secret")}
		joinSettings.Flags = OpenJoin
		joinSettings.Address = compound(t, Chunk{AddressINet, append([]byte(at[0].String()), 0)})

		heard := [2]events{make(events, 16), make(events, 16)}
		launcher := d.process(1)
		var ids [2]uint32
		var games [2]*Object
		var found [2]LobbyMessage
		for i, s := range []*Settings{hostSettings, joinSettings} {
			id, code := launcher.RunApplication(0, s, heard[i].notify)
			require.Equal(t, wire.OK, code)
			ids[i] = id
			game := d.process(id, d.started[i].Environment...)
			code = wire.ErrConnecting
			for flags := uint32(OpenReturnStatus); code == wire.ErrConnecting; flags = 0 { // asks once, then waits
				games[i], code = game.Connect(flags, objects(t, at[i]))
			}
			require.Equal(t, wire.OK, code)
			t.Cleanup(games[i].Release)
			_, b := receive(t, launcher, id, heard[i])
			found[i], _ = ParseLobbyMessage(b)
			assert.Equal(t, ConnectSucceeded, found[i].Type)
		}
		assert.False(t, found[0].Instance.IsZero())
		assert.Equal(t, found[0].Instance, found[1].Instance, "the launcher hears which session it is")
		b := Buffer{Size: math.MaxUint32}
		require.Equal(t, wire.OK, games[1].GetSessionDesc(&b, face32))
		assert.Equal(t, found[0].Instance[:], b.Data[8:24])

		require.Equal(t, wire.OK, games[0].Close())
		_, said := receive(t, launcher, ids[1], heard[1])
		assert.Equal(t, LobbyMessage{Type: NewSessionHost, Instance: found[0].Instance}.Append(nil), said, "the other one hosts now")
	})
}

// TestLobbyInstance: launchers that have agreed on the GUID of a session meet in it, whichever game is there first. Every message
// about the session has the same GUID, also one that DirectPlay drew because none was given.
func TestLobbyInstance(t *testing.T) {
	for name, agreed := range map[string]wire.GUID{"agreed": testInstance, "drawn": {}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *world) {
				at := t.lane(3)
				d := newDesk(t)
				var heard [2]events
				var ids [2]uint32
				var done [2]chan *Object
				launcher, games := d.process(1), [2]*Lobby{}
				begin := func(i int, s *Settings) {
					heard[i], done[i] = make(events, 16), make(chan *Object, 1)
					id, code := launcher.RunApplication(0, s, heard[i].notify)
					require.Equal(t, wire.OK, code)
					ids[i], games[i] = id, d.process(id, d.started[len(d.started)-1].Environment...)
					go func() {
						o, code := games[i].Connect(0, objects(t, at[i]))
						assert.Equal(t, wire.OK, code)
						done[i] <- o
					}()
				}
				message := func(i int) LobbyMessage {
					_, b := receive(t, launcher, ids[i], heard[i])
					m, err := ParseLobbyMessage(b)
					require.NoError(t, err)
					return m
				}
				host, join := testSettings(), testSettings()
				host.Address, host.Session.Instance = nil, agreed
				join.Flags, join.Session = OpenJoin, &SessionDesc{Application: testApplication, Instance: agreed}
				join.Address = nil
				if !agreed.IsZero() { // there is another session of the game
					require.Equal(t, wire.OK, initialized(t, at[2], "").Open(&SessionDesc{Application: testApplication}, OpenCreate))
				}
				begin(1, join)
				<-time.After(3 * time.Second)
				begin(0, host)
				entered := message(0)
				assert.Equal(t, ConnectSucceeded, entered.Type)
				if agreed.IsZero() {
					assert.NotZero(t, entered.Instance)
				} else {
					assert.Equal(t, agreed, entered.Instance)
				}
				assert.Equal(t, entered, message(1))
				for i := range games {
					o := <-done[i]
					t.Cleanup(o.Release)
					b := Buffer{Size: math.MaxUint32}
					require.Equal(t, wire.OK, o.GetSessionDesc(&b, face32))
					assert.Equal(t, entered.Instance[:], b.Data[8:24])
					games[i].own.link.end()
					close(d.running[ids[i]])
					assert.Equal(t, LobbyMessage{Type: AppTerminated, Instance: entered.Instance}, message(i))
				}
			})
		})
	}
}

// TestOwnInstance: without a lobby a session has a new GUID, because the description may still have that of another one.
func TestOwnInstance(t *testing.T) {
	bubble(t, func(t *world) {
		g := initialized(t, t.lane(1)[0], "")
		d := SessionDesc{Application: testGame, Instance: testInstance}
		require.Equal(t, wire.OK, g.Open(&d, OpenCreate))
		assert.NotEqual(t, testInstance, d.Instance)
	})
}

// TestLobbyConnectFails says why a lobbied game does not get into its session, to the game and to the launcher.
func TestLobbyConnectFails(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(1)[0]
		for _, c := range []struct {
			what   string
			change func(*Settings)
			flags  uint32
			code   wire.HResult
			told   bool
		}{
			{"flags that nobody knows", func(*Settings) {}, 1, wire.ErrInvalidFlags, false},
			{"no address", func(s *Settings) { s.Address = []byte{1} }, 0, wire.ErrInvalidParams, true},
			{"a modem", func(s *Settings) { s.Provider, s.Address = ProviderModem, nil }, 0, wire.ErrUnavailable, true},
			{"neither to host nor to join", func(s *Settings) { s.Flags, s.Address = 0, nil }, 0, wire.ErrInvalidFlags, true},
		} {
			d := newDesk(t)
			s := testSettings()
			c.change(s)
			heard := make(events, 16)
			launcher := d.process(1)
			id, code := launcher.RunApplication(0, s, heard.notify)
			require.Equal(t, wire.OK, code)
			o, code := d.process(id, d.started[0].Environment...).Connect(c.flags, objects(t, at))
			assert.Equal(t, c.code, code, c.what)
			if o != nil {
				o.Release()
			}
			if c.told {
				assert.Equal(t, ConnectFailed, system(t, launcher, id, heard), c.what)
			} else {
				quiet(t, launcher, id)
			}
		}
		_, code := newDesk(t).process(1).Connect(0, objects(t, at))
		assert.Equal(t, wire.ErrNotLobbied, code)
	})
}

// TestLobbyAddress says what becomes of a provider that the settings name beside their address.
func TestLobbyAddress(t *testing.T) {
	inet := Chunk{AddressINet, []byte("10.0.0.1\x00")}
	tcp, ipx := Chunk{AddressServiceProvider, ProviderTCP[:]}, Chunk{AddressServiceProvider, ProviderIPX[:]}
	for _, c := range []struct {
		what     string
		provider wire.GUID
		address  []byte
		want     []Chunk
	}{
		{"both", ProviderTCP, AppendAddress(nil, ipx, inet), []Chunk{tcp, inet}},
		{"the address alone", wire.GUID{}, AppendAddress(nil, ipx, inet), []Chunk{ipx, inet}},
		{"the provider alone", ProviderTCP, nil, []Chunk{tcp}},
		{"neither", wire.GUID{}, nil, nil},
		{"an address without a provider", ProviderTCP, AppendAddress(nil, inet), []Chunk{tcp, inet}},
	} {
		got, err := (&Settings{Provider: c.provider, Address: c.address}).compound()
		require.NoError(t, err, c.what)
		assert.Equal(t, AppendAddress(nil, c.want...), got, c.what)
	}
}

// TestLobbyStarter has a game that is started by a program of its own, which ends at once: the game goes on.
func TestLobbyStarter(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	launcher, id, heard, game := run(t, d)
	require.Equal(t, wire.OK, game.SendLobbyMessage(0, 0, []byte("here")))
	receive(t, launcher, id, heard)
	close(d.running[id])
	game.migrated(testInstance)
	assert.Equal(t, NewSessionHost, system(t, launcher, id, heard))
	game.own.link.end()
	assert.Equal(t, AppTerminated, system(t, launcher, id, heard))
}

func TestLobbyRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	l := d.process(1)
	someone := guid("99999999-0000-0000-0000-000000000001")
	other := testSettings()
	other.Session.Application = someone
	sized := testSettings()
	sized.WrongSize = true
	odd := &Application{WrongSize: true, Name: "a", File: "f", GUID: someone}
	type result = wire.HResult
	register := func(name, file string, g wire.GUID) result {
		return l.RegisterApplication(0, &Application{Name: name, File: file, GUID: g})
	}
	second := func(_ any, code result) result { return code }
	for what, c := range map[string]struct{ got, want result }{
		"no settings":               {l.GetConnectionSettings(0, &Buffer{Null: true}, face32), wire.ErrNotLobbied},
		"nobody's settings":         {l.GetConnectionSettings(7, &Buffer{Null: true}, face32), wire.ErrNotLobbied},
		"no place for the size":     {l.GetConnectionSettings(0, nil, face32), wire.ErrInvalidParams},
		"set with flags":            {l.SetConnectionSettings(1, 0, testSettings()), wire.ErrInvalidParams},
		"set nothing":               {l.SetConnectionSettings(0, 0, nil), wire.ErrInvalidParams},
		"set another size":          {l.SetConnectionSettings(0, 7, sized), wire.ErrInvalidParams},
		"set nobody's":              {l.SetConnectionSettings(0, 7, &Settings{}), wire.ErrNotLobbied},
		"set without session":       {l.SetConnectionSettings(0, 0, &Settings{}), wire.ErrInvalidParams},
		"wait with flags":           {l.WaitForConnectionSettings(2), wire.ErrInvalidParams},
		"stop waiting":              {l.WaitForConnectionSettings(1), wire.OK},
		"run with flags":            {second(l.RunApplication(1, testSettings(), nil)), wire.ErrInvalidParams},
		"run nothing":               {second(l.RunApplication(0, nil, nil)), wire.ErrInvalidParams},
		"run without session":       {second(l.RunApplication(0, &Settings{}, nil)), wire.ErrInvalidParams},
		"run who knows":             {second(l.RunApplication(0, other, nil)), wire.ErrUnknownApplication},
		"receive with flags":        {second(l.ReceiveLobbyMessage(1, 0, &Buffer{})), wire.ErrInvalidParams},
		"receive without size":      {second(l.ReceiveLobbyMessage(0, 0, nil)), wire.ErrInvalidParams},
		"receive of nobody":         {second(l.ReceiveLobbyMessage(0, 7, &Buffer{})), wire.ErrAppNotStarted},
		"receive, not lobbied":      {second(l.ReceiveLobbyMessage(0, 0, &Buffer{})), wire.ErrNotLobbied},
		"send, not lobbied":         {l.SendLobbyMessage(0, 0, []byte{1}), wire.ErrNotLobbied},
		"send to nobody":            {l.SendLobbyMessage(0, 7, []byte{1}), wire.ErrAppNotStarted},
		"send nothing":              {l.SendLobbyMessage(0, 0, nil), wire.ErrInvalidParams},
		"send as the system":        {l.SendLobbyMessage(LobbySystem, 0, []byte{1, 0, 0, 0}), wire.ErrInvalidParams},
		"send half a type":          {l.SendLobbyMessage(LobbyStandard, 0, []byte{1}), wire.ErrInvalidParams},
		"send too much":             {l.SendLobbyMessage(0, 0, make([]byte, MaxLobbyMessage+1)), wire.ErrBufferTooLarge},
		"an event with flags":       {l.SetLobbyMessageEvent(1, 0, nil), wire.ErrInvalidParams},
		"nobody's event":            {l.SetLobbyMessageEvent(0, 7, nil), wire.ErrAppNotStarted},
		"list with flags":           {second(l.EnumLocalApplications(1, true)), wire.ErrInvalidParams},
		"list to nobody":            {second(l.EnumLocalApplications(0, false)), wire.ErrInvalidParams},
		"register with flags":       {l.RegisterApplication(1, &Application{}), wire.ErrInvalidParams},
		"register nothing":          {l.RegisterApplication(0, nil), wire.ErrInvalidParams},
		"unregister with flags":     {l.UnregisterApplication(1, &someone), wire.ErrInvalidParams},
		"unregister nothing":        {l.UnregisterApplication(0, nil), wire.ErrInvalidParams},
		"unregister who knows":      {l.UnregisterApplication(0, &someone), wire.ErrNotRegistered},
		"register what is known":    {register("g", "f", testApplication), wire.ErrAlreadyRegistered},
		"register a name twice":     {register("GAME", "f", someone), wire.ErrAlreadyRegistered},
		"register below another":    {register(`a\b`, "f", someone), wire.ErrInvalidParams},
		"register without a GUID":   {register("a", "f", wire.GUID{}), wire.ErrInvalidParams},
		"register without a file":   {register("a", "", someone), wire.ErrInvalidParams},
		"register of another size":  {l.RegisterApplication(0, odd), wire.ErrInvalidParams},
		"register what has no name": {register("", "f", someone), wire.ErrInvalidParams},
	} {
		assert.Equal(t, c.want, c.got, what)
	}
	d.broken = errors.New("no such file")
	assert.Equal(t, wire.ErrCantCreateProcess, second(l.RunApplication(0, testSettings(), nil)))
	d.broken, d.deaf = nil, errors.New("no sockets")
	assert.Equal(t, wire.ErrCantCreateProcess, second(d.process(2).RunApplication(0, testSettings(), nil)))
	_, code := l.ReceiveLobbyMessage(0, 1001, &Buffer{})
	assert.Equal(t, wire.ErrAppNotStarted, code, "what could not be started has no number")
}

// TestLobbyStranger calls a launcher without the secret, and with nonsense.
func TestLobbyStranger(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	launcher, id, _, _ := run(t, d)
	message := frame{frameMessage, 0, []byte("let me in")}
	for what, say := range map[string][]byte{
		"another secret": frame{kind: frameHello, data: make([]byte, 16)}.octets(),
		"half a secret":  frame{kind: frameHello, data: make([]byte, 8)}.octets(),
		"no hello":       message.octets(),
		"too large":      {0xFF, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0, 0, 0, 0, 0},
		"no kind":        make([]byte, frameHeader),
	} {
		ours, theirs := net.Pipe()
		go launcher.accept(theirs)
		_, err := ours.Write(say)
		require.NoError(t, err, what)
		_, err = ours.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF, what+": the launcher hangs up")
	}
	quiet(t, launcher, id)
}

// TestLobbyShortGame: a game that says something and ends waits for a busy launcher to take its call, so that the launcher hears
// of the end last. One that never does is not waited for twice.
func TestLobbyShortGame(t *testing.T) {
	t.Parallel()
	for _, takes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t)
			d.busy = make(chan struct{})
			launcher, id, heard, game := run(t, d)
			said := make(chan struct{})
			go func() {
				game.GetConnectionSettings(0, &Buffer{Size: math.MaxUint32}, face32)
				close(said)
			}()
			while, cancel := context.WithTimeout(t.Context(), 2*lastWords)
			defer cancel()
			select {
			case <-said:
				t.Fatal("it did not wait")
			case <-while.Done():
			}
			if !takes {
				<-said // time goes by
			}
			close(d.busy)
			<-said
			if takes {
				close(d.running[id])
				synctest.Wait()
			}
			assert.Equal(t, ConnectionSettingsRead, system(t, launcher, id, heard))
			game.own.link.end() // as the system does with a process that ended
			if !takes {
				close(d.running[id])
			}
			assert.Equal(t, AppTerminated, system(t, launcher, id, heard))
		})
	}
}

// TestLobbyWithoutLauncher has a launcher that is gone before its game calls, and an environment that says nonsense.
func TestLobbyWithoutLauncher(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, _, _, game := run(t, d)
	clear(d.accepts)
	b := Buffer{Size: math.MaxUint32}
	assert.Equal(t, wire.OK, game.GetConnectionSettings(0, &b, face32), "the settings are there all the same")
	game.migrated(testInstance)
	assert.Equal(t, wire.ErrNotLobbied, game.SendLobbyMessage(0, 0, []byte{1}))

	odd := d.process(9, EnvironmentSettings+"=!", EnvironmentLobby+"=127.0.0.1:5000/12")
	assert.Equal(t, wire.ErrNotLobbied, odd.GetConnectionSettings(0, &Buffer{}, face32))
}

// A notepad is a connection to a launcher that only listens.
type notepad struct {
	mu   sync.Mutex
	said []byte
	end  chan struct{}
}

func (n *notepad) Read([]byte) (int, error) { <-n.end; return 0, io.EOF }
func (n *notepad) Close() error             { return nil }

func (n *notepad) Write(b []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.said = append(n.said, b...)
	return len(b), nil
}

// TestLobbyLastWords: what a game says to its launcher is on its way when the call returns, for the game may end next.
func TestLobbyLastWords(t *testing.T) {
	bubble(t, func(t *world) {
		_, _, _, game := run(t, newDesk(t))
		n := &notepad{end: make(chan struct{})}
		defer close(n.end)
		game.machine.Dial = func(string) (io.ReadWriteCloser, error) { return n, nil }
		said := func(octets int) {
			t.Helper()
			n.mu.Lock()
			defer n.mu.Unlock()
			assert.Len(t, n.said, octets)
		}
		require.Equal(t, wire.OK, game.GetConnectionSettings(0, &Buffer{Size: math.MaxUint32}, face32))
		begin := frameHeader + 16 + frameHeader + 20 // hello and DPLSYS_CONNECTIONSETTINGSREAD
		said(begin)
		for i := range 100 {
			require.Equal(t, wire.OK, game.SendLobbyMessage(0, 0, []byte("x")))
			said(begin + (i+1)*(frameHeader+1))
		}
	})
}
