package local

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// playing is set in the environment of a process that is a game.
const playing = "DPLAY_LOCAL_GAME"

func TestMain(m *testing.M) {
	if os.Getenv(playing) == "" {
		os.Exit(m.Run())
	}
	if err := play(); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

// theGame is the application of all sessions here.
var theGame = wire.GUID{0x0b, 0xa5, 0x52, 0xa0, 0x14}

// play is a game that does what it reads, a line each, and says what happens. It is a process of its own in a network of its own.
func play() error {
	opt := sock.Options{Config: dpsp.Config{Period: 2 * time.Second, Probes: 3, Legacy: os.Getenv(playing) == "legacy"}}
	switch os.Getenv(playing) {
	case "elsewhere": // a game with ports of its own
		opt.StreamPorts = wire.Ports{First: 6000, Last: 6010}
	case "one port": // one whose players set one number for TCP and UDP
		opt.StreamPorts = wire.Ports{First: 31415, Last: 31415}
		opt.DatagramPorts = opt.StreamPorts
	case "its slot's": // one for both, of the first slot
		opt.StreamPorts = wire.Ports{First: 2300, Last: 2300}
		opt.DatagramPorts = opt.StreamPorts
	}
	s, err := sock.Open(opt)
	if err != nil {
		return err
	}
	fmt.Println("ports", s.StreamAddr().Port(), s.DatagramAddr().Port())
	go tellEvents(s)
	var me wire.PlayerID
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		what, with, _ := strings.Cut(in.Text(), " ")
		var err error
		switch what {
		case "host":
			flags := wire.SessionMigrateHost | wire.SessionKeepAlive
			if with == "reliable" {
				flags |= wire.SessionDirectPlayProtocol
			}
			if err = s.Host(ctx, dpsp.Host{Application: theGame, Name: "bridged", Flags: flags}); err == nil {
				me, err = s.CreatePlayer(ctx, "host", nil)
			}
		case "join", "see": // an address, or none for everybody, and a name
			address, name, _ := strings.Cut(with, " ")
			ask := sock.Ask{Application: theGame, Repeat: 100 * time.Millisecond}
			if a, failed := netip.ParseAddr(address); failed == nil {
				ask.Hosts = []netip.Addr{a}
			}
			var found sock.Found
			if found, err = s.Find(ctx, ask); err == nil && what == "join" {
				if err = s.Join(ctx, found, ""); err == nil {
					me, err = s.CreatePlayer(ctx, dpsp.Text(name), nil)
				}
			}
		case "chat":
			err = s.Chat(ctx, me, wire.IDAll, dpsp.Text(with), true)
		case "send", "throw": // how many octets
			n, _ := strconv.Atoi(with)
			err = s.Send(ctx, me, wire.IDAll, payload(n), what == "send")
		case "text":
			err = s.Send(ctx, me, wire.IDAll, []byte(with), true)
		case "leave":
			err = s.Leave(ctx)
		}
		cancel()
		fmt.Println("done", in.Text(), err)
	}
	return s.Close()
}

// payload is a message of a game.
func payload(size int) []byte {
	b := bytes.Repeat([]byte{byte(size)}, size)
	for i := range b {
		b[i] += byte(i * 7)
	}
	return b
}

func tellEvents(s *sock.Session) {
	for e := range s.Events() {
		switch e := e.(type) {
		case dpsp.PlayerCreated:
			fmt.Println("player", e.ShortName)
		case dpsp.PlayerDeleted:
			fmt.Println("gone", e.Name)
		case dpsp.ChatMessage:
			fmt.Println("chat", e.Text)
		case dpsp.Message:
			fmt.Println("message", len(e.Payload), crc32.ChecksumIEEE(e.Payload))
		case dpsp.HostChanged:
			fmt.Println("newhost", e.Hosting)
		case dpsp.SessionLost:
			fmt.Println("lost", e.Reason)
		}
	}
}
