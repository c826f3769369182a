// Package launch starts games into sessions, as a lobby does.
package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/play"
	"dplay4/dpsp/directplay"
	"dplay4/dpsp/directplay/local"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// Options are the flags of "dplay launch".
type Options struct {
	App      flags.App     `flag:"app" usage:"the game: a GUID, or a name that is known; see above"`
	Host     bool          `flag:"host" usage:"have it host a session"`
	Join     string        `flag:"join" usage:"have it join the session at <ADDRESS>, a name or IPv4 address, or local"`
	Name     string        `flag:"name" usage:"what the session that it hosts is called, <NAME> (default: dplay)"`
	Session  string        `flag:"session" usage:"the session to join, by its <NAME|GUID>, where there are several"`
	Password string        `flag:"password" secret:"password-file" usage:"the session's <PASSWORD>"`
	Player   string        `flag:"player" default:"player" usage:"be a player called <NAME>"`
	Max      uint32        `flag:"max" usage:"take <N> players at most in a session that it hosts (default: no limit)"`
	Flags    flags.Session `flag:"flags" usage:"flags of a session that it hosts, such as migratehost,keepalive (default: the game's, where known)"`
	Timeout  time.Duration `flag:"timeout" default:"5s" usage:"look so long for the session to join"`
	Bind     flags.Address `flag:"bind" usage:"look for it by the network card with this address only; with --host, where the game hosts"`
	Events   flags.Choice  `flag:"events" choice:"text,ndjson" usage:"print lines for people, or a JSON object a line"`
	program  []string
}

// wholeNetwork is what --join takes for everybody on the local network.
const wholeNetwork = "local"

// A launchEvent has the keys of an event of a started game.
type launchEvent struct {
	Program string `json:"program,omitzero"`
	Process uint32 `json:"process,omitzero"`
	Hosting *bool  `json:"hosting,omitzero"`
	Address string `json:"address,omitzero"`
	Session string `json:"session,omitzero"`
	Name    string `json:"name,omitzero"`
	Reason  string `json:"reason,omitzero"`
}

// A launching is a game that was started.
type launching struct {
	*Options
	out       *cli.Output
	read      bool // it asked for its settings
	connected bool
	held      error  // why no program could host here before the start
	failed    string // why it could not get into the session, where that is known
}

// Run starts the game, and prints its messages until it has ended.
func (f *Options) Run(ctx context.Context, std cli.Streams) error {
	settings, err := f.settings(ctx)
	if err != nil {
		return err
	}
	l := &launching{Options: f, out: cli.NewOutput(std.Out)}
	if f.Host {
		l.held = sock.CanHost(f.Bind.Addr)
	}
	lobby := directplay.NewLobby(local.Machine())
	heard := make(chan struct{}, 1)
	id, result := lobby.Run(directplay.Command{File: f.program[0], Arguments: f.program[1:]}, settings, func() {
		select {
		case heard <- struct{}{}:
		default: // it was not looked at yet
		}
	})
	if result != wire.OK {
		return fmt.Errorf("%s could not be started (%s)", f.program[0], result)
	}
	l.begin(id, settings)
	for {
		b := directplay.Buffer{Size: directplay.MaxLobbyMessage}
		kind, result := lobby.ReceiveLobbyMessage(0, id, &b)
		if result != wire.OK {
			select {
			case <-heard:
				continue
			case <-ctx.Done():
				return l.out.End()
			}
		}
		m, err := directplay.ParseLobbyMessage(b.Data)
		if err != nil || kind&(directplay.LobbySystem|directplay.LobbyStandard) == 0 {
			l.say("message", launchEvent{}, fmt.Sprintf("the game sent %s to its lobby", cli.Numbered(len(b.Data), "octet")))
			continue
		}
		if answer := answerTo(&m); answer != nil {
			lobby.SendLobbyMessage(directplay.LobbyStandard, id, answer.Append(nil)) // a game that has ended hears nothing
		}
		if l.hear(&m) {
			return errors.Join(l.verdict(), l.out.End())
		}
	}
}

