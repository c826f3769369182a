package directplay

import (
	"bytes"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frameHeader is the size of the header of a frame.
const frameHeader = 12

func TestFrame(t *testing.T) {
	f := frame{frameMessage, LobbyStandard, []byte{0xD1, 0xD2, 0xD3}}
	want := octets(t, `03 00 00 00  02 00 00 00  02 00 00 00  D1 D2 D3`) // source: the comment of frame, by hand
	assert.Equal(t, want, f.octets())
	for n := range want {
		_, err := readFrame(bytes.NewReader(want[:n]))
		assert.Error(t, err, "%d octets", n)
	}
	got, err := readFrame(bytes.NewReader(want))
	require.NoError(t, err)
	assert.Equal(t, f, got)
}

// TestLinkNobodyReads has another side that never reads: what is said beyond what may wait is refused, and nothing stands still.
func TestLinkNobodyReads(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	l := newLink(ours)
	said := 0
	for l.send(frame{kind: frameMessage}) {
		said++
		require.LessOrEqual(t, said, waitingFrames+1)
	}
	l.end()
	<-l.gone.Done()
	assert.False(t, l.send(frame{kind: frameMessage}), "nobody is there")
	_, err := theirs.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
}

// TestLinkEnd says what waits before it ends.
func TestLinkEnd(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	l := newLink(ours)
	for i := range byte(3) {
		require.True(t, l.send(frame{frameMessage, 0, []byte{i}}))
	}
	l.end()
	for i := range byte(3) {
		f, err := readFrame(theirs)
		require.NoError(t, err)
		assert.Equal(t, []byte{i}, f.data)
	}
	_, err := readFrame(theirs)
	assert.ErrorIs(t, err, io.EOF)
}

func TestLobbyPlace(t *testing.T) {
	s := Secret{1, 2, 3, 15: 0xFF}
	v := lobbyPlace("[::1]:5000", s)
	assert.Equal(t, "[::1]:5000/010203000000000000000000000000ff", v)
	place, secret, err := parsePlace(v)
	require.NoError(t, err)
	assert.Equal(t, "[::1]:5000", place)
	assert.Equal(t, s, secret)
	for _, bad := range []string{"", "/", "127.0.0.1:5000", "127.0.0.1:5000/", "x/0102", "/" + v[11:],
		"x/zz0203000000000000000000000000ff"} {
		_, _, err := parsePlace(bad)
		assert.ErrorIs(t, err, errPlace, bad)
	}
}

func TestLobbyQueueBounded(t *testing.T) {
	var q lobbyQueue
	for range 2 * maxLobbyMessages {
		q.put(0, []byte{1})
	}
	assert.Len(t, q.list, maxLobbyMessages)
	q = lobbyQueue{}
	for range 2 * maxLobbyOctets / MaxLobbyMessage {
		q.put(0, make([]byte, MaxLobbyMessage))
	}
	assert.Equal(t, maxLobbyOctets, q.octets)
	for len(q.list) > 0 {
		_, code := q.receive(&Buffer{Size: MaxLobbyMessage})
		require.Zero(t, code)
	}
	assert.Zero(t, q.octets)
}

// FuzzFrame reads what another program of this machine may say.
func FuzzFrame(f *testing.F) {
	f.Add(frame{frameMessage, LobbyStandard, []byte{0xD1, 0xD2, 0xD3}}.octets())
	f.Add(frame{kind: frameSettings}.octets())
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readFrame(bytes.NewReader(b))
		if err == nil {
			require.Equal(t, got.octets(), b[:frameHeader+len(got.data)])
		}
	})
}
