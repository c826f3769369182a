//go:build linux

package wine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/compat/wine"
	"dplay4/wire"
)

// A dplay is the program at work in a neighbourhood.
type dplay struct {
	*neighbourhood
	program string
	dir     string // for --record
}

// TestOurHostProgram has Wine's own dplayx play with "dplay host" and "dplay join": the programs that users run.
func TestOurHostProgram(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, n := newNeighbourhood(t)
	d := &dplay{neighbourhood: n, program: buildDplay(t), dir: t.TempDir()}
	t.Run("two-clients", func(t *testing.T) {
		n.recorded(ctx, t, func() []string { return twoClients(ctx, t, n, d.hosts(ctx, t, "--echo")) })
	})
	t.Run("full", func(t *testing.T) {
		n.recorded(ctx, t, func() []string {
			return fullSession(ctx, t, n, startDplay(ctx, t, n.host, d.program, "host", "--app", application, "--name",
				"small", "--max", "2"))
		})
	})
	t.Run("third", func(t *testing.T) { d.third(ctx, t) })
	t.Run("protocol", func(t *testing.T) { d.protocol(ctx, t) })
	t.Run("groups", func(t *testing.T) { d.groups(ctx, t) })
	t.Run("unknown-command", func(t *testing.T) { d.unknown(ctx, t) })
	t.Run("host-killed", func(t *testing.T) { d.hostKilled(ctx, t) })
}

// hosts runs "dplay host".
func (d *dplay) hosts(ctx context.Context, t *testing.T, more ...string) *ours {
	t.Helper()
	args := []string{"host", "--app", application, "--name", "ours", "--password", "sesame", "--max", "8", "--flags", "keepalive",
		"--player", "Host"}
	return startDplay(ctx, t, d.host, d.program, append(args, more...)...)
}

// joins runs "dplay join" on one of our machines.
func (d *dplay) joins(ctx context.Context, t *testing.T, m *wine.Machine, player string, more ...string) *ours {
	t.Helper()
	args := []string{"join", d.host.Addr().String(), "--session", "ours", "--password", "sesame", "--player", player}
	return startDplay(ctx, t, m, d.program, append(args, more...)...)
}

// third is a session with a joiner of ours that returns what it gets, and others that send to everybody and to a group.
// What the programs record themselves is what passes the switch.
func (d *dplay) third(ctx context.Context, t *testing.T) {
	stop := record(ctx, t, d.lab)
	tapes := map[*wine.Machine]string{d.host: filepath.Join(d.dir, "host.pcapng"), d.guest: filepath.Join(d.dir, "joiner.pcapng")}
	host := d.hosts(ctx, t, "--echo", "--record", tapes[d.host])
	joiner := d.joins(ctx, t, d.guest, "Ann", "--echo", "--group", "team", "--record", tapes[d.guest])
	c := gather(ctx, t, d.neighbourhood, host, joiner)
	c.toOurs(ctx, t)
	var late []*ours
	for i, more := range [][]string{{}, {"--unreliable"}, {"--group", "team"}, {"--group", "team", "--unreliable"}} {
		late = append(late, d.arrives(ctx, t, c, []byte{0xB0 + byte(i), 0xFF}, more...))
	}
	c.quiet(t)
	c.disband(ctx, t)
	for _, o := range append(late, joiner, host) {
		o.end(t)
	}
	pcap := stop().Bytes()
	sum, _ := decode(ctx, t, bytes.NewBuffer(pcap))
	assert.True(t, sum.TCP.Balanced() && sum.UDP.Balanced(), "%+v", sum)
	assert.Zero(t, sum.Findings, sum.ByCode)
	d.onlyOursGreet(ctx, t, pcap)
	for m, name := range tapes {
		tape, err := os.ReadFile(name)
		require.NoError(t, err)
		d.sameAsPassed(ctx, t, m, pcap, tape)
	}
}

