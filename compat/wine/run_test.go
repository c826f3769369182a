//go:build linux

package wine_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

// application is the GUID that Wine's own tests use (wire-facts section 8); any would do.
const application = "{bdcfe03e-f0ec-415b-8211-6f86d8197fe1}"

// instance is a session that nobody hosts, until a scripted host does.
const instance = "{0d1b6a50-1111-4222-8333-444455556666}"

// TestWine runs Wine 10's dplayx without a host of this project's. One machine serves all parts, for Wine takes some
// seconds to start.
func TestWine(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	ctx, lab := newLab(t)
	m, err := lab.Wine(ctx, "client")
	missing(t, err)
	for _, part := range []struct {
		name string
		run  func(context.Context, *testing.T, *wine.Lab, *wine.Machine)
	}{
		{"nobody there", nobodyThere},
		{"joins", joins},
		{"full", full},
		{"ignores", ignores},
		{"refuses", refuses},
		{"alone", alone},
		{"two", two},
		{"new host", newNameServer},
		{"host killed", hostKilled},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(ctx, t, lab, m) })
	}
}

// nobodyThere looks for sessions where there is none: what the client sends is what Wine sends (wire-facts 1.4 to
// 1.7, 2.1, 2.2, 3.1, 5.5, section 6).
func nobodyThere(ctx context.Context, t *testing.T, lab *wine.Lab, m *wine.Machine) {
	stop := record(ctx, t, lab)
	_, listener := newHost(ctx, t, lab, script{Silent: true})
	c := newClient(ctx, t, m)

	refused(ctx, t, c, "DPERR_UNSUPPORTED", wine.Cmd("host", application, "mine")) // Wine 10 cannot host
	r := do(ctx, t, c, wine.Cmd("enum", application).With("timeout", 200))
	require.Empty(t, r.Sessions)
	request := enumSessions(ctx, t, listener, m.Addr())
	assert.Zero(t, request.Flags)
	assert.Nil(t, request.Password)

	r = do(ctx, t, c, wine.Cmd("enum", application).With("timeout", 200).With("flags", 0x42).With("password", "pass wörd\\\""))
	require.Empty(t, r.Sessions)
	request = enumSessions(ctx, t, listener, m.Addr())
	assert.Equal(t, wire.EnumAll|wire.EnumPasswordRequired, request.Flags)
	assert.Equal(t, "pass wörd\\\"", request.Password.String())

	refused(ctx, t, c, "DPERR_NOSESSIONS", wine.Cmd("join", instance)) // and it sends nothing
	require.NoError(t, c.Quit(ctx))
	assert.Empty(t, c.Pending())

	sum, commands := decode(ctx, t, stop())
	assert.Equal(t, []string{"ENUMSESSIONS", "ENUMSESSIONS"}, commands)
	assert.Empty(t, sum.Findings)
}

// enumSessions takes what the listener heard next for an ENUMSESSIONS of Wine 10 and decodes it.
func enumSessions(ctx context.Context, t *testing.T, listener *hostProcess, client netip.Addr) *wire.EnumSessions {
	t.Helper()
	s := listener.next(ctx, t, "ENUMSESSIONS")
	assert.Equal(t, client, netip.MustParseAddrPort(s.Source).Addr())
	e, err := new(wire.Decoder).DecodeDatagram(s.Octets)
	require.NoError(t, err)
	request := e.Message.(*wire.EnumSessions)
	size := 52
	if request.Password != nil {
		size += len(request.Password)
	}
	assert.Equal(t, wire.SPHeader{Size: size, Token: wire.TokenRemote,
		SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}}, e.SP)
	assert.Equal(t, wire.Dialect(11), e.Version)
	assert.Equal(t, application, request.Application.String())
	return request
}
