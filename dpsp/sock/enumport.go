package sock

import (
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A directory is where hosts of this process are asked for their sessions: UDP and TCP 47624, which only one
// socket of a machine can have. All hosts of the process share it.
type directory struct {
	hosts map[*loop]bool
	udp   *net.UDPConn
	tcp   *net.TCPListener
	group sync.WaitGroup
}

var (
	directories   = map[netip.Addr]*directory{} // by the address that they are bound to
	directoriesMu sync.Mutex
)

// enlist makes a host answer enumerations. leave ends that.
func enlist(l *loop) (leave func(), err error) {
	directoriesMu.Lock()
	defer directoriesMu.Unlock()
	d := directories[l.opt.Bind]
	if d == nil {
		if d, err = openDirectory(l.opt.Bind); err != nil {
			return nil, err
		}
		directories[l.opt.Bind] = d
	}
	d.hosts[l] = true
	return sync.OnceFunc(func() {
		directoriesMu.Lock()
		delete(d.hosts, l)
		last := len(d.hosts) == 0
		if last {
			delete(directories, l.opt.Bind)
			d.udp.Close()
			d.tcp.Close()
		}
		directoriesMu.Unlock()
		if last {
			d.group.Wait()
		}
	}), nil
}

func openDirectory(bind netip.Addr) (*directory, error) {
	at := netip.AddrPortFrom(bind, dpsp.EnumPort)
	udp, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(at))
	if err != nil {
		return nil, portError("udp", at, err)
	}
	tcp, err := net.ListenTCP("tcp4", net.TCPAddrFromAddrPort(at))
	if err != nil {
		udp.Close()
		return nil, portError("tcp", at, err)
	}
	d := &directory{hosts: map[*loop]bool{}, udp: udp, tcp: tcp}
	d.group.Add(2)
	go d.receive()
	go d.accept()
	return d, nil
}

// pass hands a request to all hosts.
func (d *directory) pass(in dpsp.Input) {
	directoriesMu.Lock()
	var all []*loop
	for l := range d.hosts {
		all = append(all, l)
	}
	directoriesMu.Unlock()
	for _, l := range all {
		l.put(in)
	}
}

func (d *directory) receive() {
	defer d.group.Done()
	buf := make([]byte, 1<<16)
	for {
		n, from, err := d.udp.ReadFromUDPAddrPort(buf)
		if err != nil {
			if temporary(err) {
				continue
			}
			return
		}
		d.pass(dpsp.Input{Kind: dpsp.Datagram, From: netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), Data: buf[:n]})
	}
}

// accept takes requests by TCP: one message a connection, quickly said. One connection is served after the other,
// so that nobody can open many.
func (d *directory) accept() {
	defer d.group.Done()
	for {
		c, err := d.tcp.AcceptTCP()
		if err != nil {
			return
		}
		c.SetDeadline(time.Now().Add(askTime))
		if b := readRequest(c); b != nil {
			d.pass(dpsp.Input{Kind: dpsp.Stream, From: addrPort(c.RemoteAddr()), Data: b})
		}
		c.Close()
	}
}

// askTime is how long a request by TCP may take.
const askTime = 2 * time.Second

func readRequest(c io.Reader) []byte {
	var head [wire.SPHeaderSize]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return nil
	}
	sp, err := wire.ParseSPHeader(head[:])
	if err != nil || sp.Size > maxRequest {
		return nil
	}
	b, err := readBody(c, head[:], sp.Size)
	if err != nil {
		return nil
	}
	return b
}

// maxRequest bounds a request for sessions: 52 octets and a password.
const maxRequest = 4096
