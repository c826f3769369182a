package directplay

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// short and long are the names of what the messages below are about.
var short, long = "Zoë", "Zoë the second"

var subject = Subject{ID: 0x33, Parent: 0x44, Flags: FlagSpectator, Name: Name{&short, &long}, Remote: []byte("remote!")}

// The kinds of system messages, with the sizes of their structures by 32-bit and 64-bit pointers, as the public header
// has them, and what each holds in texts and octets.
var kinds = []struct {
	message        SystemMessage
	kind           uint32
	size32, size64 int
	texts          []string
	data           string
}{
	{&Created{subject, 5}, SysCreatePlayerOrGroup, 48, 64, []string{short, long}, "remote!"},
	{&Destroyed{subject, []byte("local")}, SysDestroyPlayerOrGroup, 52, 80, []string{short, long}, "localremote!"},
	{&Membership{SysAddPlayerToGroup, 1, 2}, SysAddPlayerToGroup, 12, 12, nil, ""},
	{&Membership{SysDeletePlayerFromGroup, 1, 2}, SysDeletePlayerFromGroup, 12, 12, nil, ""},
	{&Membership{SysAddGroupToGroup, 1, 2}, SysAddGroupToGroup, 12, 12, nil, ""},
	{&Membership{SysDeleteGroupFromGroup, 1, 2}, SysDeleteGroupFromGroup, 12, 12, nil, ""},
	{&DataSet{subject}, SysSetPlayerOrGroupData, 20, 32, nil, "remote!"},
	{&NameSet{subject}, SysSetPlayerOrGroupName, 28, 40, []string{short, long}, ""},
	{&DescSet{SessionDesc{Name: &short, Password: &long}}, SysSetSessionDesc, 84, 96, []string{short, long}, ""},
	{&Bare{SysHost}, SysHost, 4, 4, nil, ""},
	{&Bare{SysSessionLost}, SysSessionLost, 4, 4, nil, ""},
	{&Chat{From: 1, Text: short}, SysChat, 24 + 12, 32 + 16, []string{short}, ""},
	{&SendComplete{Context: 0x1122334455667788}, SysSendComplete, 40, 48, nil, ""},
}

// TestSystemMessages: each kind has its size, and its pointers lead to what they should, wherever the buffer is.
func TestSystemMessages(t *testing.T) {
	t.Parallel()
	const address = 0x10_0000
	for _, k := range kinds {
		for _, f := range []Face{{}, {Wide: true}, {Pointer: 8}, {Wide: true, Pointer: 8}} {
			b := (&Message{System: k.message}).Block(f)
			fixed, texts := k.size32, 0
			if f.Pointer == 8 {
				fixed = k.size64
			}
			for _, s := range k.texts {
				texts += len(f.Text(s))
			}
			require.Len(t, b.Data, fixed+len(k.data)+texts, "%T %v", k.message, f)
			assert.Equal(t, k.kind, binary.LittleEndian.Uint32(b.Data))
			before := len(b.Pointers)
			b.Move(address, f)
			var found []byte
			for _, at := range b.Pointers {
				p := uint64(binary.LittleEndian.Uint32(b.Data[at:]))
				if f.Pointer == 8 {
					p = binary.LittleEndian.Uint64(b.Data[at:])
				}
				require.Less(t, p-address, uint64(len(b.Data)), "%T %v: within the buffer", k.message, f)
				found = append(found, b.Data[p-address])
			}
			assert.Len(t, found, before)
			if len(k.texts) > 0 {
				assert.Contains(t, string(found), "Z", "%T %v", k.message, f)
			}
			if k.data != "" {
				assert.Contains(t, string(found), k.data[:1], "%T %v", k.message, f)
			}
		}
	}
	assert.Len(t, kinds, 13)
}

