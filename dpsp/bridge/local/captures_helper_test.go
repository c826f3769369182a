package local

import (
	"bytes"
	"context"
	"encoding/binary"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/dpsp/bridge/filter"
	"dplay4/wire"
)

// A said is what one machine of a capture said to another one: on a connection, or as datagrams.
type said struct {
	file   string
	from   uint16 // the port in its headers; 0: it gave none
	stream []byte // what it said on a connection, in order
	each   [][]byte
	broken bool // a message in it cannot be read, or not in one way only
}

// recorded reads what was said in a capture of the repository, as if it had been said in a bridged session: addresses that were
// told are 127.0.0.1. plan is all ports that were named; folded, they are in the ranges that slots have.
func recorded(t testing.TB, file string, folded bool) (all []*said, plan *filter.Plan) {
	t.Helper()
	octets, err := os.ReadFile(file)
	require.NoError(t, err)
	by := map[[2]netip.AddrPort]map[captures.Transport]*said{}
	var ports []filter.Ports
	_, err = captures.Read(context.Background(), bytes.NewReader(octets), captures.Options{Name: file}, func(r *captures.Record) error {
		if r.Joined {
			return nil // its pieces are there
		}
		between := [2]netip.AddrPort{r.Src, r.Dst}
		if by[between] == nil {
			by[between] = map[captures.Transport]*said{}
		}
		s := by[between][r.Transport]
		if s == nil {
			s = &said{file: filepath.Base(file)}
			by[between][r.Transport] = s
			all = append(all, s)
		}
		raw := bytes.Clone(r.Raw)
		ports = append(ports, s.home(raw, r.Transport == captures.TCP, folded)...)
		list, _ := r.Envelope.Message.(*wire.SuperEnumPlayersReply)
		s.broken = s.broken || r.Err != nil || list != nil && !list.Layout.Regular()
		if r.Transport == captures.TCP {
			s.stream = append(s.stream, raw...)
		}
		s.each = append(s.each, raw)
		return nil
	}, nil)
	require.NoError(t, err, file)
	return all, filter.NewPlan(ports...)
}

// home moves a message to loopback, and returns the ports that it names.
func (s *said) home(b []byte, stream, folded bool) (ports []filter.Ports) {
	system := len(b) >= 24 && wire.HasSignature(b[20:])
	if !stream && !system {
		return nil
	}
	move := func(at int, of wire.Ports) uint16 {
		if [4]byte(b[at+4:]) != [4]byte{} {
			copy(b[at+4:], []byte{127, 0, 0, 1})
		}
		port := binary.BigEndian.Uint16(b[at+2:])
		if folded {
			port = of.First + port%Slots
			binary.BigEndian.PutUint16(b[at+2:], port)
		}
		return port
	}
	s.from = move(4, wire.StreamPorts)
	ports = []filter.Ports{{TCP: s.from}}
	if !system {
		return ports
	}
	d := wire.Decoder{Options: wire.Options{NoMessageID: true}, Visitor: func(f *wire.Field) {
		switch at := f.Offset + wire.SPHeaderSize; {
		case f.Kind == wire.KindSockAddr && wire.ParseSockAddr(f.Raw) == (wire.SockAddr{}): // nobody's
		case f.Kind == wire.KindSockAddr && f.Name == "Datagram":
			ports = append(ports, filter.Ports{UDP: move(at, wire.DatagramPorts)})
		case f.Kind == wire.KindSockAddr:
			ports = append(ports, filter.Ports{TCP: move(at, wire.StreamPorts)})
		case f.Name == "Size" && f.Num == wire.SuperPackedFixed: // of a host that counts otherwise, and does not pass as it is
			b[at] = wire.SuperPackedPlayerSize
		}
	}}
	d.DecodeMessage(b[wire.SPHeaderSize:]) //nolint:errcheck // the filter says what it thinks of it
	return ports
}

// recordings are the captures of the repository.
func recordings(t testing.TB) (files []string) {
	t.Helper()
	for _, dir := range []string{"lab", "interop", "migration"} {
		some, err := filepath.Glob("../../../captures/" + dir + "/*.pcap*")
		require.NoError(t, err)
		files = append(files, some...)
	}
	require.Greater(t, len(files), 25)
	return files
}
