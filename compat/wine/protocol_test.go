//go:build linux

package wine_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/compat/wine"
)

// protocol has Wine 10 join a session with DIRECTPLAYPROTOCOL, whose frames it drops: it is spoken to as in any other session,
// each machine's person is told once, and our own speak frames among themselves.
func (d *dplay) protocol(ctx context.Context, t *testing.T) {
	stop := record(ctx, t, d.lab)
	host := d.hosts(ctx, t, "--echo", "--flags", "keepalive,directplayprotocol")
	joiner := d.joins(ctx, t, d.guest, "Ann", "--echo")
	host.next(ctx, t, "peer_joined")
	host.about(ctx, t, "player_created", joiner.player)
	joiner.next(ctx, t, "peer_joined") // the host, when it joined
	c := newClient(ctx, t, d.one)
	p := enters(ctx, t, c, "ours", "a", "first", "a1", host, joiner)
	hearsAll := func(payload []byte, guaranteed bool) {
		for _, o := range []*ours{host, joiner} {
			o.message(ctx, t, p, everybody, guaranteed, payload)
			hears(ctx, t, c, o.player, p, crc(payload)) // its echo
		}
	}
	for i := range uint32(4) {
		do(ctx, t, c, sendSize(everybody, 8, 20+i, i%2 == 0))
		hearsAll(wine.Octets(8, 20+i), i%2 == 0)
	}
	// One that comes later does not know Wine's machine, which only listened to it so far: what is guaranteed goes once more.
	late := d.joins(ctx, t, d.late, "Bob", "--echo", "--send-hex", "c0ff")
	payload := []byte{0xC0, 0xFF}
	host.message(ctx, t, word(t, late.player), everybody, true, payload)
	await(ctx, t, c, wine.About("player_created", word(t, late.player)))
	do(ctx, t, c, sendSize(late.player, 8, 30, true))
	late.message(ctx, t, p, late.player, true, wine.Octets(8, 30))
	hears(ctx, t, c, late.player, p, crc(payload))
	hears(ctx, t, c, late.player, p, crc(wine.Octets(8, 30)))
	late.end(t)
	for _, o := range []*ours{host, joiner} {
		f := o.next(ctx, t, "peer_reading")
		assert.Equal(t, host.systems[p], f.System)
		assert.Contains(t, f.Text, "does not speak the protocol")
		o.none(t, "peer_reading", "peer_lost")
	}
	pcap := stop()
	sum, _ := decode(ctx, t, pcap)
	framed := map[netip.Addr]int{}
	for _, l := range sum.Links {
		if l.To.Addr() != d.one.Addr() {
			framed[l.From.Addr()] += l.Reliable
		}
	}
	assert.NotContains(t, framed, d.one.Addr(), "Wine has no frames")
	assert.Positive(t, framed[d.late.Addr()], "and our own have")
	for _, o := range []*ours{joiner, host} {
		o.end(t)
	}
}
