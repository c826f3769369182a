package replay

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// conversationOf is a capture of game messages and chat that two machines send each other over TCP; ids are base and base+1.
func conversationOf(t *testing.T, host, joiner string, base wire.PlayerID, write func(there, back func(wire.Message))) *Capture {
	t.Helper()
	n := madeup.New(t)
	c := n.Dial(joiner, host)
	message := func(m wire.Message) []byte {
		return madeup.Encode(wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: madeup.SockAddr(host)}, Version: wire.DX9, Message: m})
	}
	write(func(m wire.Message) { c.Send(message(m)) }, func(m wire.Message) { c.Reply(message(m)) })
	got, err := Read(t.Context(), bytes.NewReader(n.Bytes()), captures.Options{})
	require.NoError(t, err)
	return got
}

// TestDiff compares two runs with other machines and ids: only what the program did otherwise differs.
func TestDiff(t *testing.T) {
	run := func(host, joiner string, base wire.PlayerID, extra bool, payloads ...string) *Capture {
		return conversationOf(t, host, joiner, base, func(there, back func(wire.Message)) {
			there(&wire.Ping{From: base, Tick: uint32(base)})
			back(&wire.PingReply{From: base + 1, Tick: uint32(base)})
			if extra {
				there(&wire.Chat{From: base, To: base + 1, Text: wire.NewText("hi")})
			}
			for _, p := range payloads {
				there(&wire.PlayerMessage{From: base, To: base + 1, Payload: []byte(p)})
			}
		})
	}
	a := run("10.0.0.1:2300", "10.0.0.2:40000", 0x1000, false, "aaaa1111", "long one", "aaaa3333")
	b := run("10.9.9.1:2300", "10.9.9.2:41111", 0x2222, true, "aaaa1111", "longer one", "aabb3933")
	same := Diff(a, a)
	assert.Equal(t, [4]int{5, 5, 0, 0}, [4]int{same.Compared, same.Equal, same.OnlyA, same.OnlyB})
	assert.Empty(t, same.Messages)

	d := Diff(a, b)
	assert.Equal(t, [4]int{5, 3, 0, 1}, [4]int{d.Compared, d.Equal, d.OnlyA, d.OnlyB}, "%+v", d.Messages)
	assert.Equal(t, Mapped{IDs: 2, Ticks: 1, Sockets: 1}, d.Mapped)
	require.Len(t, d.Messages, 3)
	assert.Equal(t, "CHAT", d.Messages[0].Message)
	assert.Nil(t, d.Messages[0].A)
	assert.Equal(t, 3, d.Messages[0].B.N)
	longer, changed := d.Messages[1], d.Messages[2]
	assert.Equal(t, []FieldDiff{{Field: "PlayerMessage", A: "8 octets 6c6f6e67206f6e65", B: "10 octets 6c6f6e676572206f6e65",
		Octets: [][2]int{{4, 9}}}}, longer.Fields, "the size follows from it")
	assert.Equal(t, [][2]int{{2, 3}, {5, 5}}, changed.Fields[0].Octets)
	assert.Equal(t, [2]int{5, 6}, [2]int{changed.A.N, changed.B.N})
	assert.Contains(t, string(AppendMessageDiff(nil, &changed)), "differs at offset 2-3, 5\n")

	require.Len(t, d.Columns, 2)
	assert.Equal(t, []int{2, 2, 3, 3, 3, 4, 3, 3}, d.Columns[0].Values)
	assert.Equal(t, [2]int{8, 5}, [2]int{d.Columns[0].Size, d.Columns[0].Count})
	only := Diff(run("10.0.0.1:2300", "10.0.0.2:40000", 7, false, "x1y", "x2y", "x1y"), &Capture{})
	assert.Equal(t, []int{1, 2, 1}, only.Columns[0].Values)
	assert.Equal(t, 5, only.OnlyA)
	assert.Equal(t, "PLAYERMESSAGE with 3 octets of payload, 3 times:\n  offset 0: always 78\n  offset 1: 2 values\n  offset 2: always 79\n",
		string(AppendColumns(nil, &only.Columns[0])))
}

// TestDiffBounds compares captures that differ all over: what is kept of that is bounded, and all of it is counted.
func TestDiffBounds(t *testing.T) {
	many := func(m func(i int) wire.Message) *Capture {
		return conversationOf(t, "10.0.0.1:2300", "10.0.0.2:40000", 1, func(there, _ func(wire.Message)) {
			for i := range MaxDifferences + 500 {
				there(m(i))
			}
		})
	}
	a := many(func(i int) wire.Message { return &wire.PlayerMessage{From: 1, To: 2, Payload: make([]byte, 1+i)} })
	b := many(func(int) wire.Message { return &wire.Chat{From: 1, To: 2, Text: wire.NewText("x")} })
	d := Diff(a, b)
	assert.Equal(t, [2]int{MaxDifferences + 500, MaxDifferences + 500}, [2]int{d.OnlyA, d.OnlyB})
	assert.Len(t, d.Messages, MaxDifferences)
	assert.Equal(t, MaxDifferences+1000, d.More)
	assert.Len(t, d.Columns, maxColumnSizes)
	long := bytes.Repeat([]byte{1, 2}, 1000)
	assert.Len(t, differing(long, bytes.Repeat([]byte{1, 3}, 1000)), 64)
	assert.Equal(t, [2]int{127, 1999}, differing(long, bytes.Repeat([]byte{1, 3}, 1000))[63])
}
