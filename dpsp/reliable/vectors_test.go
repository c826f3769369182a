package reliable

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// octets reads a vector; "|" is for the eye.
func octets(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.NewReplacer(" ", "", "|", "").Replace(s))
	require.NoError(t, err)
	return b
}

// take gives a link the frame of a vector.
func take(t *testing.T, l *Link, now time.Duration, vector string, data ...byte) {
	t.Helper()
	f, err := reliable.Decode(append(octets(t, vector), data...))
	require.NoError(t, err)
	l.Receive(now, &f)
}

// sends wants the frames that a link sends at a time.
func sends(t *testing.T, l *Link, now time.Duration, want ...string) *Output {
	t.Helper()
	o := l.Step(now)
	var got []string
	for _, f := range o.Frames {
		got = append(got, hex.EncodeToString(f))
	}
	for i := range want {
		want[i] = hex.EncodeToString(octets(t, want[i]))
	}
	require.Equal(t, want, got)
	return o
}

// What our receiver answers to the frames of the captures (facts, reliable 9): octet for octet as the host there, but for
// the tick, and for the ACK of the unreliable message, which nobody asked for.
func TestVectorsReceived(t *testing.T) {
	l := New(Config{From: 0, To: 1, Tick: 0x78f})
	take(t, l, 0, "01 00 | 3d 01 01 00 | 00 00 01 00 01 00 01 00 ea 03 2c 01 11 22 33 44 00")
	o := sends(t, l, 0, "00 01 | 03 01 01 00 15 00 00 00 8f 07 00 00")
	require.Len(t, o.Messages, 1)
	assert.Equal(t, octets(t, "00 00 01 00 01 00 01 00 ea 03 2c 01 11 22 33 44 00"), o.Messages[0].Data)

	take(t, l, time.Second, "01 00 | 39 02 02 00 | 00 00 01 00 01 00 01 00 f0 03 2c 01 68 65 6c 6c 6f")
	assert.Len(t, l.Step(time.Second).Messages, 1)
	sends(t, l, time.Second+ackDelay, "00 01 | 03 02 02 00 2a 00 00 00 81 0b 00 00")

	take(t, l, 2*time.Second, "01 00 | 38 03 03 00 | 00 00 01 00 01 00 01 00 f1 03 2c 01 75 6e 72 65 6c 69 61 62 6c 65")
	o = l.Step(2 * time.Second)
	require.Len(t, o.Messages, 1)
	assert.False(t, o.Messages[0].Reliable)
	assert.Empty(t, o.Frames)

	take(t, l, 3*time.Second, "01 00 | 3c 04 04 00 | 01") // an unreliable one that asks: 68 + 5
	sends(t, l, 3*time.Second, "00 01 | 02 04 04 00 49 00 00 00 47 13 00 00")
	assert.Empty(t, l.out.Learned)
	assert.True(t, l.Learned(Running))
}

// 4,500 octets in four frames, and the same with a frame that is lost.
func TestVectorsLong(t *testing.T) {
	part := make([]byte, 1496)
	l := New(Config{From: 0, To: 1})
	take(t, l, 0, "01 00 | 31 01 01 00", part...)
	take(t, l, 0, "01 00 | 21 01 02 01", part...)
	take(t, l, 0, "01 00 | 21 01 03 02", part...)
	take(t, l, 0, "01 00 | 2d 01 04 03 | 7c 7d 7e 7f 80 81 82 83 84 85 86 87")
	o := sends(t, l, 0, "00 01 | 03 01 04 03 a4 11 00 00 00 00 00 00")
	require.Len(t, o.Messages, 1)
	assert.Len(t, o.Messages[0].Data, 4500)

	l = New(Config{From: 0, To: 1})
	take(t, l, 0, "01 00 | 31 01 01 00", make([]byte, 16)...)
	take(t, l, 0, "01 00 | 2d 01 03 02", make([]byte, 8)...)
	// The host does not answer this one. We ask for the frame, and say which is the last one before it.
	sends(t, l, 0, "00 01 | 83 20 01 02 20 00 00 00 00 00 00 00 fe", "00 01 | 03 01 01 00 20 00 00 00 00 00 00 00")
	take(t, l, time.Millisecond, "01 00 | 25 01 02 03", make([]byte, 16)...)
	sends(t, l, time.Millisecond, "00 01 | 03 01 03 02 34 00 00 00 01 00 00 00")
}