// TestText: 8-bit text is that of Western Windows, with '?' for what it lacks; both end with a zero.
func TestText(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []byte("Zo\xEB ?\x00"), Face{}.Text("Zoë 人"))
	assert.Equal(t, []byte{0}, Face{}.Text(""))
	assert.Equal(t, []byte{'Z', 0, 'o', 0, 0xEB, 0, 0xBA, 0x4E, 0, 0}, Face{Wide: true}.Text("Zoë人"))
	assert.Equal(t, []byte{0, 0}, Face{Wide: true}.Text(""))
}

// TestNull: what is not there is a NULL, not a pointer to nothing.
func TestNull(t *testing.T) {
	t.Parallel()
	b := (&Message{System: &Created{}}).Block(Face{})
	assert.Len(t, b.Data, 48)
	assert.Empty(t, b.Pointers)
	empty := ""
	b = (&Name{Short: &empty}).Block(Face{})
	assert.Len(t, b.Data, 17)
	assert.Equal(t, []int{8}, b.Pointers)
}

// TestQueueFull: a game that receives nothing loses what players say, and hears of the session for longer.
func TestQueueFull(t *testing.T) {
	t.Parallel()
	var q Queue
	said := &Message{From: 1, To: 2, Data: make([]byte, 1<<20)}
	told := &Message{To: 2, System: &DataSet{Subject{Remote: make([]byte, 1<<20)}}}
	for range 100 {
		q.Put(said)
	}
	n, octets := q.Count(1, 0)
	assert.Equal(t, []int{31, 31 << 20}, []int{n, octets})
	for range 100 {
		q.Put(told)
	}
	n, _ = q.Count(0, 2)
	assert.Equal(t, 63, n)
	var from, to wire.PlayerID
	require.Equal(t, wire.OK, q.receive(&from, &to, 0, &Buffer{Size: 1 << 20}, Face{}))
	q.Put(told)
	n, _ = q.Count(0, 0)
	assert.Equal(t, 63, n, "there is room again")
	q.Clear()
	q.Put(said)
	n, _ = q.Count(0, 0)
	assert.Equal(t, 1, n)
}

// A counting sink is one that a DLL may have: it keeps messages as octets for both texts, and where their pointers are.
type counting struct {
	blocks [][2]Block
	ours   []wire.PlayerID
}

func (c *counting) Put(m *Message) {
	c.blocks = append(c.blocks, [2]Block{m.Block(Face{}), m.Block(Face{Wide: true})})
}
func (c *counting) Count(_, _ wire.PlayerID) (messages, octets int) { return len(c.blocks), 0 }
func (c *counting) Clear()                                          { c.blocks, c.ours = nil, nil }
func (c *counting) Ours(players []wire.PlayerID)                    { c.ours = players }

// TestSink: an object fills what it is given, and leaves reading to whoever gave it.
func TestSink(t *testing.T) {
	bubble(t, func(t *world) {
		sink := new(counting)
		at := t.lane(1)[0]
		g := initializedWith(t, Options{Config: Config{Bind: at}, Network: t.network, Sink: sink}, "")
		require.Equal(t, wire.OK, g.Open(&SessionDesc{Application: testGame}, OpenCreate))
		first, second := g.player("", 0), g.player("Zoë", 0)
		assert.ElementsMatch(t, []wire.PlayerID{first, second}, sink.ours)
		require.Len(t, sink.blocks, 1)
		assert.Len(t, sink.blocks[0][0].Data, 48+4+4)
		assert.Len(t, sink.blocks[0][1].Data, 48+8+8)
		var n uint32
		require.Equal(t, wire.OK, g.GetMessageCount(0, &n))
		assert.EqualValues(t, 1, n)
		assert.Equal(t, wire.ErrUnsupported, g.Receive(new(wire.PlayerID), new(wire.PlayerID), 0, &Buffer{}, Face{}))
		require.Equal(t, wire.OK, g.DestroyPlayer(first))
		assert.Equal(t, []wire.PlayerID{second}, sink.ours)
		require.Equal(t, wire.OK, g.Close())
		assert.Empty(t, sink.blocks)
		assert.Empty(t, sink.ours)
	})
}