// begin prints that the game was started.
func (l *launching) begin(id uint32, s *directplay.Settings) {
	n, _ := directplay.ReadAddress(s.Address)
	e := launchEvent{Program: l.program[0], Process: id, Hosting: &l.Host, Name: *s.Session.Name}
	if n.Host != nil {
		e.Address = *n.Host
	}
	text := fmt.Sprintf("host %q", e.Name)
	if !l.Host {
		e.Session = s.Session.Instance.String()
		text = fmt.Sprintf("join %q at %s", captures.Shown(e.Name), e.Address)
	}
	l.say("launched", e, fmt.Sprintf("started %s (process %d) to %s", strings.Join(l.program, " "), id, text))
}

// say prints an event.
func (l *launching) say(event string, e launchEvent, text string) {
	if l.Events.Value == "ndjson" {
		l.out.Add(events.Begin(nil, time.Now(), event).Fields(e, events.Object.Add).End())
	} else {
		fmt.Fprintln(l.out, text)
	}
	l.out.Flush()
}

// answerTo returns the answer to a game that gets or sets a property: the lobby supports messages, and no other property. It is nil if
// the game expects no answer.
func answerTo(m *directplay.LobbyMessage) *directplay.LobbyMessage {
	a := &directplay.LobbyMessage{Request: m.Request, Player: m.Player, Property: m.Property, Code: wire.ErrUnsupported}
	switch {
	case m.Request == 0:
		return nil
	case m.Type == directplay.SetProperty:
		a.Type = directplay.SetPropertyResponse
	case m.Type == directplay.GetProperty:
		a.Type = directplay.GetPropertyResponse
		if m.Property == directplay.PropertyMessagesSupported {
			a.Code, a.Data = wire.OK, []byte{1, 0, 0, 0}
		}
	default:
		return nil
	}
	return a
}

// said has the event and the text of each message of a game.
var said = map[directplay.LobbyMessageType][2]string{
	directplay.ConnectionSettingsRead: {"settings_read", "the game has read what it was given"},
	directplay.ConnectSucceeded:       {"connected", "the game is in the session"},
	directplay.NewSessionHost:         {"new_host", "the game's machine is the host of the session now"},
	directplay.AppTerminated:          {"terminated", "the game has ended"},
}

// hear prints a message of the game, and reports whether the game has ended.
func (l *launching) hear(m *directplay.LobbyMessage) (ended bool) {
	l.read = l.read || m.Type == directplay.ConnectionSettingsRead
	l.connected = l.connected || m.Type == directplay.ConnectSucceeded
	switch event, known := said[m.Type]; {
	case known:
		l.say(event[0], launchEvent{}, event[1])
	case m.Type == directplay.ConnectFailed:
		l.connectFailed()
	default:
		l.say("message", launchEvent{}, fmt.Sprintf("the game sent a message of type %d to its lobby", m.Type))
	}
	return m.Type == directplay.AppTerminated
}

// connectFailed prints that the game did not get into its session, and why. The game's message has no reason. If the port of hosts was
// taken before the start and still is, another program holds it.
func (l *launching) connectFailed() {
	why := "; the log of its dplayx.dll says why (dplay help dll)"
	if l.held != nil && sock.CanHost(l.Bind.Addr) != nil {
		l.failed = l.held.Error()
	}
	if l.failed != "" {
		why = ": " + captures.Printable(l.failed)
	}
	l.say("connect_failed", launchEvent{Reason: l.failed}, "the game could not get into the session"+why)
}

// verdict returns why a game that has ended was not in the session.
func (l *launching) verdict() error {
	switch {
	case l.connected:
		return nil
	case l.failed != "":
		return errors.New("the game ended without having been in the session: " + captures.Printable(l.failed))
	case l.read:
		return errors.New("the game ended without having been in the session")
	}
	return errors.New("the game ended without having asked what to join: it cannot be started by a lobby, or not without an argument of " +
		"its own, or it loads another DirectPlay (\"dplay dll status\" says which)")
}

