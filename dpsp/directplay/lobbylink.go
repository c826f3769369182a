package directplay

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// A Secret tells a lobby which of the games that it started is calling, and that it is one of them.
type Secret [16]byte

// MaxLobbyMessage is the size of the largest lobby message, in octets.
const MaxLobbyMessage = 64 << 10

// frame is what lobby and game tell each other: a header of three DWORDs, and the data.
type frame struct {
	kind  frameKind
	flags uint32
	data  []byte
}

// A frameStart is the header of a frame. Size is that of the data.
type frameStart struct {
	Size  uint32
	Kind  frameKind
	Flags uint32
}

type frameKind uint32

const (
	frameHello    frameKind = 1 // the secret, which begins what a game says; nothing, which answers that
	frameMessage  frameKind = 2 // a lobby message, with its flags
	frameSettings frameKind = 3 // new connection settings, from the lobby
)

var errFrame = errors.New("directplay: the other side of the lobby speaks nonsense")

func (f frame) octets() []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, frameStart{uint32(len(f.data)), f.kind, f.flags})
	return append(b, f.data...)
}

// readFrame reads a frame. Its data are read as they come, so that nobody has memory taken by a number alone.
func readFrame(r io.Reader) (frame, error) {
	var h frameStart
	if err := binary.Read(r, binary.LittleEndian, &h); err != nil {
		return frame{}, err
	}
	if h.Size > MaxLobbyMessage || h.Kind < frameHello || h.Kind > frameSettings {
		return frame{}, errFrame
	}
	f := frame{h.Kind, h.Flags, make([]byte, h.Size)} // 64 KiB at most
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
	gone context.Context // ends when nothing can be said any more

	welcomed context.Context // ends with gone, when the other side took our call, or when it was waited for in vain
	welcome  context.CancelFunc
}

// An utterance is octets, or none: then somebody waits for what was before to be said, or the link ends.
type utterance struct {
	octets []byte
	said   chan struct{}
}

// newLink speaks over a connection until it is ended, and closes it then.
func newLink(conn io.ReadWriteCloser) *link {
	l := &link{conn: conn, out: make(chan utterance, waitingFrames)}
	gone, end := context.WithCancel(context.Background())
	l.gone = gone
	l.welcomed, l.welcome = context.WithCancel(gone)
	go func() {
		defer conn.Close()
		defer end()
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
	if l.gone.Err() != nil {
		return false
	}
	select {
	case l.out <- utterance{octets: f.octets()}:
		return true
	default:
		return false
	}
}

// awaitWelcome waits until the other side took our call or is gone, but not for ever, and then never again.
func (l *link) awaitWelcome(most time.Duration) {
	ctx, cancel := context.WithTimeout(l.welcomed, most)
	defer cancel()
	<-ctx.Done()
	l.welcome()
}

// flush waits until what was said is on its way, or the other side is gone, but not for ever.
func (l *link) flush(most time.Duration) {
	ctx, cancel := context.WithTimeout(l.gone, most)
	defer cancel()
	said := make(chan struct{})
	select {
	case l.out <- utterance{said: said}:
	case <-ctx.Done():
		return
	}
	select {
	case <-said:
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
