package captures_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// TestDamageReliable damages a capture of the reliable protocol, as TestDamage does those of the project, which have none:
// messages in one frame and in several, lost, sent again, acknowledged and missed.
func TestDamageReliable(t *testing.T) {
	n := reliableSession(t)
	rnd := rand.New(rand.NewPCG(4, 2))
	back := func(f reliable.Frame) {
		f.From, f.To, f.BytesReceived, f.Tick = 3, 1, rnd.Uint32N(5000), rnd.Uint32()
		n.UDP(joiner+":2350", host+":2350", frame(f))
	}
	sys := message(&wire.CreatePlayer{Info: wire.PackedPlayer{ID: member(7), ShortName: wire.NewText("Cid")}})
	for i := range 80 {
		id := uint8(i + 1)
		for serial := range uint8(1 + rnd.IntN(2)) {
			f := reliable.Frame{From: 1, To: 3, Flags: single | reliable.SAK, MessageID: id, Sequence: 1, Serial: serial, Data: sys}
			if i%5 == 0 {
				f.Flags, f.Data = first, sys[:20]
				n.say(frame(f))
				f.Flags, f.Sequence, f.Serial, f.Data = final, 2, serial+1, sys[20:]
			}
			n.say(frame(f))
		}
		switch i % 4 {
		case 0:
			back(reliable.Frame{Flags: reliable.ACK | reliable.EXT, Extended: reliable.Extended(0).WithMaskSize(3), Mask: 5, MessageID: id, Sequence: 1})
		case 1, 2:
			back(reliable.Frame{Flags: reliable.ACK | reliable.RLY, MessageID: id, Sequence: 1})
		default:
			n.Wait(3 * time.Second)
		}
	}
	file := n.Bytes()
	d := &damager{names: []string{"reliable"}, files: [][]byte{file}, all: [][]damageFrame{framesOf(file)}}
	require.NotEmpty(t, d.all[0])
	count, base := damageCount(t)
	c := &damageRun{t: t, ctx: testkit.Context(t)}
	for i := range min(count, 5000) {
		c.run(base+i, d.make(base+i))
	}
	t.Log(c.worst())
}