// onlyOursGreet says who is sent messages that Wine does not know: our own machines, whose players bear the mark. Wine got those
// players' data, with the mark, as a member and as a newcomer; its own have zeros there.
func (d *dplay) onlyOursGreet(ctx context.Context, t *testing.T, pcap []byte) {
	t.Helper()
	wines := map[netip.Addr]bool{d.one.Addr(): true, d.two.Addr(): true}
	ours, told, said := 0, 0, 0
	_, err := captures.Read(ctx, bytes.NewReader(pcap), captures.Options{Name: t.Name()}, func(r *captures.Record) error {
		from, to := wines[r.Src.Addr()], wines[r.Dst.Addr()]
		switch m := r.Envelope.Message.(type) {
		case *wire.Extension:
			assert.False(t, from || to, "%s to %s: %s", r.Src, r.Dst, r.Command())
			ours++
		case *wire.AddForward:
			if d, ok := wire.ParseSPData(m.Info.SPData); to && ok && d.Marked() {
				told++
			}
		case *wire.AddForwardRequest:
			if d, ok := wire.ParseSPData(m.Info.SPData); from && ok {
				assert.Equal(t, [2][8]byte{}, [2][8]byte{d.Stream.Zero, d.Datagram.Zero})
				said++
			}
		}
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Positive(t, ours, "ours greet each other")
	assert.Positive(t, told, "newcomers with the mark, of which Wine was told")
	assert.Equal(t, 2, said, "newcomers with Wine")
}

// sameAsPassed holds what a machine's program recorded against what passed the switch. Once machines begin to leave, some of
// what is for one that leaves reaches it when it reads no longer: the host tells it even that its own player is gone. That, and
// nothing else, may be missing.
func (d *dplay) sameAsPassed(ctx context.Context, t *testing.T, m *wine.Machine, pcap, tape []byte) {
	t.Helper()
	passed, unread := d.messagesOf(ctx, t, m, pcap, m == d.host)
	recorded, _ := d.messagesOf(ctx, t, m, tape, true)
	assert.Empty(t, without(recorded, passed), "%s recorded what did not pass", m.Name())
	assert.Empty(t, without(without(passed, recorded), unread), "%s did not record it", m.Name())
}

// messagesOf returns the messages of one machine in a capture, and those of them that came to it after a machine of ours had said
// that it leaves.
func (d *dplay) messagesOf(ctx context.Context, t *testing.T, m *wine.Machine, capture []byte,
	broadcasts bool) (all, late []string) {
	t.Helper()
	leaving := false
	_, err := captures.Read(ctx, bytes.NewReader(capture), captures.Options{Name: m.Name()}, func(r *captures.Record) error {
		from, to := r.Src.Addr(), r.Dst.Addr()
		_, goodbye := r.Envelope.Message.(*wire.DeletePlayer)
		leaving = leaving || goodbye && from == d.late.Addr()
		said := r.Transport.String() + " " + r.Command() + " " + hex.EncodeToString(r.Raw)
		if from == m.Addr() || to == m.Addr() || broadcasts && to == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			all = append(all, said)
		}
		if leaving && to == m.Addr() {
			late = append(late, said)
		}
		return nil
	}, nil)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all, late
}

// without returns what is in a list more often than in another one.
func without(list, other []string) []string {
	times := map[string]int{}
	for _, s := range other {
		times[s]++
	}
	var rest []string
	for _, s := range list {
		if times[s]--; times[s] < 0 {
			rest = append(rest, s)
		}
	}
	return rest
}

// arrives has one more player of ours come into a company, and send a message: the clients are told of it and get what
// is for them. The message waits until all have the player, because a datagram can overtake CREATEPLAYER and is dropped then. The player
// does not return what it gets: our host would return that.
func (d *dplay) arrives(ctx context.Context, t *testing.T, c *company, payload []byte, more ...string) *ours {
	t.Helper()
	grouped, guaranteed := slices.Contains(more, "--group"), !slices.Contains(more, "--unreliable")
	o := d.joins(ctx, t, d.late, "Bob", append(more, "--commands", "ndjson")...)
	for _, client := range []*wine.Client{c.a, c.b} {
		e := await(ctx, t, client, wine.About("player_created", word(t, o.player)))
		assert.Equal(t, "Bob", *e.Short)
	}
	for _, other := range []*ours{c.host, c.joiner} {
		other.about(ctx, t, "player_created", o.player)
	}
	sent := everybody
	if grouped {
		sent = c.group
	}
	o.order(order{To: id(t, sent), Payload: payload, Guaranteed: guaranteed})
	hears(ctx, t, c.a, o.player, c.pa, crc(payload))
	if !grouped {
		hears(ctx, t, c.b, o.player, c.pb, crc(payload))
		c.host.message(ctx, t, word(t, o.player), sent, guaranteed, payload)
	}
	c.joiner.message(ctx, t, word(t, o.player), sent, guaranteed, payload)
	o.message(ctx, t, word(t, c.joiner.player), o.player, guaranteed, payload) // its echo
	return o
}

// groups shows what Wine's clients cannot do with groups: learn of members that came after they joined, and tell others
// of groups of their own.
func (d *dplay) groups(ctx context.Context, t *testing.T) {
	host := d.hosts(ctx, t, "--echo")
	joiner := d.joins(ctx, t, d.guest, "Ann", "--echo", "--group", "team")
	c := gather(ctx, t, d.neighbourhood, host, joiner)
	bob := d.arrives(ctx, t, c, []byte{0xC0, 0xFF}, "--group", "team")
	members := do(ctx, t, c.b, wine.Cmd("players").With("group", c.group)).Players
	assert.Equal(t, []string{joiner.player}, ids(members), "those of the time when it joined")
	members = do(ctx, t, c.a, wine.Cmd("players").With("group", c.group)).Players
	assert.ElementsMatch(t, []string{joiner.player, c.pa.String()}, ids(members), "and those that it added itself")
	// What the first client says to the group does not come to Bob, nor what the second one says to the first one.
	do(ctx, t, c.a, wine.Cmd("send", c.group, "01").Flag("guaranteed"))
	do(ctx, t, c.a, wine.Cmd("send", bob.player, "02").Flag("guaranteed"))
	joiner.message(ctx, t, c.pa, c.group, true, []byte{1})
	bob.message(ctx, t, c.pa, bob.player, true, []byte{2})
	hears(ctx, t, c.a, joiner.player, c.pa, crc([]byte{1}))
	do(ctx, t, c.b, wine.Cmd("send", c.group, "03").Flag("guaranteed"))
	do(ctx, t, c.b, wine.Cmd("send", c.pa.String(), "04").Flag("guaranteed"))
	joiner.message(ctx, t, c.pb, c.group, true, []byte{3})
	hears(ctx, t, c.b, joiner.player, c.pb, crc([]byte{3}))
	hears(ctx, t, c.a, c.pb.String(), c.pa, crc([]byte{4}))
	c.quiet(t)

	own := do(ctx, t, c.a, wine.Cmd("create-group", "own", "of its own")).ID.String()
	do(ctx, t, c.a, wine.Cmd("add-to-group", own, joiner.player))
	do(ctx, t, c.a, wine.Cmd("send", own, "05").Flag("guaranteed"))
	drops(ctx, t, joiner, "ADDPLAYERTOGROUP")
	drops(ctx, t, joiner, "PLAYERMESSAGE")
	drops(ctx, t, host, "ADDPLAYERTOGROUP")

	do(ctx, t, c.a, wine.Cmd("remove-from-group", c.group, c.pa.String()))
	do(ctx, t, c.a, wine.Cmd("send", joiner.player, "06").Flag("guaranteed"))
	joiner.message(ctx, t, c.pa, joiner.player, true, []byte{6})
	for _, f := range joiner.kept {
		assert.NotEqual(t, "member_removed", f.Event, "it tells nobody that it left the group")
	}
}

// drops wants a machine of ours to drop a message of Wine's, for what it names is not in the session. It may take its
// time: the group could be announced yet.
func drops(ctx context.Context, t *testing.T, o *ours, command string) {
	t.Helper()
	f := o.find(ctx, t, "that "+command+" is dropped", func(f fact) bool { return f.Event == "dropped" && f.Command == command })
	assert.Contains(t, []string{"conflict", "no-such-id"}, f.Reason, f.Text)
}

// unassigned is a command that the specification gives to no message. It is our extension's: these octets are none of its
// messages either.
const unassigned = 0x3444

// unknown sends the clients a command that nobody knows, in the two ways in which a member can. It changes nothing.
// The size in the header is right: after a datagram where it is not Wine takes no others.
func (d *dplay) unknown(ctx context.Context, t *testing.T) {
	stop := record(ctx, t, d.lab)
	host := d.hosts(ctx, t, "--echo")
	joiner := d.joins(ctx, t, d.guest, "Ann", "--echo", "--group", "team")
	c := gather(ctx, t, d.neighbourhood, host, joiner)
	c.a.Pending()
	c.b.Pending()
	octets := unknownCommand(t)
	for range 2 {
		for _, m := range []*wine.Machine{d.one, d.two} {
			speak(ctx, t, d.guest, speech{"tcp4", stream(m), octets}, speech{"udp4", datagram(m), octets})
		}
	}
	c.toOurs(ctx, t)
	talk(ctx, t, c.a, c.b, c.pa, c.pb)
	talk(ctx, t, c.b, c.a, c.pb, c.pa)
	assert.Empty(t, c.a.Pending(), "the game is told nothing")
	assert.Empty(t, c.b.Pending())
	d.arrives(ctx, t, c, []byte{0xC0, 0xFF}, "--unreliable")
	c.quiet(t)
	c.disband(ctx, t)

	ways := map[string]int{}
	_, err := captures.Read(ctx, stop(), captures.Options{Name: t.Name()}, func(r *captures.Record) error {
		if bytes.Equal(r.Raw, octets) {
			ways[r.Transport.String()]++
		}
		return nil
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"tcp": 4, "udp": 4}, ways, "they were on the wire")
}

// unknownCommand returns a system message with a command that nobody knows, and 40 octets behind it.
func unknownCommand(t *testing.T) []byte {
	t.Helper()
	b := append(encode(t, &wire.YouAreDead{}), wine.Octets(40, 0x3444)...)
	require.Len(t, b, wire.SPHeaderSize+8+40)
	first := binary.LittleEndian.Uint32(b) // size and token
	binary.LittleEndian.PutUint32(b, first&^wire.MaxMessage|uint32(len(b)))
	binary.LittleEndian.PutUint16(b[wire.SPHeaderSize+4:], unassigned)
	return b
}

// hostKilled kills "dplay host" as a crash does. The session has no MIGRATEHOST: our joiner leaves it. Wine's clients
// are not told, and go on talking.
func (d *dplay) hostKilled(ctx context.Context, t *testing.T) {
	host := d.hosts(ctx, t, "--echo")
	joiner := d.joins(ctx, t, d.guest, "Ann", "--echo", "--group", "team")
	c := gather(ctx, t, d.neighbourhood, host, joiner)
	echo(ctx, t, joiner, c.a, c.pa) // 60,000 octets among them
	echo(ctx, t, joiner, c.b, c.pb)
	c.a.Pending()
	c.b.Pending()
	host.kill(t)
	joiner.fails = true
	joiner.next(ctx, t, "session_lost")
	talk(ctx, t, c.a, c.b, c.pa, c.pb)
	talk(ctx, t, c.b, c.a, c.pb, c.pa)
	assert.Empty(t, c.a.Pending(), "the game is told nothing")
	assert.Empty(t, c.b.Pending())
}
