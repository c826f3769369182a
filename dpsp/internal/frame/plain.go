package frame

import (
	"slices"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/wire"
)

// A machine may join a session with DIRECTPLAYPROTOCOL and not have the reliable protocol: Wine 10 does, drops frames, and sends
// what it would send in any other session. Such a peer is plain: messages for it go as in other sessions, and its datagrams are
// taken. A peer is asked with a PING that is no frame
//
//   - when a game message of one of its players comes over its TCP connection, and no frame of it came within PlainFor;
//   - when it acknowledged nothing for AskAfter and never sent a frame.
//
// One that speaks frames answers in a frame. If the answer is none and repeats our random number, the peer is plain; so it is
// if it sent a game message over TCP, no frame, and acknowledged nothing for deafAfter. No datagram that is forged makes a peer
// plain. A frame ends it, but only PlainFor after the last message over TCP, so that a forged frame does little harm. Our
// own never are plain.
const (
	PlainFor  = 5 * time.Second
	AskAfter  = 2 * time.Second // and between two questions
	deafAfter = 10 * time.Second
)

// CameUnframed takes note of a game message that came over a peer's connection as in other sessions.
func (fr *Links) CameUnframed(p *Peer) {
	p.plainAt = max(fr.Now, 1)
	fr.ask(p)
}

// CameFramed takes note of a frame.
func (fr *Links) CameFramed(p *Peer) {
	p.FrameAt = max(fr.Now, 1)
	if !p.Plain || fr.Now-p.plainAt > PlainFor {
		p.Plain, p.Framed = false, true
	}
}

// Unanswered asks a peer that has acknowledged nothing on a link for so long, and never sent a frame. It reports whether the peer is
// plain without an answer.
func (fr *Links) Unanswered(p *Peer, since time.Duration) bool {
	if p.FrameAt != 0 || since < AskAfter {
		return false
	}
	if since >= deafAfter && p.plainAt != 0 && fr.MayBePlain(p) {
		return true
	}
	fr.ask(p)
	return false
}

// ask asks a peer whether it speaks frames.
func (fr *Links) ask(p *Peer) {
	if !fr.MayBePlain(p) || p.Asked != 0 && fr.Now-p.askedAt < AskAfter {
		return
	}
	p.Asked, p.askedAt = fr.cfg.Rand.Uint32()|1, fr.Now
	fr.out.Sends = append(fr.out.Sends, Send{To: p.Socket(), Ask: p.Asked})
}

// Answered reports whether an answer to a PING that was no frame shows that a peer is plain.
func (fr *Links) Answered(p *Peer, tick uint32) bool {
	return p.Asked != 0 && p.Asked == tick && fr.MayBePlain(p)
}

// MayBePlain reports whether a peer is none of ours, and sends no frames.
func (fr *Links) MayBePlain(p *Peer) bool {
	return fr.On && !p.Plain && !p.Modern() && !p.Marked() && (p.FrameAt == 0 || fr.Now-p.FrameAt > PlainFor)
}

// An Unsaid message was sent in frames between two players, and not acknowledged.
type Unsaid struct {
	Local, Remote wire.PlayerID
	reliable.Message
}

// SpeakPlainly makes a peer plain, and returns what is to go once more: what was guaranteed and not acknowledged, system messages first,
// because a message can be from a player that one of them announced.
func (fr *Links) SpeakPlainly(p *Peer) (again []Unsaid) {
	links := slices.Clone(p.Links)
	turn := func(l *Link) int {
		if l.Local == fr.Self {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(links, func(a, b *Link) int { return turn(a) - turn(b) })
	for _, l := range links {
		for _, m := range l.Withdraw() {
			again = append(again, Unsaid{l.Local, l.Remote, m})
		}
	}
	for _, l := range links {
		for _, b := range l.behind {
			again = append(again, Unsaid{l.Local, l.Remote, b.message})
		}
		l.behind = nil
	}
	fr.Close(p)
	p.Plain, p.Asked = true, 0
	return again
}
