package local

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// playing is set in the environment of a process that is a game.
const playing = "DPLAY_LOCAL_GAME"

// apart is set in the environment of the tests in a network of their own.
const apart = "DPLAY_LOCAL_APART"

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(playing) != "":
		err = play()
	case os.Getenv(apart) != "":
		prepare()
		os.Exit(m.Run())
	default:
		err = runApart()
		if e := new(exec.ExitError); errors.As(err, &e) {
			os.Exit(e.ExitCode())
		}
		if errors.Is(err, errNamespace) { // tests with machines are skipped
			os.Exit(m.Run())
		}
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
}

// errNamespace says that the system gives no namespaces to this user.
var errNamespace = errors.New("no namespace")

// runApart runs the tests in a network of their own, in which an ordinary user is root.
func runApart() error {
	runtime.LockOSThread() // the tests end with this thread
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.Command(self, os.Args[1:]...)
	c.Env = append(os.Environ(), apart+"=1")
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	if os.Getuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	if err := c.Start(); err != nil {
		return errors.Join(errNamespace, err)
	}
	return c.Wait()
}

// prepare makes the tests' own network usable. Networks made from here have small tables of connections, because Linux reads them
// from end to end each time that somebody asks who has a port.
func prepare() {
	loopbackUp() //nolint:errcheck // tests that need it fail
	for _, table := range []string{"tcp_child_ehash_entries", "udp_child_hash_entries"} {
		os.WriteFile("/proc/sys/net/ipv4/"+table, []byte("128"), 0) //nolint:errcheck // only time is lost
	}
	if flag.Parse(); flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))) //nolint:errcheck // it is a number: most of them wait for another process
	}
}

// theGame is the application of all sessions here.
var theGame = wire.GUID{0x0b, 0xa5, 0x52, 0xa0, 0x14}

// play is a game that does what it reads, a line each, and says what happens. It is a process of its own in a network of its own.
func play() error {
	opt := sock.Options{Config: dpsp.Config{Reply: 20 * dpsp.DefaultReply, Legacy: os.Getenv(playing) == "legacy"}}
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
	ctx, lines := commands()
	for line := range lines {
		what, with, _ := strings.Cut(line, " ")
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
			ask := sock.Ask{Application: theGame, Repeat: lookEvery}
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
		fmt.Println("done", line, err)
	}
	return s.Close()
}

// commands returns the lines of standard input. ctx is done at its end, so that no game outlives the test.
func commands() (ctx context.Context, lines <-chan string) {
	ctx, cancel := context.WithCancel(context.Background())
	all := make(chan string)
	go func() {
		defer close(all)
		defer cancel()
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			all <- in.Text()
		}
	}()
	return ctx, all
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
