package sock

import (
	"bufio"
	"context"
	"io"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/network"
	"dplay4/wire"
)

// A directory is where hosts of this process are asked for their sessions: UDP and TCP 47624, which only one
// socket of a machine can have. All hosts of the process share it, each set of those that are bound to the same address
// one of their own, which hears what is broadcast on its network as well.
type directory struct {
	hosts map[*loop]bool
	udp   []ear
	tcp   net.Listener
	group sync.WaitGroup
	ctx   context.Context // ends when the last host leaves
	end   context.CancelFunc
	gate  *gate // requests by TCP that are being served
}

// An ear is a UDP socket that requests come to.
type ear struct {
	DatagramSocket
	here func(told []byte) bool // whether a datagram is for us, by what the system says of it
}

var (
	directories   = map[site]*directory{}
	directoriesMu sync.Mutex
)

// A site is the network of a directory and the address that it is bound to.
type site struct {
	network Network
	bind    netip.Addr
}

// enlist makes a host answer enumerations. leave ends that.
func enlist(l *loop) (leave func(), err error) {
	directoriesMu.Lock()
	defer directoriesMu.Unlock()
	at := site{l.opt.Network, l.opt.Bind}
	d := directories[at]
	if d == nil {
		if d, err = openDirectory(at); err != nil {
			return nil, err
		}
		directories[at] = d
	}
	d.hosts[l] = true
	return sync.OnceFunc(func() {
		directoriesMu.Lock()
		delete(d.hosts, l)
		last := len(d.hosts) == 0
		if last {
			delete(directories, at)
			d.end()
			for _, e := range d.udp {
				e.Close()
			}
			d.tcp.Close()
		}
		directoriesMu.Unlock()
		if last {
			d.group.Wait()
		}
	}), nil
}

// enumPorts is the one port of a directory.
var enumPorts = wire.Ports{First: dpsp.EnumPort, Last: dpsp.EnumPort}

func openDirectory(at site) (*directory, error) {
	udp, err := listenDatagram(at.network, at.bind, enumPorts)
	if err != nil {
		return nil, err
	}
	tcp, err := listenStream(at.network, at.bind, enumPorts)
	if err != nil {
		udp.Close()
		return nil, err
	}
	var broadcasts []ear
	if isSystem(at.network) {
		broadcasts, err = listenBroadcasts(at.bind)
	}
	if err != nil {
		udp.Close()
		tcp.Close()
		return nil, err
	}
	d := &directory{
		hosts: map[*loop]bool{}, udp: append(broadcasts, ear{udp, func([]byte) bool { return true }}), tcp: tcp,
		gate: newGate(shares{dpsp.Member: asking, dpsp.Newcomer: asking, dpsp.Stranger: asking}),
	}
	d.ctx, d.end = context.WithCancel(context.Background())
	for _, e := range d.udp {
		d.group.Go(func() { d.receive(e) })
	}
	d.group.Go(d.accept)
	return d, nil
}

// pass hands a request to all hosts.
func (d *directory) pass(in dpsp.Input, local netip.AddrPort) {
	directoriesMu.Lock()
	all := slices.Collect(maps.Keys(d.hosts))
	directoriesMu.Unlock()
	for _, l := range all {
		l.request(in, local)
	}
}

func (d *directory) receive(e ear) {
	local := addrPort(e.LocalAddr())
	r, err := newReader(e.DatagramSocket)
	for err == nil || temporary(err) {
		err = r.read(func(g datagram) {
			if e.here(g.told) {
				d.pass(dpsp.Input{Kind: dpsp.Datagram, From: g.from, Data: g.data}, local)
			}
		})
	}
}

// accept takes requests by TCP: one message a connection, quickly said. Of too many the oldest make room.
func (d *directory) accept() {
	network.Accept(d.tcp, d.ctx.Done(), func(c network.Stream) {
		place := &guest{addr: addrPort(c.RemoteAddr()).Addr(), leave: func() { c.Close() }}
		if !d.gate.enter(place) {
			c.Close()
			return
		}
		d.group.Go(func() { d.serve(c, place) })
	})
}

// serve takes the request on a connection.
func (d *directory) serve(c net.Conn, place *guest) {
	defer d.gate.exit(place)
	defer c.Close()
	stop := context.AfterFunc(d.ctx, func() { c.Close() })
	defer stop()
	c.SetDeadline(time.Now().Add(askTime))
	if b := readRequest(c); b != nil {
		d.pass(dpsp.Input{Kind: dpsp.Stream, From: addrPort(c.RemoteAddr()), Data: b}, addrPort(c.LocalAddr()))
	}
}

// askTime is how long a request by TCP may take.
const askTime = 2 * time.Second

// readRequest returns the message that a connection begins with, nil if it is no request or too long for one.
func readRequest(c io.Reader) []byte {
	s := bufio.NewScanner(c)
	s.Buffer(nil, maxRequest)
	s.Split(func(b []byte, end bool) (int, []byte, error) {
		if size, _ := wire.FrameSize(b); size > maxRequest {
			return 0, nil, bufio.ErrTooLong // without waiting for it
		}
		return wire.SplitStream(b, end)
	})
	s.Scan()
	return s.Bytes()
}

// maxRequest bounds a request for sessions: 52 octets and a password.
const maxRequest = 4096
