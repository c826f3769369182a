package replay

import (
	"fmt"
	"net/netip"

	"dplay4/dpsp"
	"dplay4/wire"
)

// role says what a machine was in its session when the capture met it.
func (m *machine) role() Role {
	role := Unknown
	for _, msg := range m.says {
		switch b := msg.env.Message.(type) {
		case *wire.EnumSessionsReply, *wire.RequestPlayerReply, *wire.SuperEnumPlayersReply, *wire.EnumPlayersReply:
			return Host
		case *wire.RequestPlayerID:
			if b.Flags&wire.PlayerSystem != 0 {
				return Joiner
			}
			return role
		case *wire.EnumSessions, *wire.EnumPlayer:
			role = Joiner
		default:
			return role
		}
	}
	return role
}

// unplayable says why a machine cannot be replayed, "" if it can. A machine that is host has to be seen from the first
// member on, or its list is another one from the beginning. One that uses the extension answers what the others say to
// it, so all of that has to be there; one that does not, mostly answers its host.
func (m *machine) unplayable(role Role) string {
	switch {
	case m.hasTable():
		return "it is of a release before views, and says to others of its kind what this one does not know"
	case role == Unknown:
		return "how it came into its session is not in the capture"
	case role == Host:
		if id, ok := m.unknownMember(); ok {
			return fmt.Sprintf("how %s, a member that it lists, came into the session is not in the capture", id)
		}
	case m.modern:
		if other := m.unseenMember(); other.IsValid() {
			return fmt.Sprintf("what it and the member at %s said to each other is not in the capture", other)
		}
	}
	return ""
}

// hasTable reports whether a machine sent messages of the extension that views replaced.
func (m *machine) hasTable() bool {
	for _, x := range bodies[*wire.Extension](m.says) {
		if x.Kind >= wire.KindTable && x.Kind <= wire.KindFormers {
			return true
		}
	}
	return false
}

// unknownMember returns a machine that a host announces or lists, and that did not ask it for admission in the capture.
func (m *machine) unknownMember() (id wire.PlayerID, ok bool) {
	admitted := map[wire.PlayerID]bool{}
	for _, msg := range m.traffic {
		switch b := msg.env.Message.(type) {
		case *wire.AddForwardRequest:
			admitted[b.Player] = true
		case *wire.Extension: // JOIN of a view asks for admission as well
			admitted[b.From] = true
		case *wire.SuperEnumPlayersReply:
			if msg.from != m {
				return 0, false // it is no longer host, or was none
			}
		}
		for _, p := range membersIn(msg.env.Message) {
			if msg.from == m && p.Flags&wire.PlayerNameServer == 0 && !admitted[p.ID] {
				return p.ID, true
			}
		}
	}
	return 0, false
}

// membersIn returns the system players that a message announces or lists.
func membersIn(m wire.Message) (all []wire.SuperPackedPlayer) {
	switch b := m.(type) {
	case *wire.SuperEnumPlayersReply:
		for _, p := range b.Players {
			if p.Flags&wire.PlayerSystem != 0 {
				all = append(all, p)
			}
		}
	case *wire.AddForward:
		all = append(all, wire.SuperPackedPlayer{ID: b.Player, SPData: b.Info.SPData})
	}
	return all
}

// unseenMember returns the listener of another member that a joiner received, with whom it exchanges nothing in the capture;
// an invalid one if there is none.
func (m *machine) unseenMember() (listener netip.AddrPort) {
	for _, msg := range m.traffic {
		for _, p := range membersIn(msg.env.Message) {
			sp, ok := wire.ParseSPData(p.SPData)
			if !ok || sp.Stream.Addr == [4]byte{} { // the address is the sender's
				continue
			}
			at := netip.AddrPortFrom(netip.AddrFrom4(sp.Stream.Addr), sp.Stream.Port)
			if msg.from != m && at != m.listener && !m.met[at] {
				return at
			}
		}
	}
	return listener
}

// unseen reports whether a message of ours goes to a machine that the capture never shows this one with.
func (p *player) unseen(s *message) bool {
	if s.dst.Port() == dpsp.EnumPort {
		return false
	}
	if m := p.c.machineAt(s.dst); m != nil {
		return !p.m.met[m.listener]
	}
	return !p.m.met[s.dst]
}
