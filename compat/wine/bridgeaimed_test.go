//go:build linux

package wine_test

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/compat/wine"
	"dplay4/wire"
)

// TestBridgeAimed has a host tell Wine's own dplayx over a bridge of a player on a machine of Wine's own network. It does so in a
// message that has a player of the session where its CreateOffset says, and that one where Wine reads. What Wine then says to
// everybody is not said to that machine, by TCP or by UDP. It lives on, too, after a datagram that would end it.
func TestBridgeAimed(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, lab := newLab(t)
	pc, err := lab.Wine(ctx, "pc")
	missing(t, err)
	b := newBridged(ctx, t)
	home, err := b.in.Home(ctx, nat.PortRestricted, false)
	require.NoError(t, err)
	require.NoError(t, pc.Rehome(ctx, home.Adopt))
	boot := func(name string) *wine.Machine {
		m, err := lab.Machine(ctx, name)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, m.Close()) })
		return m
	}
	victim := boot("victim")
	require.NoError(t, victim.Rehome(ctx, home.Adopt))
	aimedAt := startHost(ctx, t, victim, script{Member: true})

	host := boot("host")
	b.rehome(ctx, t, host, nat.PortRestricted)
	code := b.bridges(ctx, t, host.Here(ctx, b.program, "bridge", "share", "--relay", b.relay.Addr().String(), "--commands", "ndjson")).code
	bridge := b.bridges(ctx, t, pc.Here(ctx, b.program, "bridge", "join", code, "--commands", "ndjson"))

	scripted := startHost(ctx, t, host, script{Application: application, Instance: instance, Name: "aimed",
		Then: [][]byte{aimedMessage(t, victim)}})
	c := newClient(ctx, t, pc)
	look(ctx, t, c)
	do(ctx, t, c, wine.Cmd("join", instance))
	do(ctx, t, c, wine.Cmd("create-player", "Ann", "Ann"))
	bridge.find(ctx, t, "that message is cut", func(f fact) bool {
		return f.Event == "stream_cut" && strings.HasPrefix(f.Reason, "ADDFORWARD.")
	})
	bare, err := wire.AppendMessage(nil, 14, &wire.EnumSessionsReply{Name: wire.NewText("no header")})
	require.NoError(t, err)
	say, err := json.Marshal([]speech{{Network: "udp4", To: "127.0.0.1:2351", Octets: bare}})
	require.NoError(t, err)
	out, err := host.Inside(ctx, "speak", string(say)).CombinedOutput()
	require.NoError(t, err, "%s", out)
	bridge.find(ctx, t, "that datagram is dropped", func(f fact) bool { return f.Event == "messages_dropped" })
	for _, size := range []string{"8", "9"} {
		do(ctx, t, c, wine.Cmd("send-size", "all", size, "1"))
		do(ctx, t, c, wine.Cmd("send-size", "all", size, "1").Flag("guaranteed"))
		await(ctx, t, c, wine.Named("message"))
		await(ctx, t, c, wine.Named("message"))
	}
	scripted.find(ctx, t, "a message", func(h heard) bool { return h.Command == "PLAYERMESSAGE" })
	select {
	case s := <-aimedAt.said:
		assert.Fail(t, "something came to the machine that Wine was aimed at", "%+v", s)
	default:
	}
}

// aimedMessage returns a message that has a player of the session where its CreateOffset says, and one of a machine where Wine reads.
func aimedMessage(t *testing.T, at *wine.Machine) []byte {
	t.Helper()
	evil, clean := player(0x00010077, "Evil", "", nil), player(0x00010077, "Clean", "", nil)
	evil.SPData = spDataOf(at.Addr())
	message, err := envelope(&wire.AddForward{Player: evil.ID, Info: evil})
	require.NoError(t, err)
	good, err := envelope(&wire.AddForward{Player: clean.ID, Info: clean})
	require.NoError(t, err)
	const begins = wire.SPHeaderSize + 28
	binary.LittleEndian.PutUint32(message[begins-8:], uint32(len(message)-wire.SPHeaderSize))
	message = append(message, good[begins:]...)
	binary.LittleEndian.PutUint32(message, uint32(len(message))|uint32(wire.TokenRemote)<<20)
	return message
}
