package draw

import (
	"context"
	"flag"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "differs from %s; -rewrite writes it anew", path)
}

// The captures that tests draw.
const (
	capture02    = "../lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap"
	thirdMachine = "../interop/ourhost-third-machine.pcap"
	killedHost   = "../migration/killed-legacy.pcapng"
)

// allCaptures are those of the repository.
func allCaptures(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"../lab/*.pcap", "../interop/*.pcap", "../migration/*.pcapng"} {
		list, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, list)
		names = append(names, list...)
	}
	return names
}

// read hands the records of a capture to a function.
func read(t *testing.T, name string, add func(*captures.Record)) *captures.Summary {
	t.Helper()
	in, err := os.Open(name)
	require.NoError(t, err)
	defer in.Close()
	sum, err := captures.Read(context.Background(), in, captures.Options{}, func(r *captures.Record) error {
		add(r)
		return nil
	}, nil)
	require.NoError(t, err)
	return sum
}

// drawn returns the picture of a capture.
func drawn(t *testing.T, name string, opt Options) *Diagram {
	t.Helper()
	if opt.Title == "" {
		opt.Title = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	b := NewBuilder(opt)
	read(t, name, b.Add)
	return b.Diagram()
}

// The machines of made-up records, and when they begin to talk.
var (
	alice = netip.MustParseAddrPort("10.0.0.1:2300")
	bob   = netip.MustParseAddrPort("10.0.0.2:2300")
	carol = netip.MustParseAddrPort("10.0.0.3:2300")
	noon  = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
)

// A script makes records that need no capture.
type script struct {
	b  *Builder
	r  *Report
	n  int
	at time.Duration
}

func newScript(opt Options) *script {
	r := NewReport(opt)
	return &script{b: r.Builder(), r: r}
}

// say adds a message of size octets over TCP, from one machine to another, after a pause.
func (s *script) say(after time.Duration, from, to netip.AddrPort, size int, m wire.Message) *script {
	s.at += after
	s.n++
	s.r.Add(&captures.Record{
		N: s.n, Frames: []int{s.n * 10}, Time: noon.Add(s.at), Src: netip.AddrPortFrom(from.Addr(), 40000), Dst: to,
		From: captures.Machine{At: from, Sure: true}, To: captures.Machine{At: to, Sure: true}, Conversation: 1, Raw: make([]byte, size), Base: 20,
		Envelope: wire.Envelope{HasSP: true, SP: wire.SPHeader{Size: size, SockAddr: wire.SockAddr{Family: 2, Port: from.Port()}}, Message: m},
	})
	return s
}

// rows returns the steps in few words: "A>B PLAYERMESSAGE 3", "silence", "A>B,C CHAT 2".
func rows(d *Diagram) []string {
	var out []string
	for i := range d.Steps {
		st := &d.Steps[i]
		switch st.Kind {
		case Silence:
			out = append(out, "silence")
		case Note:
			out = append(out, "note")
		case Band:
			out = append(out, "band "+grouped(st.Count))
		default:
			var to []string
			for _, l := range st.To {
				to = append(to, letter(l))
			}
			out = append(out, letter(st.From)+">"+strings.Join(to, ",")+" "+st.Command+" "+grouped(st.Count))
		}
	}
	return out
}

// made makes a record of a message over TCP.
func made(n int, at time.Duration, from, to netip.AddrPort, m wire.Message) *captures.Record {
	return &captures.Record{
		N: n, Frames: []int{n * 10}, Time: noon.Add(at), Src: netip.AddrPortFrom(from.Addr(), 40000), Dst: to,
		From: captures.Machine{At: from, Sure: true}, To: captures.Machine{At: to, Sure: true}, Conversation: 1,
		Raw: make([]byte, 36), Base: 20,
		Envelope: wire.Envelope{HasSP: true, SP: wire.SPHeader{Size: 36, SockAddr: wire.SockAddr{Family: 2, Port: from.Port()}}, Message: m},
	}
}
