//go:build linux

package nat_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/nat"
	"dplay4/dpsp/bridge/relay/relaytest"
)

// The names of relays that the DNS server knows: by SRV records, and with several addresses.
const (
	communityName = "play.example.org"
	poolName      = "pool.example.org"
)

// dns is a part: a DNS server that knows of relays, as "community" or as "pool", whose addresses are its further arguments.
func dns(args []string) error {
	var relays []netip.Addr
	for _, a := range args[1:] {
		relays = append(relays, netip.MustParseAddr(a))
	}
	zone := relaytest.Community(communityName, relays...)
	if args[0] == "pool" {
		zone = relaytest.Zone{Hosts: map[string][]netip.Addr{poolName + ".": relays}}
	}
	c, err := net.ListenUDP("udp4", &net.UDPAddr{Port: 53})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	zone.Serve(c)
	return nil
}

// newCommunity makes an internet with three relays, which DNS has under one name.
func newCommunity(t *testing.T) (ctx context.Context, f *field, relays map[string]*program, server netip.Addr) {
	t.Helper()
	takesLong(t)
	ctx, in := newInternet(t)
	relays = map[string]*program{}
	var args []string
	for i := range 3 {
		m, err := in.Machine(ctx, fmt.Sprintf("relay%d", i+1))
		require.NoError(t, err)
		f = &field{Internet: in, relay: m}
		f.startRelay(ctx, t)
		relays[m.Addr().String()] = f.program
		args = append(args, m.Addr().String())
	}
	m, err := in.Machine(ctx, "dns")
	require.NoError(t, err)
	begin(ctx, t, m, "dns", append([]string{"community"}, args...)...)
	return ctx, f, relays, m.Addr()
}

// TestCommunity plays by a name with three relays. The relay over which two machines talk is killed: they go on over the other one
// that they know, and a newcomer joins by the same code.
func TestCommunity(t *testing.T) {
	t.Parallel()
	ctx, f, relays, server := newCommunity(t)
	const name = communityName
	var machines []*nat.Machine
	for _, who := range []string{"ann", "bob", "cid"} {
		m, _ := f.machine(ctx, t, nat.Symmetric, who)
		require.NoError(t, m.Resolves(ctx, server))
		machines = append(machines, m)
	}
	out, status := run(ctx, t, machines[2], "bridge", "doctor", "--relay", name)
	for i := range 3 {
		assert.Regexp(t, fmt.Sprintf(`relay play.example.org \(relay%d.example.org\): UDP [\d.]+ ms, TCP [\d.]+ ms, TLS [\d.]+ ms\n`, i+1), out)
	}
	assert.Zero(t, status, out)

	host, code := f.hostAt(ctx, t, machines[0], name, migrating...)
	guest := f.join(ctx, t, machines[1], code, migrating[2:]...)
	says(ctx, t, guest, host, "hello")
	over := guest.way(ctx, t, "ann", "relayed").Machine.Over
	used := ""
	for at := range relays {
		if over == "relay "+at+" by udp" {
			used = at
		}
	}
	require.NotEmpty(t, used, over)
	relays[used].kill()
	says(ctx, t, guest, host, "over another one")
	hundred(ctx, t, host, guest)
	late := f.join(ctx, t, machines[2], code, migrating[2:]...)
	acquainted(ctx, t, []*program{host, guest, late})
	everybody(ctx, t, []*program{host, guest, late}, "all of us,")
	for _, p := range []*program{host, guest, late} {
		for _, e := range p.seen(oneOf("machine_joined", "machine_way")) {
			if e.at.After(late.began) {
				assert.NotContains(t, e.Machine.Over, used)
			}
		}
	}
	out, status = run(ctx, t, machines[2], "bridge", "doctor", "--relay", name)
	assert.Contains(t, out, "note: the relay play.example.org (")
	assert.Contains(t, out, ") refuses: no relay runs there")
	assert.Zero(t, status, out)
}
