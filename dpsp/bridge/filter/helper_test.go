package filter

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A sample is a message of the golden files of package wire, as it travels on a stream of a bridged session.
type sample struct {
	name   string
	raw    []byte
	places []int // where raw has addresses, behind the one of its header
	rule   Rule
}

// gapped is a golden message with zeros between its parts: a list of players that Windows takes from tests of Wine. It does not pass,
// and was never seen otherwise.
const gapped = "SUPERENUMPLAYERSREPLY"

// samples are all golden messages but that one.
func samples(t testing.TB) (all []sample) {
	t.Helper()
	return slices.DeleteFunc(golden(t), func(s sample) bool { return s.name == gapped })
}

// golden are all golden messages.
func golden(t testing.TB) (all []sample) {
	t.Helper()
	files, err := filepath.Glob("../../../wire/testdata/golden/*.hex")
	require.NoError(t, err)
	require.Greater(t, len(files), 80)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var raw []byte
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			b, err := hex.DecodeString(strings.Join(strings.Fields(line), ""))
			require.NoError(t, err)
			raw = append(raw, b...)
		}
		if !strings.Contains(string(text), "# form: stream") && !(len(raw) > headSize && isSystem(raw)) {
			raw = append(headOf(len(raw)), raw...)
		}
		all = append(all, newSample(strings.TrimSuffix(filepath.Base(file), ".hex"), raw))
	}
	return all
}

// headOf is the SP header of a message with a size without it.
func headOf(size int) []byte {
	b := make([]byte, wire.SPHeaderSize)
	binary.LittleEndian.PutUint32(b, uint32(size+wire.SPHeaderSize)|uint32(wire.TokenRemote)<<20)
	b[4] = wire.FamilyINet
	binary.BigEndian.PutUint16(b[6:], 2301)
	return b
}

// newSample moves a message into a session: its addresses that are not 0.0.0.0 are 127.0.0.1, and its ports are those of the
// plan.
func newSample(name string, raw []byte) sample {
	s := sample{name: name, raw: raw}
	s.rule.From.TCP = binary.BigEndian.Uint16(raw[6:])
	s.home(4)
	all := []Ports{s.rule.From}
	if isSystem(raw) {
		var udp []bool
		d := wire.Decoder{Options: wire.Options{NoMessageID: true}, Visitor: func(f *wire.Field) {
			switch {
			case f.Kind == wire.KindSockAddr:
				s.places, udp = append(s.places, wire.SPHeaderSize+f.Offset), append(udp, isDatagram(f))
			case f.Name == "Size" && f.Num == wire.SuperPackedFixed: // of a host of the lab that counts otherwise
				raw[wire.SPHeaderSize+f.Offset] = wire.SuperPackedPlayerSize
			}
		}}
		d.DecodeMessage(raw[wire.SPHeaderSize:]) //nolint:errcheck // the test sees it
		for i, at := range s.places {
			s.home(at)
			p := Ports{s.rule.From.TCP, binary.BigEndian.Uint16(raw[at+2:])}
			if !udp[i] {
				p.TCP, p.UDP = p.UDP, p.TCP
			}
			all = append(all, p)
		}
	}
	plan := NewPlan(all...)
	s.rule.Plan = func() *Plan { return plan }
	return s
}

func (s *sample) home(at int) {
	if [4]byte(s.raw[at+4:]) != [4]byte{} {
		copy(s.raw[at+4:], []byte{127, 0, 0, 1})
	}
}

// addresses are all that a value has of the kind, found by the types of its fields.
func addresses(v reflect.Value) (tcp, udp []wire.SockAddr) {
	add := func(v reflect.Value) {
		t, u := addresses(v)
		tcp, udp = append(tcp, t...), append(udp, u...)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			add(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				add(v.Index(i))
			}
		}
	case reflect.Struct:
		if a, ok := v.Interface().(wire.SockAddr); ok {
			return []wire.SockAddr{a}, nil
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch {
			case !f.IsExported():
			case f.Name == "SPData" && v.Field(i).Len() > 0:
				b := v.Field(i).Bytes()
				b = append(b, make([]byte, wire.SPDataSize)...) // whoever reads it takes it for two addresses, whatever its size
				tcp, udp = append(tcp, wire.ParseSockAddr(b)), append(udp, wire.ParseSockAddr(b[wire.SockAddrSize:]))
			case f.Name == "Datagram":
				udp = append(udp, v.Field(i).Interface().(wire.SockAddr))
			default:
				add(v.Field(i))
			}
		}
	}
	return tcp, udp
}

// outside returns an address of a message that is not of the plan, if it has one.
func outside(t testing.TB, plan *Plan, raw []byte) (string, bool) {
	t.Helper()
	e, err := new(wire.Decoder).DecodeStream(raw)
	if err != nil {
		e, err = (&wire.Decoder{Options: wire.Options{NoMessageID: true}}).DecodeStream(raw)
	}
	require.NoError(t, err, "%x", raw)
	tcp, udp := addresses(reflect.ValueOf(e))
	for i, all := range [][]wire.SockAddr{tcp, udp} {
		for _, a := range all {
			if leads(plan, a, i == 1) {
				return a.String(), true
			}
		}
	}
	return "", false
}

// pieces has octets handed over in random pieces.
func pieces(r *rand.Rand, b []byte, most int, do func([]byte)) {
	for len(b) > 0 {
		n := min(len(b), 1+r.IntN(most))
		do(b[:n])
		b = b[n:]
	}
}
