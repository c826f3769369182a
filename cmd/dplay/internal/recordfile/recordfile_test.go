package recordfile

import (
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// ping returns a message.
func ping(t *testing.T) []byte {
	t.Helper()
	e := wire.Envelope{HasSP: true, SP: wire.SPHeader{SockAddr: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}},
		Version: wire.DX9, Message: &wire.Ping{From: 1}}
	b, err := e.Append(nil)
	require.NoError(t, err)
	return b
}

// TestRecordEnds checks that a recording ends its connections, and that our address, where we are bound to none, is
// the one that a peer sees.
func TestRecordEnds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.pcapng")
	r, err := Create(name, false, nil, func(err error) { t.Error(err) })
	require.NoError(t, err)
	us, them := netip.MustParseAddrPort("0.0.0.0:2300"), netip.MustParseAddrPort("127.0.0.9:2301")
	ping := ping(t)
	recorder := r.Recorder()
	recorder.Packet(time.Now(), dpsp.TCP, us, them, ping)
	recorder.Packet(time.Now(), dpsp.TCP, them, us, ping)
	packets := r.out.Packets()
	require.NoError(t, r.Close(true))
	if info, err := os.Stat(name); assert.NoError(t, err) && runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "passwords are in it")
	}
	assert.Equal(t, packets+2*3, r.out.Packets(), "three segments end a connection")
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	_, err = captures.Read(t.Context(), f, captures.Options{Name: name}, func(r *captures.Record) error {
		assert.Empty(t, r.Findings)
		assert.Equal(t, "PING", r.Command())
		assert.NotContains(t, r.Src.String()+r.Dst.String(), "0.0.0.0")
		assert.Contains(t, r.Src.String()+r.Dst.String(), "127.0.0.9:2301")
		return nil
	}, func(f *captures.Finding) { t.Errorf("%+v", *f) })
	require.NoError(t, err)
}

// TestRecordFull checks that a disk that is full is told when it is, once, and again at the end.
func TestRecordFull(t *testing.T) {
	var told []error
	r, err := Create(filepath.Join(t.TempDir(), "x.pcapng"), false, nil, func(err error) { told = append(told, err) })
	require.NoError(t, err)
	r.file.Abort() // every write fails from here on, as on a full disk
	us, them := netip.MustParseAddrPort("127.0.0.8:2300"), netip.MustParseAddrPort("127.0.0.9:2301")
	for range 3 {
		r.Packet(time.Now(), dpsp.TCP, us, them, ping(t))
	}
	require.Len(t, told, 1)
	assert.ErrorIs(t, told[0], os.ErrNotExist)
	assert.ErrorIs(t, r.Close(true), os.ErrNotExist)
}
