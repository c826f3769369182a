package probe

import (
	"context"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// How large the pings are: a small one is the message alone. A large one fits into what an Ethernet carries, and not into every VPN.
const (
	smallPing = wire.SPHeaderSize + wire.HeaderSize + 8
	largePing = 1400
)

// A pinger pings the host of a session from outside, from nobody (IDFrom 0): hosts of this project answer that over TCP, and a ping over
// TCP by UDP as well. Others say that nobody is not in their session (YOUAREDEAD), or nothing.
type pinger struct {
	*inquiry
	*hearing
	host   netip.AddrPort // the session's listener
	there  netip.AddrPort // the host's UDP socket; port 0: not known
	socket sock.DatagramSocket
	pongs  chan pong
}

// A pong is an answer.
type pong struct {
	by   captures.Transport
	tick uint32 // of a PINGREPLY
	dead bool   // it is YOUAREDEAD
	size int
}

// tryDatagrams finds out whether datagrams get to the host of a session and back, and large ones too. It joins nothing.
func (q *inquiry) tryDatagrams(ctx context.Context) {
	if q.live.ThroughBridge() || !q.pings {
		return
	}
	at := slices.IndexFunc(q.live.Doors, func(d doctor.Door) bool { return d.Offered && d.Err == "" && d.At.Addr() == q.live.Host })
	if at < 0 {
		return
	}
	if p := q.newPinger(q.live.Doors[at].At); p != nil {
		p.all(ctx)
		p.socket.Close()
		p.close()
	}
}

// newPinger opens the sockets of a pinger; nil if there are none.
func (q *inquiry) newPinger(host netip.AddrPort) *pinger {
	socket, err := cli.FirstFree(q.UDP, q.UDP.First, func(port uint16) (sock.DatagramSocket, error) {
		return sock.OpenDatagrams(netip.AddrPortFrom(q.bound(), port))
	})
	if err != nil {
		return nil
	}
	p := &pinger{inquiry: q, hearing: newHearing(q.bound(), host.Addr(), nil), host: host, socket: socket, pongs: make(chan pong)}
	p.others = func(m wire.Message, size int) { p.heard(m, captures.TCP, size) }
	if p.listen(q.TCP, q.next) != nil { // where no question wants an answer
		p.socket.Close()
		return nil
	}
	p.group.Go(p.read)
	return p
}

// read takes the answers that come by UDP, from the host alone.
func (p *pinger) read() {
	b := make([]byte, maxAnswer)
	for {
		n, _, _, from, err := p.socket.ReadMsgUDPAddrPort(b, nil)
		if err != nil {
			return
		}
		var d wire.Decoder
		if e, err := d.DecodeDatagram(b[:n]); err == nil && from.Addr().Unmap() == p.host.Addr() {
			p.heard(e.Message, captures.UDP, n)
		}
	}
}

// heard hands an answer over.
func (p *pinger) heard(m wire.Message, by captures.Transport, size int) {
	a := pong{by: by, size: size}
	switch m := m.(type) {
	case *wire.PingReply:
		a.tick = m.Tick
	case *wire.YouAreDead:
		a.dead = true
	default:
		return
	}
	select {
	case p.pongs <- a:
	case <-p.done:
	}
}

// ping returns the octets of a ping.
func (p *pinger) ping(tick uint32, size int) []byte {
	sp := wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: p.port()}}
	b, err := (&wire.Envelope{HasSP: true, SP: sp, Version: wire.DX9, Message: &wire.Ping{Tick: tick}}).Append(nil)
	if err != nil {
		return nil
	}
	b = append(b, make([]byte, max(0, size-len(b)))...)
	const sizeBits = 1<<20 - 1 // the token stands above
	binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)&^sizeBits|uint32(len(b)))
	return b
}

// all pings in all ways, and puts what came of it into the examination. What is not known of a host that does not answer is left out.
func (p *pinger) all(ctx context.Context) {
	over, back := p.overTCP(ctx, smallPing)
	if !over.Answered {
		return // it answers nobody, or none of those who are not in its session
	}
	p.put(over)
	if p.there.Port() == 0 { // it is not one of ours, and its port is a guess: only an answer says something
		p.there = netip.AddrPortFrom(p.host.Addr(), p.UDP.First+p.host.Port()-p.TCP.First)
		if there := p.byUDP(ctx, smallPing); there.Answered {
			p.put(there)
		}
		return
	}
	there := p.byUDP(ctx, smallPing)
	p.put(back)
	p.put(there)
	if there.Answered {
		p.put(p.byUDP(ctx, largePing))
	}
	if !back.Answered {
		return
	}
	if over, back = p.overTCP(ctx, largePing); over.Answered {
		over = back
	}
	p.put(over)
}

func (p *pinger) put(x doctor.Ping) { p.live.Pings = append(p.live.Pings, x) }

// overTCP pings over a connection, and returns what came over TCP, and what came by UDP.
func (p *pinger) overTCP(ctx context.Context, size int) (over, back doctor.Ping) {
	own := uint32(portOf(p.socket.LocalAddr()))
	over = doctor.Ping{Transport: captures.TCP, To: p.host, Size: size, By: captures.TCP}
	back = doctor.Ping{Transport: captures.TCP, To: p.host, Size: size, By: captures.UDP}
	send := func(ctx context.Context) {
		c, err := p.dial(ctx, p.host)
		if err != nil {
			return
		}
		p.closing(c)               // with the hearing
		c.Write(p.ping(own, size)) //nolint:errcheck // no answer comes
	}
	p.exchange(ctx, send, func(a pong) bool {
		switch {
		case a.by == captures.TCP && a.dead:
			over.Answered, back.Answered = true, false
			return true // it sends no datagram
		case a.by == captures.TCP && a.tick&0xffff == own:
			over.Answered = true
			p.there = netip.AddrPortFrom(p.host.Addr(), uint16(a.tick>>16))
		case a.by == captures.UDP && a.tick == own && a.size >= size:
			back.Answered = true
		}
		return over.Answered && back.Answered
	})
	return over, back
}

// byUDP pings by UDP.
func (p *pinger) byUDP(ctx context.Context, size int) doctor.Ping {
	x := doctor.Ping{Transport: captures.UDP, To: p.there, Size: size, By: captures.TCP}
	tick := uint32(size) << 16
	send := func(context.Context) { p.socket.WriteToUDPAddrPort(p.ping(tick, size), p.there) } //nolint:errcheck // no answer comes
	p.exchange(ctx, send, func(a pong) bool {
		x.Answered = a.by == captures.TCP && (a.dead || a.tick == tick)
		return x.Answered
	})
	return x
}

// exchange sends a ping, three times at most, until an answer is the one, or the time is over.
func (p *pinger) exchange(ctx context.Context, send func(context.Context), is func(pong) bool) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	repeat := time.NewTicker(max(p.Timeout/4, time.Millisecond))
	defer repeat.Stop()
	send(ctx)
	for tries := 1; ; {
		select {
		case a := <-p.pongs:
			if is(a) {
				return
			}
		case <-repeat.C:
			if tries++; tries <= 3 {
				send(ctx)
			}
		case <-ctx.Done():
			return
		}
	}
}
