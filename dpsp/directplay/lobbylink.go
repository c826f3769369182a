package directplay

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// A Secret tells a lobby which of the games that it started is calling, and that it is one of them.
type Secret [16]byte

// MaxLobbyMessage is the size of the largest lobby message, in octets.
const MaxLobbyMessage = 64 << 10

// frame is what lobby and game tell each other: a header of three DWORDs, the size of the data, kind and flags, and the data.
type frame struct {
	kind  frameKind
	flags uint32
	data  []byte
}

type frameKind uint32

const (
	frameHello    frameKind = 1 // the secret, which begins what a game says; nothing, which answers that
	frameMessage  frameKind = 2 // a lobby message, with its flags
	frameSettings frameKind = 3 // new connection settings, from the lobby
)

const frameHeader = 12

var errFrame = errors.New("directplay: the other side of the lobby speaks nonsense")

func (f frame) octets() []byte {
	b := make([]byte, 0, frameHeader+len(f.data))
	for _, v := range [...]uint32{uint32(len(f.data)), uint32(f.kind), f.flags} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return append(b, f.data...)
}

// readFrame reads a frame. Its data are read as they come, so that nobody has memory taken by a number alone.
func readFrame(r io.Reader) (frame, error) {
	var h [frameHeader]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return frame{}, err
	}
	size := binary.LittleEndian.Uint32(h[:])
	f := frame{kind: frameKind(binary.LittleEndian.Uint32(h[4:])), flags: binary.LittleEndian.Uint32(h[8:])}
	if size > MaxLobbyMessage || f.kind < frameHello || f.kind > frameSettings {
		return frame{}, errFrame
	}
	f.data = make([]byte, size) // 64 KiB at most
	if _, err := io.ReadFull(r, f.data); err != nil {
		return frame{}, err
	}
	return f, nil
}

// waitingFrames is how many frames wait for a side that does not read.
const waitingFrames = 256

// link is one side of the connection between a lobby and a game. To send never waits: a game's loop must not stand still
// because its lobby does.
type link struct {
	conn io.ReadWriteCloser
	out  chan utterance
	gone chan struct{} // closed when nothing can be said any more

	greeting sync.Once
	welcomed chan struct{} // closed when the other side took our call, or was waited for in vain
}

// An utterance is octets, or none: then somebody waits for what was before to be said, or the link ends.
type utterance struct {
	octets []byte
	said   chan struct{}
}

// newLink speaks over a connection until it is ended, and closes it then.
func newLink(conn io.ReadWriteCloser) *link {
	l := &link{conn: conn, out: make(chan utterance, waitingFrames), gone: make(chan struct{}), welcomed: make(chan struct{})}
	go func() {
		defer conn.Close()
		defer l.welcome() // nobody is waited for any more
		defer close(l.gone)
		for u := range l.out {
			switch {
			case u.said != nil:
				close(u.said)
				continue
			case u.octets == nil:
				return
			}
			if _, err := conn.Write(u.octets); err != nil {
				return
			}
		}
	}()
	return l
}

// send says a frame; false if the other side is gone or does not listen.
func (l *link) send(f frame) bool {
	select {
	case <-l.gone:
		return false
	default:
	}
	select {
	case l.out <- utterance{octets: f.octets()}:
		return true
	default:
		return false
	}
}

// welcome notes that the other side took our call.
func (l *link) welcome() { l.greeting.Do(func() { close(l.welcomed) }) }

// awaitWelcome waits for that, or until the other side is gone, or ctx ends: then never again.
func (l *link) awaitWelcome(ctx context.Context) {
	select {
	case <-l.welcomed:
	case <-ctx.Done():
	}
	l.welcome()
}

// flush waits until what was said is on its way, or the other side is gone, or ctx ends.
func (l *link) flush(ctx context.Context) {
	said := make(chan struct{})
	select {
	case l.out <- utterance{said: said}:
	case <-l.gone:
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-said:
	case <-l.gone:
	case <-ctx.Done():
	}
}

// end closes the connection after what was said, or at once if the other side does not listen.
func (l *link) end() {
	select {
	case l.out <- utterance{}:
	default:
		l.conn.Close()
	}
}

// read hands on what the other side says until it goes.
func (l *link) read(take func(frame)) {
	defer l.end()
	for {
		f, err := readFrame(l.conn)
		if err != nil {
			return
		}
		take(f)
	}
}

// lobbyPlace returns the value of EnvironmentLobby: where the lobby listens, and the secret.
func lobbyPlace(listener string, s Secret) string { return listener + "/" + hex.EncodeToString(s[:]) }

var errPlace = errors.New("not the place of a lobby: want ADDRESS/SECRET")

// parsePlace reads what lobbyPlace gave.
func parsePlace(v string) (listener string, s Secret, err error) {
	at := strings.LastIndexByte(v, '/')
	if at <= 0 {
		return "", Secret{}, errPlace
	}
	b, err := hex.DecodeString(v[at+1:])
	if err != nil || len(b) != len(s) {
		return "", Secret{}, fmt.Errorf("%w: the secret has 32 hexadecimal digits", errPlace)
	}
	return v[:at], Secret(b), nil
}
