package doctor

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// TestLiveBridge: what a bridge of this machine answers is about its session, and not about a firewall.
func TestLiveBridge(t *testing.T) {
	const bridge = "dplay (process 7)"
	refuse := func(w *Way) { w.Err, w.Fault = "connection refused", Refused }
	offer := []LiveOffer{{Host: netip.MustParseAddrPort(hostIP + ":2301"), App: thisGame, Name: "Test", Transport: captures.TCP, At: 2300}}
	lists := []Port{{Transport: captures.UDP, Number: wire.EnumPort, Err: "address already in use", Holder: bridge, Bridge: true}}
	taken := func(holders ...string) (list []Port) {
		for i, h := range holders {
			list = append(list, Port{Transport: captures.TCP, Number: uint16(2300 + i), Err: "address already in use", Holder: h, Bridge: h == bridge})
		}
		return list
	}
	for name, c := range map[string]struct {
		change func(l *Live, udp, tcp *Way)
		code   Code
		brief  string
		why    string
		note   string
	}{
		"nobody hosts": {func(l *Live, udp, tcp *Way) { refuse(udp); refuse(tcp) }, "enum-unanswered",
			"nobody in the session hosts a game yet", "nothing takes questions at port 47624", ""},
		"who hosts says nothing": {func(l *Live, _, tcp *Way) { tcp.Taken, l.Ports = true, lists }, "enum-unanswered",
			"a game in the session hosts, and does not answer: has it opened its session, and does that want --password?", "one with a password", ""},
		"another game": {func(l *Live, _, tcp *Way) {
			tcp.Taken, l.Ports, l.App = true, lists, otherGame
			l.Ways = append(l.Ways, Way{Transport: captures.UDP, To: tcp.To, At: 2300, Any: true, Offers: offer})
		}, "app-mismatch", `the game that is hosted in the session is "This Game", not ` + otherGame.String(), "", ""},
		"hosted behind it": {func(l *Live, udp, tcp *Way) { udp.Offers, tcp.Offers, l.Ports = offer, offer, lists }, "", "", "",
			hostIP + ` is the bridge of this machine, and the session "Test" is hosted behind it`},
		"another program has the place": {func(l *Live, udp, tcp *Way) {
			for _, w := range []*Way{udp, tcp} {
				*w = Way{Transport: w.Transport, To: w.To, Err: "address already in use"}
			}
			l.Ports = taken(bridge, "python3 (process 8)", bridge)
		}, "ports-taken", "no tcp port is free for a game on this machine, so " + hostIP + " could not be asked: there is none to wait for the " +
			"answer at: if that is your game, look for sessions in it", "leaves ports to one program at a time, to play or to search, and " +
			"python3 (process 8) has them", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := inquired(c.change)
			l.Bridge, l.Doors, l.Adapters = bridge, nil, []Adapter{card("eth0", hostIP+"/24")}
			r := ExamineLive(l)
			requireSound(t, r, 0)
			for _, n := range r.Notes {
				assert.NotContains(t, n, "this machine hosts")
			}
			if c.code == "" {
				require.Empty(t, r.Findings)
				assert.Contains(t, r.Notes, c.note)
				return
			}
			require.Len(t, r.Findings, 1, "one culprit")
			assert.Equal(t, c.code, r.Findings[0].Code)
			assert.Equal(t, c.brief, r.Findings[0].Brief())
			assert.Contains(t, r.Findings[0].Cause, c.why)
			assert.NotContains(t, r.Findings[0].Cause+r.Findings[0].Advice, "firewall")
		})
	}
	e := lists[0].show()
	assert.Equal(t, "address already in use, held by "+bridge+", the bridge", e.Value)

	l := &Live{Bridge: bridge, Ways: []Way{{Transport: captures.UDP, To: netip.MustParseAddrPort("255.255.255.255:47624")}}}
	assert.Contains(t, ExamineLive(l).Findings[0].Cause, "nor in the session of this machine's bridge")
}
