package trainhost

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"slices"
	"time"

	"dplay4/wire/reliable"
)

// A Message is one that came in frames and that the host took for whole.
type Message struct {
	From uint16 // the index that its last frame said it was from
	Data []byte
}

// A link is what the host knows of the frames of a joiner.
type link struct {
	open     bool   // CREATEPLAYER came
	received uint32 // octets of frames, without indexes
	next     uint8  // sequence of the frame that goes on with buffer
	buffer   []byte
}

// Delivered returns the messages that came whole so far, in the order in which they did, repeated ones included, once there are
// n at least. Its error is that of ctx.
func (h *Host) Delivered(ctx context.Context, n int) ([]Message, error) {
	for {
		h.mu.Lock()
		all, news := slices.Clone(h.delivered), h.news
		h.mu.Unlock()
		if len(all) >= n {
			return all, nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return all, ctx.Err()
		}
	}
}

// Frames returns how many frames came, and how many the host sent, those that were lost included.
func (h *Host) Frames() (in, out int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.in, h.out
}

// framed takes a datagram that came to the port of the session.
func (h *Host) framed(from netip.AddrPort, b []byte) {
	j := h.joiners[from.Addr()]
	if j == nil || !j.open || from.Port() != h.opt.Port {
		return
	}
	if h.in++; lost(h.opt.LoseIn, h.in) {
		return
	}
	f, err := reliable.Decode(b)
	if err != nil || f.Flags&reliable.EXT != 0 {
		return
	}
	j.received += 4 + uint32(len(f.Data))
	if f.Kind() == reliable.KindACK {
		j.received += 8 + uint32(len(f.Trailing))
	}
	if f.To != 0 || f.Kind() == reliable.KindData && !h.assemble(j, &f) || f.Flags&(reliable.EOM|reliable.SAK) == 0 {
		return
	}
	h.send(j, &reliable.Frame{
		To: misread(f.From), Flags: reliable.ACK | f.Flags&reliable.RLY, MessageID: f.MessageID, Sequence: f.Sequence, Serial: f.Serial,
		BytesReceived: j.received, Tick: uint32(time.Since(h.start).Milliseconds()),
	})
}

// assemble takes a frame with data, false if it is not the next one.
func (h *Host) assemble(j *joiner, f *reliable.Frame) bool {
	switch whole := reliable.STA | reliable.EOM; {
	case f.Flags&whole == whole:
		h.deliver(j, f.From, f.Data)
		return true
	case f.Flags&reliable.STA != 0:
		j.buffer = j.buffer[:0]
	case f.Sequence != j.next:
		return false
	}
	j.buffer, j.next = append(j.buffer, f.Data...), f.Sequence+1
	if f.Flags&reliable.EOM != 0 {
		h.deliver(j, f.From, j.buffer)
	}
	return true
}

// deliver takes a message that is whole.
func (h *Host) deliver(j *joiner, from uint16, data []byte) {
	h.delivered = append(h.delivered, Message{from, bytes.Clone(data)})
	close(h.news)
	h.news = make(chan struct{})
	switch {
	case bytes.HasPrefix(data, []byte("play")):
		h.inside(j, data, false)
	case len(data) >= gameHeader && bytes.Equal(data[8:gameHeader], gameMessage(j, echoed)[8:]):
		h.game(j, 2, append(gameMessage(j, echoed), data[gameHeader:]...))
	}
}

// The game's messages begin with the ids of addressee and sender, a command and a magic number.
const (
	gameHeader = 12
	gameMagic  = 300
	greeting   = 1002
	echoed     = 1004
)

// gameMessage returns a message of the game to a joiner, without what the command is about.
func gameMessage(j *joiner, command uint16) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(j.system))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint16(b, command)
	return binary.LittleEndian.AppendUint16(b, gameMagic)
}

// greet says the first message of the game, which has it say things of its own.
func (h *Host) greet(j *joiner) {
	h.game(j, 1, append(gameMessage(j, greeting), 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0))
}

// game sends a message of the game, in one frame.
func (h *Host) game(j *joiner, id uint8, data []byte) {
	const whole = reliable.CMD | reliable.STA | reliable.EOM
	h.send(j, &reliable.Frame{To: uint16(j.system), Flags: whole, MessageID: id, Sequence: reliable.FirstSequence, Data: data})
}

// send sends a frame to the host's own port at a joiner.
func (h *Host) send(j *joiner, f *reliable.Frame) {
	if h.out++; lost(h.opt.LoseOut, h.out) {
		return
	}
	b, err := appendFrame(f)
	if err != nil {
		panic(err) // of our own making
	}
	h.frames.WriteToUDPAddrPort(b, netip.AddrPortFrom(j.addr, h.opt.Port))
}

// lost reports whether the n-th frame is lost by lose; nil loses none.
func lost(lose func(n int) bool, n int) bool { return lose != nil && lose(n) }

// misread is what the host makes of an index: it has a mask wrong where there are three octets.
func misread(index uint16) uint16 {
	if index < 1<<14 {
		return index
	}
	return index & 0xC3FF
}

// appendFrame is Append with the host's limits of sizes: from 14384 on, written for 16384, an index takes three octets, though
// there is room for two; so the last octet of the frame is missing.
func appendFrame(f *reliable.Frame) ([]byte, error) {
	if f.To < 14384 || f.To >= 1<<14 {
		return f.Append(nil)
	}
	f.ToSize = 3
	b, err := f.Append(nil)
	return b[:max(0, len(b)-1)], err
}
