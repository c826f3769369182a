package doctor

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

func init() {
	examples["refused"] = []example{
		{name: "access", want: []string{joinerIP + ` got no player in the session "Test": the host answered DPERR_ACCESSDENIED`},
			capture: refusedPlayer(0, wire.ErrAccessDenied)},
		{name: "login", want: []string{joinerIP + ` was not let into the session "Test": the host answered DPERR_LOGONDENIED`}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", &wire.LogonDenied{})
		}},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
	}
}

func init() {
	examples["password-wrong"] = []example{
		{name: "said of the machine", want: []string{joinerIP + ` was not let into the session "Test": the password was wrong`},
			shows: []string{"ADDFORWARDREPLY Error=DPERR_INVALIDPASSWORD (0x88770154)"},
			capture: func(n *network) {
				s := newSession(n)
				s.found(joinerIP)
				s.request(joinerIP, 0x100)
				s.toldBy(joinerIP+":2300", &wire.AddForwardReply{Error: wire.ErrInvalidPassword})
			}},
		{name: "said of the id", want: []string{joinerIP + ` was not let into the session "Test": the password was wrong`}, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrInvalidPassword})
		}},
		{name: "twice, then the right one", as: Warning, want: []string{joinerIP + ` was not let into the session "Test": the password was wrong (2 tries); it was let in at 0.0`},
			shows: []string{"SUPERENUMPLAYERSREPLY =a later try went well"}, capture: retried(2, wire.ErrInvalidPassword, true)},
		{name: "very often", want: []string{joinerIP + ` was not let into the session "Test": the password was wrong (20 tries)`}, capture: retried(20, wire.ErrInvalidPassword, false)},
		{name: "of two machines", want: []string{joinerIP + " was", thirdIP + " was"}, capture: func(n *network) {
			retried(1, wire.ErrInvalidPassword, false)(n)
			s := newSession(n)
			s.tell(thirdIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(thirdIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrInvalidPassword})
		}},
		{name: "another refusal", rest: true, capture: func(n *network) {
			s := newSession(n)
			s.found(joinerIP)
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", &wire.AddForwardReply{Error: wire.ErrNoNewPlayers})
		}},
		{name: "the right one", capture: func(n *network) {
			s := newSession(n)
			s.desc.Flags = wire.SessionPasswordRequired
			s.join(joinerIP, 0x100)
		}},
	}
}

// refusedPlayer is a session with flags, whose host gives a machine that is in it no player.
func refusedPlayer(flags wire.SessionFlags, why wire.HResult) func(*network) {
	return func(n *network) {
		s := newSession(n)
		s.desc.Flags, s.desc.MaxPlayers = flags, 1
		s.found(joinerIP)
		s.request(joinerIP, 0x100)
		s.toldBy(joinerIP+":2300", s.list())
		s.tell(joinerIP, &wire.RequestPlayerID{})
		s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: why})
	}
}

// offering is a live examination that found sessions.
func offering(list ...LiveOffer) *Live {
	for i := range list {
		list[i].Host, list[i].App, list[i].Version = netip.MustParseAddrPort(hostIP+":2300"), thisGame, wire.DX9
		list[i].Instance = wire.GUID{byte(i)}
	}
	host := netip.MustParseAddr(hostIP)
	return &Live{Host: host, App: thisGame, Ways: []Way{{Transport: captures.UDP, Offers: list}, {Transport: captures.TCP, Offers: list}}}
}

// retried is a session whose host refuses a machine a few times, and then, if it does, lets it in.
func retried(times int, why wire.HResult, in bool) func(*network) {
	return func(n *network) {
		s := newSession(n)
		s.found(joinerIP)
		for range times {
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: why})
		}
		if in {
			s.request(joinerIP, 0x100)
			s.toldBy(joinerIP+":2300", s.list())
		}
	}
}

// TestNotes checks what a live verdict says beside the findings.
func TestNotes(t *testing.T) {
	locked := LiveOffer{Name: "A", Flags: wire.SessionPasswordRequired}
	second := locked
	second.Name = "B"
	const healthy = "healthy: nothing was found that stands in the way of a game"
	assert.Equal(t, healthy+`; the session "A" of `+hostIP+" wants a password", ExamineLive(offering(locked)).Verdict())
	assert.Equal(t, healthy+`; the session "A" of `+hostIP+` and the session "B" of `+hostIP+" want a password", ExamineLive(offering(locked, second)).Verdict())
	assert.Equal(t, healthy+"; 4 sessions want a password", ExamineLive(offering(locked, locked, locked, locked)).Verdict())
	port := Port{Transport: captures.UDP, Number: 47624, Err: "address already in use", Hosts: "Mine"}
	assert.Equal(t, healthy+`; this machine hosts "Mine"`, ExamineLive(&Live{Ports: []Port{port, port}}).Verdict())
	own := offering(LiveOffer{Name: "Own"})
	own.Adapters = []Adapter{card("eth0", hostIP+"/24")}
	own.Ports = []Port{{Transport: captures.UDP, Number: 47624, Err: "address already in use"}}
	assert.Equal(t, healthy+`; this machine hosts "Own"`, ExamineLive(own).Verdict())
	full := offering(LiveOffer{Name: "A", Flags: wire.SessionPasswordRequired, Players: 4, Max: 4})
	full.Ports = []Port{port}
	assert.Equal(t, `1 finding: the session "A" of `+hostIP+` is full: 4 of 4 players; this machine hosts "Mine"`, ExamineLive(full).Verdict())
}

