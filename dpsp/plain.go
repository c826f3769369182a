package dpsp

import (
	"dplay4/dpsp/internal/frame"
	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// cameUnframed takes note of a game message that came as in other sessions.
func (e *Engine) cameUnframed(o origin, m *wire.PlayerMessage) {
	p, fr := e.peerOf(o), e.frames()
	switch {
	case o.udp || o.framed || !fr.On || p == nil || p.isLate(o):
	case m.From != 0 && e.owner(m.From) != p: // a host passes messages on
	default:
		fr.CameUnframed(&p.frameLinks)
	}
}

// answeredFrames takes the answer to a PING.
func (e *Engine) answeredFrames(p *peer, o origin, tick uint32) {
	if !o.framed && e.frames().Answered(&p.frameLinks, tick) {
		e.speakPlainly(p)
	}
}

// speakPlainly makes a peer plain. What it was sent in frames and did not acknowledge goes once more, if it was guaranteed.
func (e *Engine) speakPlainly(p *peer) {
	again := e.frames().SpeakPlainly(&p.frameLinks)
	e.learned(p, []reliable.Reading{reliable.NoFrames})
	for _, m := range again {
		e.sayPlainly(p, m)
	}
}

// sayPlainly sends over its connection what was to go to a peer on a link.
func (e *Engine) sayPlainly(p *peer, m frame.Unsaid) {
	var err error
	if wire.HasSignature(m.Data) {
		var env wire.Envelope
		if env, err = e.dec.DecodeBare(m.Data); err == nil {
			e.sendTCP(p.stream, env.Message)
		}
	} else {
		game := &wire.PlayerMessage{NoIDs: e.dec.Options.NoMessageID, From: m.Local, To: m.Remote, Payload: m.Data}
		if m.Remote == p.system {
			game.To = wire.IDAll
		}
		if e.cfg.Readings.WithIDs && len(m.Data) >= 8 {
			game.Payload = m.Data[8:]
		}
		err = e.play.transmit([]*peer{p}, game, Send{Guaranteed: true})
	}
	e.know(m.Token, err)
}
