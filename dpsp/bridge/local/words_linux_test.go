package local

import (
	"fmt"
	"hash/crc32"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/bridge/link/linktest"
	"dplay4/wire"
)

// TestMessageAlone: a message that cannot be read, of a kind without addresses, is told of, and the connection goes on.
func TestMessageAlone(t *testing.T) {
	t.Parallel()
	m, first, second := two(t)
	_, err := second.Write(message(1, "play\x16\x00\x0e\x00\x00\x00"))
	require.NoError(t, err)
	passes(t, second, first, message(1, "after it"))
	m[0].reports(func(e Event) bool { d, ok := e.(Dropped); return ok && d.Slot == 1 && d.Count == 1 })
}

// TestTaken: a machine that another one names by an address of its own network is the one in the slot of that port, and the user is
// told so, once.
func TestTaken(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 3)
	l, _ := m[0].plays(At(0))
	second := m[1].dials(At(0).TCP)
	first := accepts(t, l)
	named := func(addr [4]byte, slot int) []byte {
		b, err := wire.AppendMessage(nil, wire.DX9, &wire.AddForward{Info: wire.PackedPlayer{SPData: wire.SPData{
			Stream:   wire.SockAddr{Family: wire.FamilyINet, Port: At(slot).TCP, Addr: addr},
			Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: At(slot).UDP, Addr: addr}}.Append(nil)}})
		require.NoError(t, err)
		return message(1, string(b))
	}
	for _, x := range []struct {
		addr      [4]byte
		slot, who int
	}{{[4]byte{198, 51, 100, 2}, 2, 2}, {[4]byte{198, 51, 100, 3}, 7, -1}} {
		for range 2 {
			_, err := second.Write(named(x.addr, x.slot))
			require.NoError(t, err)
			got := make([]byte, len(named(x.addr, x.slot)))
			_, err = io.ReadFull(first, got)
			require.NoError(t, err)
			assert.Equal(t, named([4]byte{127, 0, 0, 1}, x.slot), got)
		}
		taken := Taken{Slot: 1, At: netip.AddrPortFrom(netip.AddrFrom4(x.addr), At(x.slot).TCP), For: x.who}
		m[0].reports(event(taken))
		assert.NotContains(t, m[0].told(), "Taken")
	}
}

// TestPlayInFrames: in a session with the reliable protocol a message of a game that has the signature of system messages somewhere
// arrives as all others do, and what is said after it.
func TestPlayInFrames(t *testing.T) {
	t.Parallel()
	m := session(t, linktest.New(), 2)
	host, ann := m[0].game("ours"), m[1].game("ours")
	host.does("host reliable")
	ann.does("join 127.0.0.1 ann")
	host.waits("player ann")
	for n := range 24 {
		text := strings.Repeat("x", n) + "play a game of mine?"
		for _, x := range []struct{ from, to *game }{{host, ann}, {ann, host}} {
			x.from.does("text " + text)
			x.to.waits(fmt.Sprintf("message %d %d", len(text), crc32.ChecksumIEEE([]byte(text))))
		}
	}
}
