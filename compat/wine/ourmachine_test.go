//go:build linux

package wine_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// ourRole is what a machine of this project's is told to be: the host of a session, or one who joins it.
type ourRole struct {
	Host       string // where the session is joined; "": host it
	Name       string // the session's
	Password   string
	MaxPlayers uint32
	Flags      wire.SessionFlags

	Player, Long string
	Data         []byte
	Echo         bool   // return every game message to its sender, in the way it came
	Group        string // make a group of that name and enter it

	// Extended has it use the extension. Without it what is recorded is the protocol of the specification alone.
	Extended bool
	Seed     byte // of its ids; 0 means that of the recordings
	// Period and Probes are those of its engine; 0 means the default.
	Period time.Duration
	Probes int
}

// An order has a machine of ours send a game message from its player. Orders are lines of JSON on its standard input.
type order struct {
	To         wire.PlayerID
	Payload    []byte
	Guaranteed bool
}

// ourSeed makes ids and GUIDs the same in every run, so that recordings can be replayed.
var ourSeed = [32]byte{1}

// runOurMachine is in a session until its standard input ends. What happens there it says as dplay does
// (cmd/dplay/EVENTS.md), as far as a fact holds it.
func runOurMachine(args []string) error {
	var r ourRole
	if err := json.Unmarshal([]byte(args[0]), &r); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	orders := make(chan order)
	go func() {
		defer cancel()
		for d := json.NewDecoder(os.Stdin); ; {
			var o order
			if d.Decode(&o) != nil {
				return
			}
			orders <- o
		}
	}()
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	me, err := s.Do(ctx, dpsp.CreatePlayer{ShortName: dpsp.Text(r.Player), LongName: dpsp.Text(r.Long), Data: r.Data})
	if err == nil && r.Group != "" {
		err = r.enterGroup(ctx, s, me)
	}
	out := json.NewEncoder(os.Stdout)
	for err == nil {
		select {
		case <-ctx.Done():
			return nil
		case o := <-orders:
			err = s.Send(ctx, me, o.To, o.Payload, o.Guaranteed)
		case e := <-s.Events():
			if m, ok := e.(dpsp.Message); ok && r.Echo {
				err = s.Send(ctx, me, m.From, m.Payload, m.Guaranteed)
			}
			err = errors.Join(err, out.Encode(factOf(e)))
		}
	}
	return err
}

// open opens or joins the session.
func (r *ourRole) open(ctx context.Context) (*sock.Session, error) {
	opt := sock.Options{Config: dpsp.Config{Seed: ourSeed, Legacy: !r.Extended}}
	if r.Seed != 0 {
		opt.Config.Seed = [32]byte{r.Seed}
	}
	opt.Config.Period, opt.Config.Probes = r.Period, r.Probes
	app, err := wire.ParseGUID(application)
	if err != nil {
		return nil, err
	}
	s, err := sock.Open(opt)
	if err != nil {
		return nil, err
	}
	if r.Host == "" {
		err = s.Host(ctx, dpsp.Host{Application: app, Name: dpsp.Text(r.Name), Password: dpsp.Text(r.Password),
			MaxPlayers: r.MaxPlayers, Flags: r.Flags})
	} else {
		err = r.join(ctx, s, app)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// join finds the session and joins it.
func (r *ourRole) join(ctx context.Context, s *sock.Session, app wire.GUID) error {
	host, err := netip.ParseAddr(r.Host)
	if err != nil {
		return err
	}
	at, err := s.Find(ctx, sock.Ask{Application: app, Flags: wire.EnumPasswordRequired, Hosts: []netip.Addr{host}})
	if err != nil {
		return err
	}
	return s.Join(ctx, at, dpsp.Text(r.Password))
}

func (r *ourRole) enterGroup(ctx context.Context, s *sock.Session, me wire.PlayerID) error {
	group, err := s.CreateGroup(ctx, dpsp.Text(r.Group), nil)
	if err != nil {
		return err
	}
	return s.AddToGroup(ctx, me, group)
}

// factOf returns an event in the words of EVENTS.md.
func factOf(e dpsp.Event) fact {
	switch e := e.(type) {
	case dpsp.PlayerCreated:
		return fact{Event: "player_created", ID: e.ID.String(), System: e.System.String(), Name: e.ShortName, LongName: e.LongName,
			Data: hex.EncodeToString(e.Data), Local: e.Local}
	case dpsp.PlayerDeleted:
		return fact{Event: "player_deleted", ID: e.ID.String(), Name: e.Name}
	case dpsp.GroupCreated:
		return fact{Event: "group_created", ID: e.ID.String(), Name: e.ShortName}
	case dpsp.MemberAdded:
		return fact{Event: "member_added", Player: e.Player.String(), Group: e.Group.String()}
	case dpsp.Message:
		return fact{Event: "message", From: e.From.String(), To: e.To.String(), Sent: e.Sent.String(), Guaranteed: e.Guaranteed,
			Size: len(e.Payload), Payload: hex.EncodeToString(e.Payload)}
	case dpsp.PeerLost:
		return fact{Event: "peer_lost", System: e.System.String(), Reason: e.Reason}
	case dpsp.PeerJoined:
		return fact{Event: "peer_joined", System: e.System.String()}
	case dpsp.SessionOpened:
		return fact{Event: "session_opened", System: e.System.String()}
	case dpsp.HostLost:
		return fact{Event: "host_lost", Host: e.Host.String(), Reason: e.Reason}
	case dpsp.MigrationStarted:
		return fact{Event: "migration_started", Candidate: e.Candidate.String()}
	case dpsp.HostChanged:
		return fact{Event: "host_changed", Host: e.New.String(), Hosting: e.Hosting}
	case dpsp.ConnectionRenewed:
		return fact{Event: "connection_renewed", System: e.System.String()}
	case dpsp.SessionLost:
		return fact{Event: "session_lost", Reason: e.Reason}
	case dpsp.Dropped:
		return fact{Event: "dropped", Command: e.Command, Reason: string(e.Reason), Text: e.Text}
	}
	return fact{Event: "other"}
}

// A speech is octets that a machine sends without being asked, over a connection of their own or as a datagram.
type speech struct {
	Network, To string // "tcp4" or "udp4"; a socket
	Octets      []byte
}

// runSpeak says what it is told to say.
func runSpeak(args []string) error {
	var all []speech
	if err := json.Unmarshal([]byte(args[0]), &all); err != nil {
		return err
	}
	for _, s := range all {
		if err := s.say(); err != nil {
			return err
		}
	}
	return nil
}

// say sends it, and waits until the other side has taken a stream to its end.
func (s *speech) say() error {
	c, err := net.Dial(s.Network, s.To)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Write(s.Octets); err != nil {
		return err
	}
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		if err := h.CloseWrite(); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, c)
	}
	return err
}
