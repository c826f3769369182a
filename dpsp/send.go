package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/wire"
)

// encode encodes a message with its SP header into this step's memory.
func (s *sender) encode(m wire.Message) ([]byte, error) {
	env := wire.Envelope{HasSP: true, SP: s.cfg.header(), Version: s.cfg.Dialect, Message: m}
	at := len(s.out.buf)
	b, err := env.Append(s.out.buf)
	if err != nil {
		return nil, err
	}
	s.out.buf = b
	return b[at:len(b):len(b)], nil
}

// sendTCP sends a system message to a machine's listener.
func (s *sender) sendTCP(to netip.AddrPort, m wire.Message) { s.send(TCP, to, m) }

func (s *sender) send(t Transport, to netip.AddrPort, m wire.Message) {
	s.sendAs(Outgoing{Transport: t, To: to, Priority: true}, m)
}

// sendAs sends a message as out says.
func (s *sender) sendAs(out Outgoing, m wire.Message) {
	b, err := s.encode(m)
	if err != nil {
		// Everything that a program hands us was held against the limits before; what remains is ours.
		s.drop(origin{from: out.To}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return
	}
	out.Data = b
	s.put(out)
}

// put has octets sent, unless there is nowhere to send them: a machine can be announced without addresses, and a
// header can name port 0.
func (s *sender) put(out Outgoing) {
	if !s.inFrames(&out) {
		s.putRaw(out)
	}
}

// sendRaw sends a message that never goes in frames.
func (s *sender) sendRaw(t Transport, to netip.AddrPort, m wire.Message) {
	if b, err := s.encode(m); err == nil {
		s.putRaw(Outgoing{Transport: t, To: to, Data: b, Priority: true})
	}
}

// putRaw is put for what is in frames, or is not to be.
func (s *sender) putRaw(out Outgoing) {
	s.carry()
	if out.To.IsValid() && out.To.Port() != 0 && (out.Transport != TCP || s.arrivals.put(s.now, s.peers.newest(out.To), out.Data)) {
		s.out.Sends = append(s.out.Sends, out)
	}
}

// hangUpAt closes the connection to a listener, after what is still to be sent.
func (s *sender) hangUpAt(to netip.AddrPort) {
	if to.IsValid() && !slices.Contains(s.out.Close, to) {
		s.out.Close = append(s.out.Close, to)
	}
}

// sendAll sends a system message to every other machine in the session.
func (s *sender) sendAll(m wire.Message) { s.sendTo(s.peers.all, m) }

// sendTo sends a system message to machines over TCP, in one piece: what goes in fragments is overtaken.
func (s *sender) sendTo(to []*peer, m wire.Message) {
	if len(to) == 0 {
		return
	}
	b, err := s.encode(m)
	if err != nil {
		s.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return
	}
	for _, p := range to {
		s.put(Outgoing{Transport: TCP, To: p.stream, Data: b, Priority: true})
	}
}

// hangUpUnknown has a connection to a machine that is not in the session closed when all is sent.
func (s *sender) hangUpUnknown(at netip.AddrPort) {
	if s.peerAt(at) == nil {
		s.hangUpAt(at)
	}
}
