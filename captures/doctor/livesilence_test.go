package doctor

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/wire"
)

// inquired is a live examination of a host that was asked by UDP and over TCP, each way at a port of its own.
func inquired(change func(l *Live, udp, tcp *Way)) *Live {
	host := netip.MustParseAddr(hostIP)
	to := netip.AddrPortFrom(host, wire.EnumPort)
	l := &Live{Host: host, Waited: 2 * time.Second, Game: gameName,
		Ways:  []Way{{Transport: captures.UDP, To: to, From: 5555, At: 2300}, {Transport: captures.TCP, To: to, At: 2301}},
		Doors: []Door{{At: netip.AddrPortFrom(host, 2300), Err: "no answer within the time", Fault: Silence}}}
	change(l, &l.Ways[0], &l.Ways[1])
	return l
}

// TestLiveHost holds what is said of a host in every way in which it may be silent: one culprit, or the two that it can be.
func TestLiveHost(t *testing.T) {
	refuse := func(w *Way) { w.Err, w.Fault = "connection refused", Refused }
	away := func(w *Way) { w.Err, w.Fault = "no route to host", Unreachable }
	late := func(w *Way) { w.Err, w.Fault = "no answer within the time", NoFault }
	open := func(l *Live) { l.Doors[0].Err, l.Doors[0].Fault = "", NoFault }
	shut := func(l *Live) { l.Doors[0].Err, l.Doors[0].Fault = "connection refused", Refused }
	host := netip.MustParseAddrPort(hostIP + ":2300")
	offer := func(at uint16) []LiveOffer {
		return []LiveOffer{{Host: host, App: thisGame, Name: "Test", Transport: captures.TCP, At: at}}
	}
	home9 := netip.MustParseAddrPort("192.168.9.9:2300")
	home := Adapter{Name: "eth0", Addrs: []netip.Prefix{netip.PrefixFrom(host.Addr().Next(), 24)}}
	for name, c := range map[string]struct {
		live  *Live
		code  Code // "" for none
		text  string
		why   []string
		never []string
	}{
		"own firewall drops, seen": {inquired(func(l *Live, _, tcp *Way) {
			tcp.Taken, l.Watched, l.Knocks = true, true, []Knock{{To: 2300}}
		}), "reply-timed-out", hostIP + " answered, but nothing at TCP port 2300 of this machine", []string{"a firewall of this machine drops it"}, []string{"one of two"}},
		"own firewall refuses, seen": {inquired(func(l *Live, _, tcp *Way) {
			tcp.Taken, l.Watched, l.Knocks = true, true, []Knock{{To: 2300, Refused: true}}
		}), "reply-refused", hostIP + " answered, but its connection to TCP port 2300 of this machine", []string{"a firewall of this machine refuses it"}, nil},
		"not seen": {inquired(func(_ *Live, _, tcp *Way) { tcp.Taken = true }), "reply-timed-out", hostIP + " takes questions, but no answer got through to TCP port 2300",
			[]string{"it is one of two", "its router", "a private one", "What tells the two apart"}, nil},
		"not seen, a game is named": {inquired(func(l *Live, _, tcp *Way) { tcp.Taken, l.App = true, thisGame }), "reply-timed-out", hostIP + " takes questions",
			[]string{"one of two: (1) The host connects to this machine", "Allow the game (and dplay) in this machine's firewall"}, []string{"--app", "dplay games"}},
		"not seen, no game is named": {inquired(func(_ *Live, _, tcp *Way) { tcp.Taken = true }), "reply-timed-out", hostIP + " takes questions",
			[]string{"one of two: (1) The host shows no session", "answers only a question for its own game", "Look at the host whether its session is open", "with --app"}, nil},
		"a machine asks itself": {inquired(func(l *Live, _, tcp *Way) {
			tcp.Taken, l.Adapters = true, []Adapter{{Name: "eth0", Addrs: []netip.Prefix{netip.PrefixFrom(host.Addr(), 24)}}}
		}), "reply-never-tried", hostIP + " takes questions, and no connection that brings an answer", []string{"with --app"}, []string{"in this machine's firewall"}},
		"not seen, without a router": {inquired(func(l *Live, _, tcp *Way) { tcp.Taken, l.Adapters = true, []Adapter{home} }), "reply-timed-out",
			hostIP + " takes questions", nil, []string{"router"}},
		"nothing got here": {inquired(func(l *Live, _, tcp *Way) { tcp.Taken, l.Watched = true, true }), "reply-never-tried",
			hostIP + " takes questions, and no connection that brings an answer got to this machine", []string{"this machine's own firewall is not it", "one of two"}, nil},
		"connects and says nothing": {inquired(func(l *Live, _, tcp *Way) {
			tcp.Taken, l.Watched, l.Knocks = true, true, []Knock{{To: 2300, Taken: true}}
		}), "enum-unanswered", hostIP + " connected to this machine to answer, and said nothing", []string{"MTU"}, []string{"allow the game in its firewall"}},
		"another program has TCP 47624 there": {inquired(func(l *Live, udp, tcp *Way) {
			refuse(udp)
			shut(l)
			tcp.Taken, l.Watched = true, true
		}), "reply-never-tried", hostIP + " takes connections at TCP port 47624, and no answer came", []string{"rather another program"}, []string{"one of two", "router"}},
		"UDP is closed there, and the game does not answer": {inquired(func(l *Live, udp, tcp *Way) {
			refuse(udp)
			open(l)
			tcp.Taken, l.Watched = true, true
		}), "reply-never-tried", hostIP + " takes questions", []string{"one of two"}, []string{"another program"}},
		"no port to wait at": {inquired(func(l *Live, udp, tcp *Way) {
			*udp, *tcp = Way{Transport: captures.UDP, Err: "address already in use"}, Way{Transport: captures.TCP, Err: "address already in use"}
			open(l)
			l.Ports = []Port{{Transport: captures.TCP, Number: 2300, Err: "address already in use", Holder: "game"}, {Transport: captures.UDP, Number: 2350}}
		}), "ports-taken", "no tcp port is free for a game on this machine, so " + hostIP + " could not be asked", []string{"End programs"}, []string{"firewall"}},
		"answers nonsense": {inquired(func(_ *Live, udp, _ *Way) { udp.Nonsense = "SPHEADER.size at octet 0" }), "message-malformed",
			hostIP + " answers what makes no sense: SPHEADER.size", nil, []string{"firewall"}},
		"answers at its own port": {inquired(func(_ *Live, udp, _ *Way) { udp.Offers = offer(31415) }), "reply-wrong-port",
			hostIP + " answers at TCP port 31415 of this machine, but it waits at port 2300", []string{"--tcp 31415", "Lego Loco"}, nil},
		"answers where the question came from": {inquired(func(_ *Live, udp, _ *Way) { udp.Offers = offer(5555) }), "reply-wrong-port",
			hostIP + " answers at TCP port 5555", []string{"the port that the question came from"}, []string{"--tcp"}},
		"wants to answer at 47624": {inquired(func(l *Live, _, tcp *Way) {
			tcp.Taken, l.Watched, l.Knocks = true, true, []Knock{{To: 47624, Refused: true}}
		}), "reply-wrong-port", hostIP + " answers at TCP port 47624", []string{"or 47624"}, nil},
		"one port is closed here": {inquired(func(l *Live, udp, tcp *Way) {
			third := *udp
			tcp.Offers, third.At, third.Offers = offer(2301), 2302, offer(2302)
			l.Doors[0] = Door{At: host, Offered: true}
			l.Ways = append(l.Ways, third)
		}), "reply-timed-out", hostIP + " answers at TCP port 2302 of this machine, but at port 2300 nothing gets through", []string{"lets the one port through"}, nil},
		"UDP is closed there": {inquired(func(l *Live, udp, tcp *Way) {
			refuse(udp)
			tcp.Offers, l.Doors = offer(2301), nil
		}), "udp-blocked", hostIP + " answers questions over TCP, but not those by UDP", []string{"a firewall at the host refuses them", "forward UDP 47624"}, nil},
		"UDP is kept in here": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Err, udp.Fault = "operation not permitted", Forbidden
			tcp.Offers, l.Doors = offer(2301), nil
		}), "udp-blocked", hostIP + " answers questions over TCP, but not those by UDP", []string{"own firewall keeps the question in"}, []string{"at the host"}},
		"UDP is dropped there": {inquired(func(l *Live, udp, tcp *Way) {
			third := *udp
			tcp.Offers, l.Doors = offer(2301), nil
			l.Ways = append(l.Ways, third)
		}), "udp-blocked", hostIP + " answers questions over TCP, but not those by UDP", []string{"drops UDP 47624"}, nil},
		"only TCP 47624 is closed there": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, l.Doors = offer(2300), nil
			refuse(tcp)
		}), "", "", nil, nil},
		"the session's port is closed there": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, tcp.Offers = offer(2300), offer(2301)
			l.Doors = []Door{{At: host, Offered: true, Session: "Test", Err: "connection refused", Fault: Refused}}
		}), "host-unreachable", `the session "Test" of ` + hostIP + " is found, but TCP port 2300 there cannot be connected to: it is refused", []string{"at the host"}, []string{"this machine's firewall"}},
		"the session's port is dropped there": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, tcp.Offers = offer(2300), offer(2301)
			l.Doors = []Door{{At: host, Offered: true, Session: "Test", Err: "no answer within the time", Fault: Silence}}
		}), "host-unreachable", `the session "Test" of ` + hostIP + " is found", []string{"Nothing has to change here"}, nil},
		"the session is elsewhere": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, tcp.Offers = offer(2300), offer(2301)
			l.Doors = []Door{{At: host, Offered: true, Session: "Test", Err: "no route to host", Fault: Unreachable}}
		}), "host-unreachable", `the session "Test" of ` + hostIP + " is found, but TCP port 2300 there cannot be connected to: there is no way", []string{"another network"}, nil},
		"the session tells an address of its home": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, tcp.Offers = offer(2300), offer(2301)
			l.Doors = []Door{{At: home9, From: host.Addr(), Offered: true, Session: "Test", Err: "network is unreachable", Fault: Unreachable}}
		}), "host-unreachable", `the session "Test" answers from ` + hostIP + " but tells joiners to connect to 192.168.9.9:2300, a private address, and there is no way to it (network is unreachable)",
			[]string{"--advertise " + hostIP, "the bridge", "an address of its own network"}, []string{"turn off the adapters"}},
		"its address is another machine's here": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, tcp.Offers = offer(2300), offer(2301)
			l.Doors = []Door{{At: home9, From: host.Addr(), Offered: true, Session: "Test", Err: "connection refused", Fault: Refused}}
		}), "host-unreachable", `the session "Test" answers from ` + hostIP + " but tells joiners to connect to 192.168.9.9:2300, a private address, and it is refused", []string{"--advertise"}, nil},
		"it was asked at the address that it tells": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Offers, tcp.Offers = offer(2300), offer(2301)
			l.Doors = []Door{{At: host, From: home9.Addr(), Offered: true, Session: "Test", Err: "no answer within the time", Fault: Silence}}
		}), "host-unreachable", `the session "Test" of ` + hostIP + " is found", nil, []string{"--advertise"}},
		"nobody hosts": {inquired(func(l *Live, udp, tcp *Way) { refuse(udp); refuse(tcp); shut(l) }), "enum-unanswered", hostIP + " was asked",
			[]string{"no game is hosted on it now"}, []string{"one of two", "forward"}},
		"a game whose session is not open": {inquired(func(l *Live, udp, tcp *Way) { refuse(udp); refuse(tcp); open(l) }), "enum-unanswered", hostIP + " was asked",
			[]string{"a program listens at TCP 2300 there", "its session is not open"}, nil},
		"TCP refuses, UDP is silent": {inquired(func(l *Live, _, tcp *Way) { refuse(tcp); shut(l) }), "enum-unanswered", hostIP + " was asked",
			[]string{"no game is hosted on it now", "drops UDP"}, nil},
		"47624 is dropped": {inquired(func(l *Live, _, tcp *Way) { late(tcp); open(l) }), "enum-unanswered", hostIP + " was asked",
			[]string{"lets 2300 in and not 47624"}, []string{"no game is hosted"}},
		"47624 is dropped, no game": {inquired(func(l *Live, _, tcp *Way) { late(tcp); shut(l) }), "enum-unanswered", hostIP + " was asked",
			[]string{"the machine is there (it refuses TCP 2300)"}, nil},
		"our firewall keeps the question in": {inquired(func(l *Live, udp, tcp *Way) {
			udp.Err, udp.Fault = "operation not permitted", Forbidden
			late(tcp)
			open(l)
		}), "enum-unanswered", hostIP + " was asked", []string{"own firewall keeps the question in"}, []string{"at the host"}},
		"no way": {inquired(func(_ *Live, _, tcp *Way) { away(tcp) }), "enum-unanswered", hostIP + " was asked", []string{"no way to that address"}, []string{"forward"}},
		"no way, refused": {inquired(func(l *Live, udp, tcp *Way) { refuse(udp); away(tcp); shut(l) }), "enum-unanswered", hostIP + " was asked",
			[]string{"the machine is there"}, []string{"no way to that address"}},
		"all is dropped": {inquired(func(_ *Live, _, tcp *Way) { late(tcp) }), "enum-unanswered", hostIP + " was asked",
			[]string{"a firewall or router there drops the question", "or no machine is at that address"}, nil},
		"all is dropped, on our network": {inquired(func(l *Live, _, tcp *Way) { late(tcp); l.Adapters = []Adapter{home} }), "enum-unanswered", hostIP + " was asked",
			[]string{"of this machine's own network"}, []string{"router"}},
		"wants to be asked for its game": {inquired(func(l *Live, udp, tcp *Way) {
			third := *udp
			tcp.Taken, third.Any, third.Offers, l.Doors = true, true, offer(2302), nil
			l.Ways = append(l.Ways, third)
		}), "app-mismatch", hostIP + ":2300 hosts This Game " + thisGame.String() + ", and answers only who asks for that game", []string{`--app "This Game"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := ExamineLive(c.live)
			requireSound(t, r, 0)
			if c.code == "" {
				require.Empty(t, r.Findings)
				return
			}
			require.Len(t, r.Findings, 1, "one culprit")
			f := r.Findings[0]
			assert.Equal(t, c.code, f.Code)
			assert.Equal(t, Failure, f.Severity)
			assert.True(t, strings.HasPrefix(f.Text, c.text), f.Text)
			for _, s := range c.why {
				assert.Contains(t, f.Cause+"\n"+f.Advice, s)
			}
			for _, s := range c.never {
				assert.NotContains(t, f.Cause+"\n"+f.Advice, s)
			}
		})
	}
}

// TestBriefRouter checks that who is told in one line hears of the router here where there is one.
func TestBriefRouter(t *testing.T) {
	l := inquired(func(l *Live, _, tcp *Way) { tcp.Taken, l.Watched = true, true })
	assert.Contains(t, ExamineLive(l).Findings[0].Brief(), "in the router here")
	l.Adapters = []Adapter{card("eth0", hostIP+"/24")}
	assert.NotContains(t, ExamineLive(l).Findings[0].Brief(), "router")
}

// TestTried checks that what was tried is told with what was seen, and what was not tried.
func TestTried(t *testing.T) {
	l := inquired(func(l *Live, udp, tcp *Way) {
		udp.Offers = []LiveOffer{{Host: netip.MustParseAddrPort(hostIP + ":2300"), Name: "Test", Transport: captures.TCP, At: 2300}}
		tcp.Err, tcp.Fault = "connection refused", Refused
		l.Doors = []Door{{At: netip.MustParseAddrPort(hostIP + ":2300"), Offered: true}}
		l.Watched, l.Knocks = true, []Knock{{To: 2300, Taken: true}, {To: 2301}}
		l.Keys = []Key{{Fits: true}}
		l.Ports = []Port{{Transport: captures.UDP, Number: 47624, Err: "in use", Hosts: "Mine"}, {Transport: captures.TCP, Number: 2300}}
		l.Adapters = []Adapter{card("eth0", hostIP+"/24")}
	})
	const want = `healthy: nothing was found that stands in the way of a game; this machine hosts "Mine"

Tried:
   asked udp 192.168.7.10:47624, answer wanted at TCP 2300: 1 session
   asked tcp 192.168.7.10:47624, answer wanted at TCP 2301: connection refused
   asked for what shows itself to who knows the password: a session with that
   password
   connected to tcp 192.168.7.10:2300 without a word: connected
   watched for connections of the host to where answers are waited for: to tcp
   2300 taken; to tcp 2301 got here, and was not taken
   udp port 47624 of this machine: in use, which hosts "Mine"
   tcp port 2300 of this machine: free
   looked at the adapter eth0: 192.168.7.10/24
Not tried:
   joining: only then the host says whether it lets this machine in
   whether what games send by UDP (2350-2399) gets through, both ways
   whether others reach this machine when it hosts
`
	assert.Equal(t, strings.ReplaceAll(want, "192.168.7.10", hostIP), string(ExamineLive(l).AppendText(nil)))
	b, err := ExamineLive(l).AppendNDJSON(nil)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"tried":[{"what":"asked udp `+hostIP+`:47624, answer wanted at TCP 2300","seen":"1 session"},`)
	assert.Contains(t, string(b), `"not_tried":["joining: `)
}
