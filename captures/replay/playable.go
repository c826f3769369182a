package replay

import (
	"fmt"
	"slices"

	"dplay4/dpsp"
	"dplay4/wire"
)

// role says what a machine was in its session when the capture met it.
func (c *Capture) role(m *machine) Role {
	role := Unknown
	for _, msg := range m.traffic {
		if msg.from != m {
			continue
		}
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
func (c *Capture) unplayable(m *machine, role Role) string {
	switch {
	case c.hasTable(m):
		return "it is of a release before views, and says to others of its kind what this one does not know"
	case role == Unknown:
		return "how it came into its session is not in the capture"
	case role == Host:
		if id, ok := c.unknownMember(m); ok {
			return fmt.Sprintf("how %s, a member that it lists, came into the session is not in the capture", id)
		}
	case m.modern:
		if other := c.unseenMember(m); other != "" {
			return "what it and the member at " + other + " said to each other is not in the capture"
		}
	}
	return ""
}

// hasTable reports whether a machine sent messages of the extension that views replaced.
func (c *Capture) hasTable(m *machine) bool {
	return slices.ContainsFunc(m.traffic, func(msg *message) bool {
		x, ok := msg.env.Message.(*wire.Extension)
		return ok && msg.from == m && x.Kind >= wire.KindTable && x.Kind <= wire.KindFormers
	})
}

// unknownMember returns a machine that a host tells of and that did not ask it for admission in the capture.
func (c *Capture) unknownMember(m *machine) (wire.PlayerID, bool) {
	admitted := map[wire.PlayerID]bool{}
	for _, msg := range m.traffic {
		switch b := msg.env.Message.(type) {
		case *wire.AddForwardRequest:
			admitted[b.Player] = true
		case *wire.Extension: // JOIN of a view asks for admission as well
			admitted[b.From] = true
		case *wire.AddForward:
			if msg.from == m && !admitted[b.Player] {
				return b.Player, true
			}
		case *wire.SuperEnumPlayersReply:
			if msg.from != m {
				return 0, false // it is no longer host, or was none
			}
			for i := range b.Players {
				const host = wire.PlayerNameServer
				if p := &b.Players[i]; p.Flags&wire.PlayerSystem != 0 && p.Flags&host == 0 && !admitted[p.ID] {
					return p.ID, true
				}
			}
		}
	}
	return 0, false
}

// unseenMember returns the listener of another member that a joiner was told of, with whom it exchanges nothing in the
// capture; "" if there is none.
func (c *Capture) unseenMember(m *machine) string {
	for _, msg := range m.traffic {
		if msg.from == m {
			continue
		}
		switch b := msg.env.Message.(type) {
		case *wire.SuperEnumPlayersReply:
			for i := range b.Players {
				if p := &b.Players[i]; p.Flags&wire.PlayerSystem != 0 && m.unmet(p.SPData) {
					return listenerOf(p.SPData)
				}
			}
		case *wire.AddForward:
			if m.unmet(b.Info.SPData) {
				return listenerOf(b.Info.SPData)
			}
		}
	}
	return ""
}

// unmet reports whether service provider data names another machine that this one exchanges nothing with.
func (m *machine) unmet(data []byte) bool {
	at := listenerOf(data)
	return at != "" && at != m.listener.String() && !m.met[at]
}

// listenerOf returns the TCP socket in service provider data, "" if it says no address: then it is the sender's.
func listenerOf(data []byte) string {
	sp, ok := wire.ParseSPData(data)
	if !ok || sp.Stream.Addr == [4]byte{} {
		return ""
	}
	return sp.Stream.String()
}

// unseen reports whether a message of ours goes to a machine that the capture never shows this one with.
func (p *player) unseen(s *message) bool {
	if s.dst.Port() == dpsp.EnumPort {
		return false
	}
	at := s.dst.String()
	if m := p.machineAt(s.dst); m != nil && s.dst != m.listener {
		at = m.listener.String() // a UDP socket
	}
	return !p.m.met[at]
}
