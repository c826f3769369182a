package browser_test

import (
	"context"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/draw"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// capture02 is the laboratory's complete join: 13 messages, players HostGuy and W10.
const capture02 = "../../captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap"

// report writes the report of a capture and gives its file.
func report(t *testing.T, in io.Reader, opt draw.Options) string {
	t.Helper()
	p := draw.NewReport(opt)
	_, err := captures.Read(context.Background(), in, captures.Options{}, func(r *captures.Record) error {
		p.Add(r)
		return nil
	}, nil)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "report.html")
	f, err := os.Create(name)
	require.NoError(t, err)
	require.NoError(t, p.Write(f, []string{"Made by a test."}))
	require.NoError(t, f.Close())
	return name
}

// reportOf writes the report of a capture in a file.
func reportOf(t *testing.T, name string, findings ...doctor.Finding) string {
	t.Helper()
	in, err := os.Open(name)
	require.NoError(t, err)
	defer in.Close()
	return report(t, in, draw.Options{Title: filepath.Base(name), Findings: findings})
}

// borrowed returns a capture that is not ours to copy, from the directory that DPLAY_CAPTURES names or a folder in it.
func borrowed(t *testing.T, name string) (file string) {
	t.Helper()
	dir := os.Getenv("DPLAY_CAPTURES")
	if dir == "" {
		t.Skip("DPLAY_CAPTURES names no directory with " + name + ", which is not ours to copy")
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == name {
			file = path
		}
		return err
	}))
	if file == "" {
		t.Skip("there is no " + name + " in DPLAY_CAPTURES")
	}
	return file
}

// findings are two at messages of capture02, and one that shows nowhere.
func findings() []doctor.Finding {
	return []doctor.Finding{
		{Severity: doctor.Failure, Code: "test-failure", Text: "the list of players is <wrong>",
			Cause: "a made-up one", Advice: "nothing", Evidence: []doctor.Evidence{{N: 6, Value: "SUPERENUMPLAYERSREPLY"}}},
		{Severity: doctor.Warning, Code: "test-warning", Text: "somebody said something", Evidence: []doctor.Evidence{{N: 10}, {N: 12}}},
		{Severity: doctor.Note, Code: "test-note", Text: "this shows nowhere"},
	}
}

// The machines of made-up captures.
var (
	hostTCP = netip.MustParseAddrPort("10.0.0.1:2300")
	peerTCP = netip.MustParseAddrPort("10.0.0.2:2300")
	hostUDP = netip.MustParseAddrPort("10.0.0.1:2350")
	peerUDP = netip.MustParseAddrPort("10.0.0.2:2350")
)

// madeUp is a capture of two players whose names are given, and messages from one to the other, with a ping that is
// answered after every hundredth.
func madeUp(t *testing.T, host, peer string, messages int) io.Reader {
	t.Helper()
	c := madeup.New(t)
	c.Step = 0
	sp := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2300},
		Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2350}}.Append(nil)
	create := func(id wire.PlayerID, name string) []byte {
		return madeup.System(2300, &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{
			ID: id, Version: uint32(wire.DX9), ShortName: wire.NewText(name), SPData: sp,
		}})
	}
	there := c.Dial(netip.AddrPortFrom(hostTCP.Addr(), 40001).String(), peerTCP.String())
	back := c.Dial(netip.AddrPortFrom(peerTCP.Addr(), 40002).String(), hostTCP.String())
	there.Send(create(0x101, host))
	back.Send(create(0x202, peer))
	for i := range messages - 2 {
		c.Wait(7 * time.Millisecond)
		switch payload := []byte{byte(i), byte(i >> 8), byte(i >> 16), 4, 5}; {
		case i%100 == 0:
			c.UDP(hostUDP.String(), peerUDP.String(), madeup.System(2300, &wire.Ping{From: 0x101, Tick: uint32(i)}))
		case i%100 == 1:
			c.UDP(peerUDP.String(), hostUDP.String(), madeup.System(2300, &wire.PingReply{From: 0x202, Tick: uint32(i - 1)}))
		case i%1000 == 550:
			there.Send(madeup.System(2300, &wire.Chat{From: 0x101, Text: wire.NewText("needle in the hay")}))
		case i%3 == 0:
			back.Send(madeup.System(2300, &wire.PlayerMessage{From: 0x202, To: 0x101, Payload: payload}))
		default:
			there.Send(madeup.System(2300, &wire.PlayerMessage{From: 0x101, To: 0x202, Payload: payload}))
		}
	}
	return &c.File
}
