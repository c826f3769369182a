package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/stun/v4"
	"github.com/pion/transport/v4"
	"github.com/pion/turn/v5"

	"dplay4/dpsp/bridge/code"
)

// An allocation is an address of ours on a relay, at which machines reach us that have an address on the same relay.
type allocation struct {
	door        // through which we speak to the server
	relay   int // of those of the code
	relayed netip.AddrPort
	began   time.Time
	took    time.Duration // to make it

	base   net.PacketConn // to the server
	net    transport.Net
	client atomic.Pointer[turn.Client]
	conn   net.PacketConn  // the relayed address
	heard  atomic.Int64    // when something came, as a time.Duration since the program began
	over   context.Context // done when another one is needed; its cause is why
	end    context.CancelCauseFunc
	closed sync.Once
	done   sync.WaitGroup

	mu        sync.Mutex
	ending    bool                    // nothing is begun any more
	permitted map[netip.Addr]bool     // true when the server lets packets through, false while it is asked
	met       map[netip.AddrPort]bool // to which turn's client has a channel, or asks for one
}

// Of each address that is written to turn's client makes a channel, and keeps it until the allocation is closed. So it has some,
// and another allocation is made when they are used up, which takes a moment, and not sooner than after a minute.
const (
	metMost  = 200
	wornSoon = time.Minute
)

// Why an allocation is over.
var (
	errEnded = errors.New("it has ended the connection")
	errWorn  = errors.New("another address is needed to reach more machines")
)

// readErrors is how many errors of a socket in a row are no reason to give it up: some systems tell so of datagrams that were
// refused.
const readErrors = 100

// reach takes a connection to a server over, and asks whether anybody is there.
func reach(ctx context.Context, n transport.Net, base net.PacketConn, d door) (*allocation, error) {
	a := &allocation{door: d, net: n, base: base, permitted: map[netip.Addr]bool{},
		met: map[netip.AddrPort]bool{}, began: time.Now()}
	a.over, a.end = context.WithCancelCause(context.Background())
	err := a.speak(code.Credential{}, false)
	if err == nil {
		a.done.Go(a.serve)
		stop := context.AfterFunc(ctx, a.abandon)
		_, err = a.client.Load().SendBindingRequestTo(udpAddr(d.server))
		if !stop() { // it was abandoned in between
			err = context.Cause(ctx)
		}
	}
	if err != nil {
		a.abandon()
		a.done.Wait()
		return nil, err
	}
	return a, nil
}

// speak has what the server says go to a new client. The relayed address will be of IPv4, or of IPv6 for six.
func (a *allocation) speak(c code.Credential, six bool) error {
	family := turn.RequestedAddressFamilyIPv4
	if six {
		family = turn.RequestedAddressFamilyIPv6
	}
	client, err := turn.NewClient(&turn.ClientConfig{TURNServerAddr: a.server.String(), Username: c.User, Password: c.Password,
		Conn: a.base, Net: a.net, LoggerFactory: silent, RequestedAddressFamily: family})
	if err != nil {
		return err
	}
	if old := a.client.Swap(client); old != nil {
		old.Close()
	}
	return nil
}

// allocate gets the relayed address.
func (a *allocation) allocate(ctx context.Context, c code.Credential, six bool) error {
	if err := a.speak(c, six); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, a.abandon)
	conn, err := a.client.Load().Allocate()
	if !stop() {
		if err == nil {
			conn.Close() //nolint:errcheck // the connection to the server is closed
		}
		err = errors.Join(context.Cause(ctx), err)
	}
	if err != nil {
		return err
	}
	a.conn = conn
	at, ok := conn.LocalAddr().(*net.UDPAddr)
	if !ok {
		return fmt.Errorf("the relay gave an address of type %T", conn.LocalAddr())
	}
	a.relayed = unmapped(at.AddrPort())
	a.hears()
	return nil
}

// serve reads what comes from the server, until the connection ends.
func (a *allocation) serve() {
	defer a.end(errEnded)
	b := make([]byte, 1<<16)
	for failed := 0; failed < readErrors; {
		n, from, err := a.base.ReadFrom(b)
		if err != nil {
			if _, udp := a.base.LocalAddr().(*net.UDPAddr); !udp || errors.Is(err, net.ErrClosed) {
				return
			}
			failed++
			continue
		}
		failed = 0
		if udp, ok := from.(*net.UDPAddr); ok && unmapped(udp.AddrPort()) != a.server {
			continue // turn's own loop would end over what strangers send
		}
		a.hears()
		a.client.Load().HandleInbound(b[:n], from) //nolint:errcheck // it is about that packet alone
	}
}

