package dpsp

import (
	"net/netip"
	"slices"

	"dplay4/wire"
)

// encode encodes a message with its SP header into this step's memory.
func (e *Engine) encode(m wire.Message) ([]byte, error) {
	env := wire.Envelope{HasSP: true, SP: e.cfg.header(), Version: e.cfg.Dialect, Message: m}
	at := len(e.out.buf)
	b, err := env.Append(e.out.buf)
	if err != nil {
		return nil, err
	}
	e.out.buf = b
	return b[at:len(b):len(b)], nil
}

// sendTCP sends a system message to a machine's listener.
func (e *Engine) sendTCP(to netip.AddrPort, m wire.Message) { e.send(TCP, to, m) }

func (e *Engine) send(t Transport, to netip.AddrPort, m wire.Message) {
	e.sendAs(Outgoing{Transport: t, To: to, Priority: true}, m)
}

// sendAs sends a message as out says.
func (e *Engine) sendAs(out Outgoing, m wire.Message) {
	b, err := e.encode(m)
	if err != nil {
		// Everything that a program hands us was held against the limits before; what remains is ours.
		e.drop(origin{from: out.To}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return
	}
	out.Data = b
	e.put(out)
}

// put has octets sent, unless there is nowhere to send them: a machine can be announced without addresses, and a
// header can name port 0.
func (e *Engine) put(out Outgoing) {
	if !e.inFrames(&out) {
		e.putRaw(out)
	}
}

// sendRaw sends a message that never goes in frames.
func (e *Engine) sendRaw(t Transport, to netip.AddrPort, m wire.Message) {
	if b, err := e.encode(m); err == nil {
		e.putRaw(Outgoing{Transport: t, To: to, Data: b, Priority: true})
	}
}

// putRaw is put for what is in frames, or is not to be.
func (e *Engine) putRaw(out Outgoing) {
	e.carry()
	if out.To.IsValid() && out.To.Port() != 0 && (out.Transport != TCP || e.arrivals.put(e.now, e.peers.newest(out.To), out.Data)) {
		e.out.Sends = append(e.out.Sends, out)
	}
}

// hangUpAt closes the connection to a listener, after what is still to be sent.
func (e *Engine) hangUpAt(to netip.AddrPort) {
	if to.IsValid() && !slices.Contains(e.out.Close, to) {
		e.out.Close = append(e.out.Close, to)
	}
}

// sendAll sends a system message to every other machine in the session.
func (e *Engine) sendAll(m wire.Message) { e.sendTo(e.peers.all, m) }

// sendTo sends a system message to machines over TCP, in one piece: what goes in fragments is overtaken.
func (e *Engine) sendTo(to []*peer, m wire.Message) {
	if len(to) == 0 {
		return
	}
	b, err := e.encode(m)
	if err != nil {
		e.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return
	}
	for _, p := range to {
		e.put(Outgoing{Transport: TCP, To: p.stream, Data: b, Priority: true})
	}
}

// hangUpUnknown has a connection to a machine that is not in the session closed when all is sent.
func (e *Engine) hangUpUnknown(at netip.AddrPort) {
	if e.peerAt(at) == nil {
		e.hangUpAt(at)
	}
}
