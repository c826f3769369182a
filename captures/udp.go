package captures

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"dplay4/captures/internal/link"
	"dplay4/wire"
)

// sorted is a datagram, as far as it is clear before it is decoded.
type sorted struct {
	system  bool     // it is a system message
	session *Session // of the other datagrams that are known to be DirectPlay 4's; nil: not known
	known   bool
	eighth  likeness // to DirectPlay 8, of the others
}

// sort finds out the kind of a datagram.
func (r *run) sort(u *link.Unit) (x sorted) {
	if x.system = systemDatagram(u.Payload, u.Cut); x.system {
		return x
	}
	if x.session, x.known = r.socket(u); !x.known {
		x.eighth = r.directPlay8(u)
	}
	return x
}

// datagram takes one UDP datagram: a system message, a game message, a reliable frame, or none of ours.
func (r *run) datagram(u *link.Unit) {
	forced := r.named(u.Src, u.Dst)
	ours := r.sorted.known || forced && r.sorted.eighth == unlike
	switch s := r.sorted.session; {
	case r.sorted.system:
		r.systemDatagram(u)
	case ours && r.reliable(s):
		r.reliableFrame(u, s)
	case ours:
		r.gameDatagram(u, s)
	case r.sorted.eighth == certain:
		r.sum.DirectPlay8++
		r.sum.OtherOctets += int64(len(u.Payload))
	case forced || usual(u.Dst.Port()) || usual(u.Src.Port()):
		r.sum.Unproven++
		r.sum.Unclaimed += int64(len(u.Payload))
	default:
		r.sum.OtherOctets += int64(len(u.Payload))
	}
}

// named reports whether the reader named the port of one of two sockets.
func (r *run) named(a, b netip.AddrPort) bool { return r.ports[a.Port()] || r.ports[b.Port()] }

// systemDatagram goes by what Windows and Wine go by, 'play' at octet 20, and wants something like a header
// before it; the size in it may be a lie. Of a datagram that the snap length cut before the signature, the
// beginning of the header has to do.
func systemDatagram(b []byte, cut int) bool {
	const family = 4 // octets from the start of the header to the address family
	if len(b) < family+2 {
		return false
	}
	token := wire.Token(binary.LittleEndian.Uint32(b) >> 20)
	inet := b[family] == wire.FamilyINet && b[family+1] == 0
	if len(b) < wire.SPHeaderSize+4 {
		return cut > 0 && inet && token.Known()
	}
	return wire.HasSignature(b[wire.SPHeaderSize:]) && (inet || token.Known())
}

func (r *run) systemDatagram(u *link.Unit) {
	p := peerPair{ip: u.Src.Addr(), dst: r.learn.machines.datagram(u.Dst), to: u.Dst, from: u.Src}
	if sp, err := wire.ParseSPHeader(u.Payload); err == nil {
		p.src = r.learn.machines.heard(u.Src, sp.SockAddr)
		r.learn.machines.bind(u.Src, p.src)
	}
	rec := r.record(UDP, u.Src, u.Dst, u.Payload, u.Frames, u.Time)
	rec.Base = wire.SPHeaderSize
	r.decode(rec, p, r.learn.sessionOf(p))
	r.settleDatagram(rec, u)
	r.between(rec, p.src)
	r.emit(rec)
	r.fragment(rec, p)
}

// socket reports whether a datagram without a header is known to be DirectPlay 4's, and returns its session if that is known.
func (r *run) socket(u *link.Unit) (*Session, bool) {
	if s, ok := r.learn.datagrams[u.Dst]; ok {
		return s, true
	}
	if s, ok := r.learn.datagrams[u.Src]; ok {
		return s, true
	}
	if len(u.Payload) >= 8 {
		from := wire.PlayerID(binary.LittleEndian.Uint32(u.Payload))
		to := wire.PlayerID(binary.LittleEndian.Uint32(u.Payload[4:]))
		return r.learn.between(from, to)
	}
	return nil, false
}

// reliable reports whether the datagrams of a session are frames of the reliable protocol.
func (r *run) reliable(s *Session) bool {
	return r.opt.Reliable.or(s.has(wire.SessionDirectPlayProtocol))
}

func (r *run) gameDatagram(u *link.Unit, s *Session) {
	rec := r.record(UDP, u.Src, u.Dst, u.Payload, u.Frames, u.Time)
	rec.Session = s
	rec.Options = r.options(s)
	r.dec.Options = rec.Options
	m, err := r.dec.DecodePlayerMessage(u.Payload)
	rec.Envelope, rec.Err = wire.Envelope{Message: m}, err
	r.settleDatagram(rec, u)
	r.between(rec, netip.AddrPort{})
	r.emit(rec)
}

// settleDatagram accounts for the octets of a datagram, those that the snap length cut off included.
func (r *run) settleDatagram(rec *Record, u *link.Unit) {
	r.sum.UDP.Octets += int64(len(u.Payload))
	r.carries(u.Frames...)
	if u.Cut > 0 {
		r.sum.UDP.Lost += int64(u.Cut)
		r.note(rec, Finding{Code: OctetsLost, Offset: -1, Text: fmt.Sprintf("%d octets of the datagram were not captured", u.Cut)})
	}
	r.settle(rec, &r.sum.UDP)
}