func init() {
	examples["session-full"] = []example{
		{name: "no player", want: []string{joinerIP + ` got no player in the session "Test": the session is full`},
			shows:   []string{"REQUESTPLAYERREPLY Result=DPERR_NONEWPLAYERS (0x8877014a)"},
			capture: refusedPlayer(wire.SessionMigrateHost, wire.ErrNoNewPlayers)},
		{name: "as Windows says of its own", want: []string{joinerIP + " got no player"}, capture: refusedPlayer(0, wire.ErrCantCreatePlayer)},
		{name: "no machine, below the limit", want: []string{joinerIP + ` was not let into the session "Test": the host takes no more players, though it says 1 of 8`},
			why: []string{"the host does not say why"}, capture: retried(1, wire.ErrNoNewPlayers, false)},
		{name: "no limit", want: []string{joinerIP + ` was not let into the session "Test": the host takes no more players, though it says that there is no limit`}, capture: func(n *network) {
			s := newSession(n)
			s.desc.MaxPlayers = 0
			s.found(joinerIP)
			s.tell(joinerIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(joinerIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers})
		}},
		{name: "full since the description", want: []string{thirdIP + ` was not let into the session "Test": the session is full`}, capture: func(n *network) {
			s := newSession(n)
			s.desc.MaxPlayers = 2
			s.found(thirdIP)
			s.join(joinerIP, 0x100)
			s.tell(thirdIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(thirdIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers})
		}},
		{name: "one left since", want: []string{thirdIP + ` was not let into the session "Test": the host takes no more players, though it says 1 of 2`}, capture: func(n *network) {
			s := newSession(n)
			s.desc.MaxPlayers = 2
			s.found(thirdIP)
			s.join(joinerIP, 0x100)
			for range 2 {
				s.tell(joinerIP, &wire.DeletePlayer{Player: 0x101})
			}
			s.tell(thirdIP, &wire.RequestPlayerID{Flags: wire.PlayerSystem})
			s.toldBy(thirdIP+":2300", &wire.RequestPlayerReply{Result: wire.ErrNoNewPlayers})
		}},
		{name: "several tries", want: []string{joinerIP + ` was not let into the session "Test": the host takes no more players, though it says 1 of 8 (3 tries)`},
			capture: retried(3, wire.ErrNoNewPlayers, false)},
		{name: "a player later", as: Warning, want: []string{joinerIP + ` ("player 257") got no player in the session "Test": the session is full; it got one at 0.0`},
			shows: []string{"REQUESTPLAYERREPLY =a later try went well"}, why: []string{"Nothing: a later try went well."}, capture: func(n *network) {
				refusedPlayer(0, wire.ErrNoNewPlayers)(n)
				newSession(n).player(joinerIP, 0x100)
			}},
		{name: "live", live: offering(LiveOffer{Name: "A", Players: 4, Max: 4}), want: []string{`the session "A" of ` + hostIP + " is full: 4 of 4 players"},
			shows: []string{"ENUMSESSIONSREPLY CurrentPlayerCount=4 of 4"}},
		{name: "live, beside an open one", as: Warning, live: offering(LiveOffer{Name: "A", Players: 4, Max: 4}, LiveOffer{Name: "B"}), want: []string{`the session "A"`}},
		{name: "live, room", live: offering(LiveOffer{Players: 3, Max: 4}, LiveOffer{Players: 900})},
		{name: "live, another game", live: &Live{App: otherGame, Ways: offering(LiveOffer{Players: 4, Max: 4}).Ways}, rest: true},
		{name: "closed", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrNoNewPlayers)},
		{name: "no new players", rest: true, capture: refusedPlayer(wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
	}
}

func init() {
	examples["join-disabled"] = []example{
		{name: "live", live: offering(LiveOffer{Name: "A", Flags: wire.SessionJoinDisabled | wire.SessionNewPlayersDisabled, Players: 4, Max: 4}),
			want: []string{`the session "A" of ` + hostIP + " is closed: the host lets nobody join any more"}, shows: []string{"ENUMSESSIONSREPLY Flags="}},
		{name: "live, open", live: offering(LiveOffer{Flags: wire.SessionMigrateHost})},
		{name: "closed", want: []string{joinerIP + ` got no player in the session "Test": the host lets nobody join any more`},
			capture: refusedPlayer(wire.SessionJoinDisabled|wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
		{name: "another reason", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrInvalidPassword)},
	}
}

func init() {
	examples["new-players-disabled"] = []example{
		{name: "live", live: offering(LiveOffer{Name: "A", Flags: wire.SessionNewPlayersDisabled, Players: 4, Max: 4}),
			want: []string{`the session "A" of ` + hostIP + " takes no new players"}, shows: []string{"ENUMSESSIONSREPLY Flags="}},
		{name: "live, open", live: offering(LiveOffer{Flags: wire.SessionMigrateHost})},
		{name: "no new players", want: []string{joinerIP + ` got no player in the session "Test": the host takes no new players`},
			capture: refusedPlayer(wire.SessionNewPlayersDisabled, wire.ErrNoNewPlayers)},
		{name: "full", rest: true, capture: refusedPlayer(0, wire.ErrNoNewPlayers)},
		{name: "closed", rest: true, capture: refusedPlayer(wire.SessionJoinDisabled, wire.ErrNoNewPlayers)},
	}
}