// began has a time that changes of the system's clock do not change.
var began = time.Now()

// hears notes that something came.
func (a *allocation) hears() { a.heard.Store(int64(time.Since(began))) }

// silence returns for how long nothing came.
func (a *allocation) silence() time.Duration {
	return time.Since(began) - time.Duration(a.heard.Load())
}

// unmapped is for sockets that take both IPv4 and IPv6.
func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

// deliver hands over what comes to the relayed address, until the allocation is closed, by us or by turn's client, which does so
// when the server refuses it a channel.
func (a *allocation) deliver(to func(route, []byte)) {
	defer a.end(errEnded)
	b := make([]byte, 1<<16)
	for {
		n, from, err := a.conn.ReadFrom(b)
		if err != nil {
			return
		}
		if udp, ok := from.(*net.UDPAddr); ok {
			to(route{a, unmapped(udp.AddrPort())}, b[:n])
		}
	}
}

// send sends a packet. The first one to an address is sent when the server has agreed to let its answers through.
func (a *allocation) send(b []byte, to netip.AddrPort) {
	a.mu.Lock()
	ready, asked := a.permitted[to.Addr()]
	if !asked && !a.ending {
		for at := range a.permitted {
			if len(a.permitted) < peersMost {
				break
			}
			delete(a.permitted, at) // whoever has it asks again
		}
		a.permitted[to.Addr()] = false
		first := append([]byte(nil), b...)
		a.done.Go(func() { a.permit(first, to) })
	}
	if ready && !a.met[to] {
		a.meet(b, to)
		ready = false
	}
	a.mu.Unlock()
	if ready {
		a.write(b, to)
	}
}

// meet sends the first packet to an address. The caller has locked a: of two at once turn's client would make two channels (facts,
// bridge 6).
func (a *allocation) meet(b []byte, to netip.AddrPort) {
	switch {
	case len(a.met) < metMost:
		a.met[to] = true
		a.write(b, to)
	case time.Since(a.began) >= wornSoon:
		a.end(errWorn)
	}
}

// write sends a packet, or loses it.
func (a *allocation) write(b []byte, to netip.AddrPort) {
	a.conn.WriteTo(b, net.UDPAddrFromAddrPort(to)) //nolint:errcheck // it may be lost
}

// permit has the server let packets of an address through, and sends the first one there.
func (a *allocation) permit(first []byte, to netip.AddrPort) {
	_, err := a.conn.WriteTo(first, net.UDPAddrFromAddrPort(to))
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil {
		delete(a.permitted, to.Addr()) // the next packet asks again
	} else {
		a.permitted[to.Addr()], a.met[to] = true, true
	}
}

// check asks the server whether we still have the allocation.
func (a *allocation) check(ctx context.Context) error {
	own := net.UDPAddrFromAddrPort(a.relayed)
	asked := make(chan error, 1)
	a.done.Go(func() {
		err := a.client.Load().CreatePermission(own)
		if _, refused := errors.AsType[*stun.TurnError](err); err != nil && !refused {
			err = a.client.Load().CreatePermission(own) // the first one may have learned a new nonce
		}
		asked <- err
	})
	answer, err := Next(ctx, a.over, asked)
	err = cmp.Or(context.Cause(a.over), err, answer) // once it is over, the request may seem to have gone well
	_, refused := errors.AsType[*stun.TurnError](err)
	if refused && !isCode(err, stun.CodeAllocMismatch, stun.CodeUnauthorized, stun.CodeWrongCredentials) {
		return nil // it has no permission to give for this address, but it has the allocation
	}
	return err
}

// isCode reports whether the server refused with the code.
func isCode(err error, codes ...stun.ErrorCode) bool {
	refused, is := errors.AsType[*stun.TurnError](err)
	return is && slices.Contains(codes, refused.ErrorCodeAttr.Code)
}

func (a *allocation) direct() bool { return false }

// String says over which relay.
func (a *allocation) String() string {
	return fmt.Sprintf("relay %s by %s", a.server.Addr(), a.transport)
}

// close gives the allocation back.
func (a *allocation) close() {
	a.closed.Do(func() {
		a.mu.Lock()
		a.ending = true // who still has the way may send while we wait for what was begun
		a.mu.Unlock()
		if a.conn != nil {
			a.conn.Close() //nolint:errcheck // the server notices at last by itself
		}
		a.abandon()
		a.done.Wait()
	})
}

// abandon ends the connection to the server.
func (a *allocation) abandon() {
	a.end(errEnded)
	a.base.Close() //nolint:errcheck // it ends in any case
	if c := a.client.Load(); c != nil {
		c.Close()
	}
}
