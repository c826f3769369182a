package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/wire"
)

// A neighbour is the machine in a slot.
type neighbour struct {
	l     *Local
	slot  int
	ports filter.Ports // as the session knows them
	way   link.Link
	ctx   context.Context // done when nobody is in the slot any more, or the link is down
	end   context.CancelFunc
	group sync.WaitGroup
	check *filter.Datagrams
	words *filter.Translator // for what is checked by check

	mu       sync.Mutex
	requests *filter.Requests
	hosts    bool // the game there is host
	open     int  // connections, both ways
	held     int  // octets of messages that are not whole yet
	drops    int
	toldDrop time.Time
	cuts     int // that were told of since toldCut
	toldCut  time.Time
	taken    map[netip.Addr]bool // machines of its network that were told of
}

// The first octets of streams and datagrams of a link say what they are.
const (
	toGame       = 'T' // stream: a connection to the game
	toList       = 'N' // stream: a request for sessions by TCP
	datagramGame = 'U' // to the game's UDP port
	datagramList = 'E' // a request for sessions
	datagramHost = 'H' // whether the game there is host: 1 octet, 0 or 1
)

// Stand has a slot be the machine that a link leads to, with the ports that it has announced; zero: At(slot). From here on all
// streams that the other side begins, and all datagrams, are taken off the link, until it is down or the slot is dropped. While
// another program has the ports here our game does not reach that machine, and Waiting says who it is.
func (l *Local) Stand(slot int, ports filter.Ports, way link.Link) error {
	if err := checkSlot(slot); err != nil {
		return err
	}
	ports = cmp.Or(ports, At(slot))
	l.Drop(slot)
	n := &neighbour{l: l, slot: slot, ports: ports, way: way, taken: map[netip.Addr]bool{}}
	n.check, n.words = filter.NewDatagrams(n.rule()), filter.NewTranslator(l.translation)
	n.requests = filter.NewRequests(filter.Rule{From: ports, Plan: l.planNow})
	n.ctx, n.end = context.WithCancel(way.Context())
	if err := l.stand(n); err != nil {
		n.end()
		return err
	}
	go func() {
		defer l.group.Done()
		<-n.ctx.Done()
		n.group.Wait()
		n.setHosts(false)
	}()
	l.list.tell(n)
	l.list.retry()
	return nil
}

// stand puts a machine into its slot, and counts it in l.group.
func (l *Local) stand(n *neighbour) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ctx.Err() != nil:
		return link.ErrClosed
	case n.slot == l.slot:
		return fmt.Errorf("slot %d is ours", n.slot)
	case n.ports.TCP == l.at.Slot.TCP || n.ports.UDP == l.at.Slot.UDP:
		return fmt.Errorf("slot %d has a port of ours", n.slot)
	}
	l.slots[n.slot] = n
	l.hold()
	l.group.Add(1)
	n.group.Go(n.streams)
	n.group.Go(n.datagrams)
	return nil
}

// Drop has nobody be in a slot any more: connections to it are reset. The link is not closed.
func (l *Local) Drop(slot int) {
	if checkSlot(slot) != nil {
		return
	}
	l.mu.Lock()
	n := l.slots[slot]
	l.slots[slot] = nil
	l.mu.Unlock()
	if n != nil {
		n.end()
		n.group.Wait()
	}
}

// rule is what the machine may say.
func (n *neighbour) rule() filter.Rule {
	return filter.Rule{From: n.ports, Plan: n.l.planNow, Framed: n.l.framed, Heard: n.hears, Dropped: n.dropped, Taken: n.took}
}

// says takes note of a message of our game to the machine, and hears of one that it says to our game.
func (n *neighbour) says(m wire.Message) {
	n.l.mu.Lock()
	defer n.l.mu.Unlock()
	n.l.session.Says(n.ports, m)
}

func (n *neighbour) hears(m wire.Message) {
	n.l.mu.Lock()
	defer n.l.mu.Unlock()
	n.l.session.Hears(n.ports, m)
}

