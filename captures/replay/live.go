package replay

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"time"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A Live plays a recorded joiner's part to a host that is running. It has no socket and no clock: it says what is to be
// sent and what is to be waited for, one after the other, and is told what came.
type Live struct {
	joiner   *machine
	host     *machine
	mapping  mapping
	place    int // in the joiner's traffic
	stream   uint16
	datagram uint16
	hostUDP  uint16
	skipped  int
}

// An Act is what is to be done next.
type Act struct {
	N, Frame  int
	At        time.Duration // in the recording
	Message   string
	Send      bool // otherwise it is waited for
	Transport captures.Transport
	Enum      bool   // it goes to port 47624 of the host
	Port      uint16 // of the host's UDP socket, for what else goes by UDP
	Data      []byte // what to send
	Vital     bool   // without it nothing that follows makes sense
	Optional  bool   // the recorded host's game, a timer or another joiner made it: no other host needs to send it
	message   *message
}

// What a capture may lack for Live.
var (
	ErrNoJoiner = errors.New("no machine of the capture joins a session in it")
	ErrNoHost   = errors.New("the capture has nothing that the joiner and its host say to each other")
)

// Live readies the part of a joiner: the one that listens at an address, or the first one if that is invalid. Our own
// listeners' ports take the place of the joiner's. It fails with ErrNoJoiner or ErrNoHost.
func (c *Capture) Live(at netip.AddrPort, stream, datagram uint16) (*Live, error) {
	i := slices.IndexFunc(c.machines, func(m *machine) bool {
		return m.role() == Joiner && (m.listener == at || !at.IsValid())
	})
	if i < 0 {
		return nil, ErrNoJoiner
	}
	l := &Live{joiner: c.machines[i], stream: stream, datagram: datagram, hostUDP: defaultDatagram}
	for msg, b := range bodies[*wire.RequestPlayerID](l.joiner.says) {
		if b.Flags&wire.PlayerSystem != 0 {
			l.host = msg.addressee()
			break
		}
	}
	if l.host == nil {
		return nil, ErrNoHost
	}
	return l, nil
}

// defaultDatagram is the first UDP port that implementations try.
const defaultDatagram = 2350

// Joiner returns the recorded joiner's listener.
func (l *Live) Joiner() netip.AddrPort { return l.joiner.listener }

// Skipped returns how many messages were left out so far: those between the joiner and others than its host, and answers to
// what the running host did not say.
func (l *Live) Skipped() int { return l.skipped }

// Mapped counts what the running host has other values for.
func (l *Live) Mapped() Mapped { return l.mapping.mapped() }

// Next returns what is to be done next; false at the end. Data is the caller's.
func (l *Live) Next() (Act, bool) {
	for ; l.place < len(l.joiner.traffic); l.place++ {
		m := l.joiner.traffic[l.place]
		if m.command == frameName || m.transport == inFrames {
			continue // what is lost and repeated is another matter each time
		}
		enum, ours := m.dst.Port() == dpsp.EnumPort, m.from == l.joiner
		switch {
		case m.from == l.host && m.addressee() == l.joiner: // awaited
		case !ours && enum:
			continue // another joiner's
		case !ours, !enum && m.addressee() != l.host, l.unasked(m):
			l.skipped++
			continue
		}
		l.place++
		a := Act{N: m.n, Frame: m.frame, At: m.at, Message: m.command, Send: ours, Transport: m.transport, message: m}
		if a.Send {
			a.Enum, a.Port, a.Data = enum, l.hostUDP, l.translate(m)
		} else {
			_, a.Vital = m.env.Message.(*wire.RequestPlayerReply)
			a.Optional = optional(m)
		}
		return a, true
	}
	return Act{}, false
}

// optional reports whether another host need not send a message: its own program or timers, or other joiners, make it.
func optional(m *message) bool {
	switch m.env.Message.(type) {
	case *wire.Ping, *wire.AddForward, *wire.CreatePlayer, *wire.CreateGroup:
		return true
	}
	return byProgram(m.command)
}

// unasked reports whether a message answers one that the running host did not send.
func (l *Live) unasked(m *message) bool {
	known := true
	switch b := m.env.Message.(type) {
	case *wire.AddForwardAck:
		_, known = l.mapping.ours[idOf(b.ID)]
	case *wire.PingReply:
		_, known = l.mapping.ours[value{space: ticks, num: b.Tick}]
	}
	return !known
}

// translate returns a recorded message with the running session's values, our ports, and no address of ours: the host is
// to take the one that it sees.
func (l *Live) translate(m *message) []byte {
	out := l.mapping.translate(m.transport, m.raw, m.opts)
	ports := map[string]uint16{"SockAddr": l.stream, "Stream": l.stream, "Datagram": l.datagram}
	walk(m.transport, out, m.opts, func(f *wire.Field) {
		if port, ok := ports[f.Name]; ok && f.Kind == wire.KindSockAddr {
			binary.BigEndian.PutUint16(f.Raw[2:], port)
			clear(f.Raw[4:8])
		}
	})
	return out
}

// Fits reports whether a message that the host sent may be the one that is waited for.
func (a *Act) Fits(t captures.Transport, data []byte) bool {
	return !a.Send && t == a.Transport && NameOf(t, data, a.message.opts) == a.Message
}

// NameOf returns the name of a message's command as it travelled.
func NameOf(t captures.Transport, data []byte, opts wire.Options) string {
	m := message{transport: t, raw: data, opts: opts}
	m.decode()
	return m.command
}

// Take takes the host's message that was waited for, which Fits said it is, and gives where it differs from the recorded
// one. Its ids take the place of the recorded ones from now on.
func (l *Live) Take(a *Act, data []byte) []Difference {
	ours := &message{transport: a.Transport, raw: data, opts: a.message.opts}
	ours.decode()
	c := compare(&l.mapping, a.message, ours)
	c.commit()
	if b, ok := ours.env.Message.(*wire.SuperEnumPlayersReply); ok { // it tells where the host takes datagrams
		if sp, ok := wire.ParseSPData(hostIn(b).SPData); ok && sp.Datagram.Port != 0 {
			l.hostUDP = sp.Datagram.Port
		}
	}
	var diffs []Difference
	for _, d := range c.diffs {
		if addresses.MatchString(d.Field) || d.Field == "size" {
			continue // another host listens elsewhere, and so do we
		}
		d.To = netip.AddrPort{} // ours
		diffs = append(diffs, d)
	}
	return diffs
}

// addresses are the fields that say where machines listen.
var addresses = regexp.MustCompile(`^SockAddr$|\.(Stream|Datagram)$`)

// Lacking returns the difference of a message that the host did not send.
func (a *Act) Lacking(after time.Duration) Difference {
	d := a.message.difference(Missing)
	d.To, d.Recorded, d.Note = netip.AddrPort{}, a.message.summary(), fmt.Sprintf("the host did not send it within %v", after)
	return d
}
