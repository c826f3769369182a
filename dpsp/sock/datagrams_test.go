package sock

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// TestDatagrams has two sockets of no session talk. The one that is for one other socket hears no other.
func TestDatagrams(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 3)
	there, err := OpenDatagrams(netip.AddrPortFrom(at[0], 0))
	require.NoError(t, err)
	defer there.Close()
	to := addrPort(there.LocalAddr())
	c, err := DialDatagrams(at[1], to)
	require.NoError(t, err)
	defer c.Close()
	assert.Equal(t, at[1], addrPort(c.LocalAddr()).Addr())

	_, err = c.Write([]byte("asked"))
	require.NoError(t, err)
	b := make([]byte, 100)
	n, _, _, from, err := there.ReadMsgUDPAddrPort(b, nil)
	require.NoError(t, err)
	assert.Equal(t, "asked", string(b[:n]))
	assert.Equal(t, addrPort(c.LocalAddr()), from)

	other, err := OpenDatagrams(netip.AddrPortFrom(at[2], 0))
	require.NoError(t, err)
	defer other.Close()
	for s, said := range map[DatagramSocket]string{other: "not asked", there: "answered"} {
		_, err = s.WriteToUDPAddrPort([]byte(said), from)
		require.NoError(t, err)
	}
	n, err = c.Read(b)
	require.NoError(t, err)
	assert.Equal(t, "answered", string(b[:n]))

	_, err = DialDatagrams(netip.Addr{}, netip.MustParseAddrPort("[::1]:2300"))
	assert.ErrorContains(t, err, "IPv4")
	for _, a := range []netip.Addr{from.Addr(), netip.IPv4Unspecified()} {
		_, err = OpenDatagrams(netip.AddrPortFrom(a, from.Port()))
		assert.True(t, taken(err), "%s: %v", a, err)
	}
}

// TestRefusedDatagram has nobody there. (Wine 10 does not tell of it, so this one is not run there.)
func TestRefusedDatagram(t *testing.T) {
	t.Parallel()
	at := testkit.Addrs(t, 2)
	c, err := DialDatagrams(at[1], netip.AddrPortFrom(at[0], 2350))
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte("asked"))
	require.NoError(t, err)
	_, err = c.Read(make([]byte, 100))
	assert.True(t, temporary(err), err)
}
