package sock

import (
	"encoding/binary"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// A mail is datagrams that were read and wait for their turn, a queue for each sender. They come in one row, in the
// system's memory for a socket, so they are read as they come and dropped here if their sender has too many waiting:
// there a flood drops what others sent.
type mail struct {
	turns   source // of all that waits
	mu      sync.Mutex
	senders map[netip.Addr]*sender
	queue   []*sender    // those with something waiting, next one first
	waits   map[bool]int // datagrams that wait, of members (true) and of strangers
	sorted  bool         // somebody handles what waits

	filter  *dropFilter // of the socket; nil: there is none
	floods  floodDetector
	drops   bool      // floods has rules
	looked  time.Time // when floods looked last
	lost    int       // datagrams that the kernel dropped since then
	overrun uint32    // datagrams that the kernel had dropped, as it reported last
}

// A sender is who sends datagrams from an address. Its address may be forged.
type sender struct {
	source
	from    netip.Addr
	member  bool
	seen    uint // datagrams that were handled
	waiting [][]byte
	ports   []uint16 // that they came from
}

const (
	// maxSenders is more than a session has members. Beyond it those with nothing waiting are forgotten.
	maxSenders = 256
	// maxMail bounds what waits of a sender, and of all strangers together: about what comes in the time of some turns.
	maxMail = 256
)

func newMail(f *dropFilter) *mail {
	return &mail{senders: map[netip.Addr]*sender{}, waits: map[bool]int{}, filter: f, looked: time.Now()}
}

// came counts a datagram, and returns its sender.
func (m *mail) came(d datagram) *sender {
	m.mu.Lock()
	if m.filter != nil {
		m.floods.count(d.from)
		if n := dropped(d.told); n != 0 {
			m.lost += int(n - m.overrun)
			m.overrun = n
		}
	}
	m.mu.Unlock()
	return m.of(d.from.Addr())
}

// of returns the sender at an address.
func (m *mail) of(from netip.Addr) *sender {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.senders[from]
	if s == nil {
		if len(m.senders) >= maxSenders {
			maps.DeleteFunc(m.senders, func(_ netip.Addr, x *sender) bool { return len(x.waiting) == 0 })
		}
		s = &sender{from: from}
		m.senders[from] = s
	}
	return s
}

// empty reports whether nothing waits.
func (m *mail) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue) == 0
}

// put queues a copy of a datagram; false if there is no room for it.
func (m *mail) put(s *sender, port uint16, b []byte) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(s.waiting) >= maxMail || !s.member && m.waits[false] >= maxMail {
		return false
	}
	m.waits[s.member]++
	if len(s.waiting) == 0 {
		m.queue = append(m.queue, s)
	}
	s.waiting, s.ports = append(s.waiting, append([]byte(nil), b...)), append(s.ports, port)
	return true
}

// begin reports whether something waits that nobody handles: who asks does so, until more is false.
func (m *mail) begin() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	due := !m.sorted && len(m.queue) > 0
	m.sorted = m.sorted || due
	return due
}

// more reports whether something waits; if not, who handled it is done.
func (m *mail) more() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sorted = len(m.queue) > 0
	return m.sorted
}

// take returns the next datagram, of one sender after the other; nil if there is none.
func (m *mail) take() (s *sender, from netip.AddrPort, b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.queue) == 0 {
		return nil, from, nil
	}
	s = m.queue[0]
	b, from = s.waiting[0], netip.AddrPortFrom(s.from, s.ports[0])
	s.waiting, s.ports = s.waiting[1:], s.ports[1:]
	m.queue = append(m.queue[:0], m.queue[1:]...)
	if len(s.waiting) > 0 {
		m.queue = append(m.queue, s)
	}
	m.waits[s.member]--
	return s, from, b
}

// rank notes who somebody is.
func (m *mail) rank(s *sender, member bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waits[s.member] -= len(s.waiting)
	s.member = member
	m.waits[s.member] += len(s.waiting)
}

// receive takes datagrams until the socket is closed.
func (l *loop) receive(r *reader, local netip.AddrPort) {
	mail := newMail(newDropFilter(l.udp))
	var err error
	for err == nil || temporary(err) { // such as that of a datagram of ours that was refused
		err = r.read(func(d datagram) { l.arrived(mail, d, local) })
		l.watchFloods(mail)
	}
}

// watchFloods has the kernel drop datagrams if there is a flood, and reports whether a flood began. A goroutine follows it to its end.
func (l *loop) watchFloods(m *mail) bool {
	if m.filter == nil || !m.due(time.Now()) || !m.look(time.Now()) {
		return false
	}
	l.group.Go(func() {
		for pause(detectEvery, l.quit.Done()) && m.look(time.Now()) {
		}
	})
	return true
}

// due reports whether it is time to look for a flood. Once there is one, the goroutine of watchFloods looks.
func (m *mail) due(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.drops && now.Sub(m.looked) >= detectEvery
}

// look gives the filter the rules of floods, and reports whether there are any. The receiver and the goroutine of watchFloods may
// look at the same time, so mu is locked until the rules are set: older ones never replace newer ones.
func (m *mail) look(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := m.floods.look(now.Sub(m.looked), m.lost)
	m.looked, m.lost, m.drops = now, 0, len(m.floods.rules) > 0
	if changed {
		m.filter.set(m.floods.rules) // if that fails, more datagrams of the others are lost
	}
	return m.drops
}

// arrived takes a datagram. Where nobody has a turn and nothing waits it is handled at once, without a copy.
func (l *loop) arrived(mail *mail, d datagram, local netip.AddrPort) {
	s := mail.came(d)
	switch {
	case l.crowd.crowded(&s.source) && !isPing(d.data):
		l.skipped.Add(1)
	case mail.empty() && l.stepping.try():
		l.post(mail, s, d.from, d.data, local)
		l.stepping.leave(&s.source, len(d.data)+overhead)
	case !mail.put(s, d.from.Port(), d.data):
		l.skipped.Add(1)
	case mail.begin():
		l.group.Go(func() { l.sort(mail, local) })
	}
}

// sort handles what could not be at once.
func (l *loop) sort(m *mail, local netip.AddrPort) {
	for m.more() {
		l.stepping.enter(&m.turns, nil)
		work := 0
		for work < turn {
			s, from, b := m.take()
			if s == nil {
				break
			}
			l.post(m, s, from, b, local)
			work += len(b) + overhead
		}
		l.stepping.leave(&m.turns, work)
	}
}

// askAgain is after how many datagrams it is asked again whether somebody is a member.
const askAgain = 64

// post hands a datagram to the engine, in a turn, unless there are no more steps.
func (l *loop) post(m *mail, s *sender, from netip.AddrPort, b []byte, local netip.AddrPort) {
	if l.stopped {
		return
	}
	l.feed(dpsp.Input{Kind: dpsp.Datagram, From: from, Data: b}, local, &s.source)
	if s.seen%askAgain == 0 {
		m.rank(s, l.engine.Standing(from, wire.SockAddr{}) == dpsp.Member)
	}
	s.seen++
}

// isPing says whether a datagram is a ping or the answer to one. They tell the program nothing, and keep us in the
// session while it does not read.
func isPing(b []byte) bool {
	const command = wire.SPHeaderSize + 4 // after the signature
	if len(b) < command+2 || !wire.HasSignature(b[wire.SPHeaderSize:]) {
		return false
	}
	return slices.Contains([]wire.Command{wire.CmdPing, wire.CmdPingReply}, wire.Command(binary.LittleEndian.Uint16(b[command:])))
}