// neighbours returns all machines that are there.
func (l *Local) neighbours() []*neighbour {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Collect(l.present)
}

// present yields all machines that are there. Locked.
func (l *Local) present(yield func(*neighbour) bool) {
	for _, n := range l.slots {
		if n != nil && n.ctx.Err() == nil && !yield(n) {
			return
		}
	}
}

// hosts returns the machines whose games are host.
func (l *Local) hosts() []*neighbour {
	return slices.DeleteFunc(l.neighbours(), func(n *neighbour) bool { return !n.hosting() })
}

// behind returns the machine that a socket of ours stands for, by its port; nil if there is none.
func (l *Local) behind(port uint16, datagram bool) *neighbour {
	l.mu.RLock()
	defer l.mu.RUnlock()
	port = l.at.Port(port, datagram)
	for n := range l.present {
		if *n.ports.Of(datagram) == port {
			return n
		}
	}
	return nil
}

// Limits of the connections with one slot at a time.
const (
	maxConnections = 64
	maxHeld        = 4 * wire.MaxMessage
)

// errMany is why a connection is refused.
var errMany = errors.New("too many connections at a time")

// enter counts a connection in. leave ends that.
func (n *neighbour) enter() (leave func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open >= maxConnections {
		return nil, errMany
	}
	n.open++
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.open--
	}, nil
}

// errMuch is why a connection is cut.
var errMuch = errors.New("too many messages at a time that are not whole")

// hold counts octets that are held of messages that are not whole yet.
func (n *neighbour) hold(more int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held += more
	if more > 0 && n.held > maxHeld {
		return errMuch
	}
	return nil
}

// streams takes the streams that the other side begins.
func (n *neighbour) streams() {
	defer n.end()
	for {
		s, err := n.way.AcceptStream(n.ctx)
		if err != nil {
			return
		}
		leave, err := n.enter()
		if err != nil {
			s.Reset()
			n.cut(err)
			continue
		}
		n.group.Go(func() {
			defer leave()
			n.stream(s)
		})
	}
}

// stream serves a stream that the other side has begun.
func (n *neighbour) stream(s link.Stream) {
	slow := time.AfterFunc(n.l.opt.times.announced, s.Reset)
	defer slow.Stop()
	stop := context.AfterFunc(n.ctx, s.Reset)
	defer stop()
	var kind [1]byte
	if _, err := io.ReadFull(s, kind[:]); err != nil {
		s.Reset()
		return
	}
	switch kind[0] {
	case toGame:
		slow.Stop()
		n.incoming(s)
	case toList:
		n.request(s)
	default: // of a later version
		s.Reset()
	}
}

// datagrams takes what the other side sends.
func (n *neighbour) datagrams() {
	defer n.end()
	for {
		b, err := n.way.ReceiveDatagram(n.ctx)
		if err != nil {
			return
		}
		if len(b) > 0 {
			n.datagram(b[0], b[1:])
		}
	}
}

func (n *neighbour) datagram(kind byte, b []byte) {
	check := n.check.Check
	switch {
	case kind == datagramHost:
		n.setHosts(len(b) == 1 && b[0] == 1)
		return
	case kind == datagramList && n.l.list.hosting():
		check = n.asks
	case kind != datagramGame:
		return
	}
	if err := check(b); err != nil {
		n.dropped(err)
		return
	}
	n.words.Datagram(b)
	n.deliver(b, kind == datagramList)
}

// asks checks a request for sessions.
func (n *neighbour) asks(b []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.requests.Check(n.l.pace.now(), b)
}

// setHosts notes whether the game there is host.
func (n *neighbour) setHosts(on bool) {
	n.mu.Lock()
	changed := n.hosts != on
	n.hosts = on
	n.mu.Unlock()
	if changed {
		n.l.pace.wake()
	}
}

// hosting reports whether the game there is host.
func (n *neighbour) hosting() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.hosts && n.ctx.Err() == nil
}
