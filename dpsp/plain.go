package dpsp

import (
	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// cameUnframed takes note of a game message that came as in other sessions.
func (s *sender) cameUnframed(o origin, m *wire.PlayerMessage) {
	p, fr := s.peerOf(o), s.frames()
	switch {
	case o.udp || o.framed || !fr.On || p == nil:
	case m.From != 0 && s.owner(m.From) != p: // a host passes messages on
	default:
		fr.CameUnframed(&p.frameLinks)
	}
}

// answeredFrames takes the answer to a PING.
func (s *sender) answeredFrames(p *peer, o origin, tick uint32) {
	if !o.framed && s.frames().Answered(&p.frameLinks, tick) {
		s.speakPlainly(p)
	}
}

// speakPlainly makes a peer plain. What it was sent in frames and did not acknowledge goes once more, if it was guaranteed.
func (s *sender) speakPlainly(p *peer) {
	again := s.frames().SpeakPlainly(&p.frameLinks)
	s.learned(p, []reliable.Reading{reliable.NoFrames})
	for _, m := range again {
		s.sayPlainly(p, m)
	}
}

// sayPlainly sends over its connection what was to go to a peer on a link.
func (s *sender) sayPlainly(p *peer, m frame.Unsaid) {
	var err error
	if wire.HasSignature(m.Data) {
		var env wire.Envelope
		if env, err = s.dec.DecodeBare(m.Data); err == nil {
			s.sendTCP(p.stream, env.Message)
		}
	} else {
		game := &wire.PlayerMessage{NoIDs: s.dec.Options.NoMessageID, From: m.Local, To: m.Remote, Payload: m.Data}
		if m.Remote == p.system {
			game.To = wire.IDAll
		}
		if s.cfg.Readings.WithIDs && len(m.Data) >= 8 {
			game.Payload = m.Data[8:]
		}
		err = s.transmit([]*peer{p}, game, Send{Guaranteed: true})
	}
	s.know(m.Token, err)
}