// settings returns the connection settings for the game.
func (f *Options) settings(ctx context.Context) (*directplay.Settings, error) {
	desc := &directplay.SessionDesc{Application: f.App.GUID, Flags: f.Flags.SessionFlags, MaxPlayers: f.Max, Name: &f.Name}
	s := &directplay.Settings{Flags: directplay.OpenCreate, Session: desc, Player: &directplay.Name{Short: &f.Player, Long: &f.Player},
		Provider: directplay.ProviderTCP}
	if f.Password != "" {
		desc.Password = &f.Password
	}
	at := ""
	if !f.Host {
		found, err := f.find(ctx)
		if err != nil {
			return nil, err
		}
		at = found.From.Unmap().String()
		name := found.Name
		s.Flags, desc.Name = directplay.OpenJoin, &name
		desc.Flags, desc.Instance, desc.MaxPlayers = found.Desc.Flags, found.Desc.Instance, found.Desc.MaxPlayers
	}
	s.Address = directplay.AppendAddress(nil, directplay.Chunk{Type: directplay.AddressServiceProvider, Data: directplay.ProviderTCP[:]},
		directplay.Chunk{Type: directplay.AddressINet, Data: append([]byte(at), 0)},
		directplay.Chunk{Type: directplay.AddressINetW, Data: wire.NewText(at)})
	return s, nil
}

// find looks for the session that the game is to join.
func (f *Options) find(ctx context.Context) (sock.Found, error) {
	want := play.Wanted{App: f.App, Session: f.Session, Password: f.Password, Host: f.Join, Timeout: f.Timeout}
	if f.Join == wholeNetwork {
		want.Host = ""
	}
	ask, err := want.Ask(ctx)
	if err != nil {
		return sock.Found{}, err
	}
	session, err := sock.Open(sock.Options{Bind: f.Bind.Addr})
	if err != nil {
		return sock.Found{}, err
	}
	defer session.Close() // the ports are the game's
	go func() {
		for range session.Events() {
		}
	}()
	at, err := want.Pick(ctx, session.Enumerate, ask, func(sock.Found) {})
	if errors.Is(err, play.ErrSilent) {
		err = fmt.Errorf("no session of this game answers at %s: \"dplay doctor --live %s\" says why", f.Join, f.Join)
	}
	return at, err
}

// Check refuses flags that do not go together, and finds the program to start.
func (f *Options) Check(args []string) error {
	if err := cmp.Or(
		flags.Refuse(!f.App.Given(), "no --app given: which game is it?"),
		flags.Refuse(f.Host == (f.Join != ""), "either --host or --join ADDRESS: is the game to host a session or to join one?"),
		flags.Refuse(f.Host && f.Session != "", "--session is for --join; what --host opens has its --name"),
		flags.Refuse(f.Join != "" && (f.Name != "" || f.Max != 0), "--name and --max are for --host; --session says which one to join"),
		flags.Refuse(f.Timeout <= 0, "--timeout %s: must be more than nothing", f.Timeout),
		flags.Refuse(len(args) == 0, "which program? It stands behind --, such as -- game.exe"),
		flags.Refuse(f.Flags.SessionFlags&wire.SessionSecureServer != 0, "--flags secureserver: secure sessions are not supported"),
	); err != nil {
		return err
	}
	f.Name = cmp.Or(f.Name, "dplay")
	f.program = args
	missing := args[0] + " cannot be started: there is no such program"
	if runtime.GOOS != "windows" && strings.EqualFold(filepath.Ext(args[0]), ".exe") {
		f.program = append([]string{"wine"}, args...)
		missing = "wine is not in the PATH: name the program that starts the game behind --"
	}
	if _, err := exec.LookPath(f.program[0]); err != nil && !errors.Is(err, exec.ErrDot) {
		return errors.New(missing)
	}
	return nil
}
