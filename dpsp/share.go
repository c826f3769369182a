package dpsp

import (
	"net/netip"

	"dplay4/dpsp/internal/share"
	"dplay4/playerlist"
	"dplay4/wire"
)

// ErrShare says that a machine's players and groups would take more of the list than one machine may have.
var ErrShare = share.Err

// share returns an error, which is ErrShare, for a change that makes what somebody has of the list larger than its share: what a
// machine has and, if we are the host, what the machines of an address have, and all machines.
func (s *sessionState) share(op playerlist.Op) error {
	if err := share.Own(s.list, op); err != nil || !s.hosting() {
		return err
	}
	system, octets, newcomer := share.Growth(s.list, op)
	switch {
	case octets <= 0 || newcomer:
		return nil // requestAdmission sees to newcomers
	case s.list.SuperSize()+octets > share.MaxAll:
		return share.ErrAll
	}
	if p := s.peerByID(system); p != nil && s.sharedAt(p.source())+octets > share.MaxAddress {
		return share.ErrAddress
	}
	return nil
}

// room returns the judge of changes that members ask the leader for. It judges as share does for a host. A change that is within the shares
// counts for the next one, because it is made then. An address is the one from which a machine's messages come or, of a machine
// that is no peer, that of its listener.
func room(e *sender) func(*playerlist.List) func(playerlist.Op) bool {
	at := func(system wire.PlayerID, sp []byte) netip.Addr {
		if p := e.peerByID(system); p != nil {
			return p.source()
		}
		d, _ := wire.ParseSPData(sp)
		return resolve(d.Stream, netip.Addr{}).Addr()
	}
	return func(list *playerlist.List) func(playerlist.Op) bool {
		judge, told := share.Judge(list, e.self, at), false
		return func(op playerlist.Op) bool {
			from, err := judge(op)
			if err != nil && !told { // once for a message
				told = true
				system, _, _ := share.Growth(list, op)
				e.drop(origin{from: netip.AddrPortFrom(from, 0)}, "EXTENSION VIEW", LimitReached, system.String()+" has its share: "+err.Error())
			}
			return err == nil
		}
	}
}

// sharedAt returns what the machines of an address have of the list, without us: a host trusts its own program. It returns 0 for
// share.Bridge.
func (s *sessionState) sharedAt(ip netip.Addr) (octets int) {
	if ip == share.Bridge {
		return 0
	}
	for _, p := range s.peers.all {
		if p.source() == ip {
			octets += share.Of(s.list, p.system)
		}
	}
	return octets
}

// source returns the address that counts for what a machine has: the one that its connections come from, which is hard to forge.
func (m *peer) source() netip.Addr {
	if m.seen.IsValid() {
		return m.seen
	}
	return m.stream.Addr()
}

// site returns the address of a peer for the table of objects. It returns the id of a machine that is no peer or has share.Bridge.
func (s *sessionState) site(system wire.PlayerID) any {
	if p := s.peerByID(system); p != nil && p.source() != share.Bridge {
		return p.source()
	}
	return system
}

// applyShared is apply for what has to stay within the shares.
func (e *Engine) applyShared(op playerlist.Op) error {
	if err := e.share(op); err != nil {
		return err
	}
	return e.apply(op)
}

// refuseShare drops what another machine made beyond a share, why says which. As the host we say that it is gone again, to its owner
// and to those who may have taken it: other peers of ours refuse themselves what is beyond its owner's share.
func (s *sender) refuseShare(o origin, name string, gone wire.Message, owner wire.PlayerID, why error) {
	s.drop(o, name, LimitReached, owner.String()+" has its share: "+why.Error())
	if !s.hosting() {
		return
	}
	for _, p := range s.peers.all {
		if p.system == owner || !p.modern || why != ErrShare {
			s.sendTCP(p.stream, gone)
		}
	}
}