// Messageids and sequences after 255.
func TestVectorsWrap(t *testing.T) {
	l := New(Config{From: 0, To: 1})
	take(t, l, 0, "01 00 | 3d ff ff 00 | 0a")
	sends(t, l, 0, "00 01 | 03 ff ff 00 05 00 00 00 00 00 00 00")
	take(t, l, 0, "01 00 | 3d 00 00 00 | 0b")
	sends(t, l, 0, "00 01 | 03 00 00 00 0a 00 00 00 00 00 00 00")
	take(t, l, 0, "01 00 | 3d 01 01 00 | 0c")
	sends(t, l, 0, "00 01 | 03 01 01 00 0f 00 00 00 00 00 00 00")
}

// What our sender sends to a peer that is not ours. Each message begins with sequence 1 (facts, reliable 4), and what
// nothing follows asks for an ACK.
func TestVectorsSent(t *testing.T) {
	l := New(Config{From: 1, To: 0, MaxFrame: 1502})
	send := func(b []byte, rly bool) { require.NoError(t, l.Send(Message{Data: b, Reliable: rly, Token: 9})) }
	send(octets(t, "00 00 01 00 01 00 01 00 ea 03 2c 01 11 22 33 44 00"), true)
	sends(t, l, 0, "01 00 | 3d 01 01 00 | 00 00 01 00 01 00 01 00 ea 03 2c 01 11 22 33 44 00")
	take(t, l, 20*time.Millisecond, "00 01 | 03 01 01 00 15 00 00 00 8f 07 00 00")
	assert.Equal(t, []Done{{Token: 9}}, sends(t, l, 20*time.Millisecond).Done)

	long := numbered(7, 4500)
	send(long, true)
	part := func(from, to int) string { return hex.EncodeToString(long[from:to]) }
	sends(t, l, 40*time.Millisecond, "01 00 | 31 02 01 00"+part(0, 1496), "01 00 | 21 02 02 01"+part(1496, 2992),
		"01 00 | 21 02 03 02"+part(2992, 4488), "01 00 | 2d 02 04 03"+part(4488, 4500))
	// A NACK that names 1, 2 and 3, by the layout.
	take(t, l, 70*time.Millisecond, "00 01 | 82 20 02 01 25 00 00 00 39 30 00 00 03")
	sends(t, l, 70*time.Millisecond, "01 00 | 35 02 01 04"+part(0, 1496), "01 00 | 25 02 02 05"+part(1496, 2992),
		"01 00 | 25 02 03 06"+part(2992, 4488))
	// The count of the host: 21 for the first message, and 4,516.
	take(t, l, 100*time.Millisecond, "00 01 | 03 02 04 03 b9 11 00 00 9f 07 00 00")
	assert.Equal(t, []Done{{Token: 9}}, sends(t, l, 100*time.Millisecond).Done)
	assert.True(t, l.Idle())
	assert.True(t, l.Learned(NACKs))

	// Unreliable ones have RLY, too: then it is the same in one space of messageids and in two (D1).
	send([]byte("unreliable"), false)
	sends(t, l, time.Second, "01 00 | 3d 03 01 00 |"+hex.EncodeToString([]byte("unreliable")))

	// Between our own they have none, and are sent once; what nothing follows does not ask.
	l = New(Config{From: 1, To: 0})
	l.Ours()
	send([]byte("unreliable"), false)
	sends(t, l, 0, "01 00 | 38 01 01 00 |"+hex.EncodeToString([]byte("unreliable")))
	send([]byte("reliable"), true)
	sends(t, l, 0, "01 00 | 3d 02 01 00 |"+hex.EncodeToString([]byte("reliable")))
	send([]byte("next"), true)
	sends(t, l, 0, "01 00 | 3d 03 02 00 |"+hex.EncodeToString([]byte("next")))
}

// A system message is data like all other.
func TestVectorsSystem(t *testing.T) {
	l := New(Config{From: 0, To: 1})
	take(t, l, 0, "01 00 | 3d 01 01 00 | 70 6c 61 79 16 00 0e 00 01 00 01 00 44 33 22 11")
	o := l.Step(0)
	require.Len(t, o.Messages, 1)
	assert.True(t, bytes.HasPrefix(o.Messages[0].Data, []byte("play")))
}
