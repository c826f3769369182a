package playerlist

import "dplay4/wire"

// EnumPlayersReply gives the list as the message that ends a join in a client/server session (2.2.28); shortcuts
// do not fit in it. Nothing in the message is shared with the list.
func (l *List) EnumPlayersReply(v View) *wire.EnumPlayersReply {
	s := l.Session()
	players, groups := l.view(v)
	m := &wire.EnumPlayersReply{Desc: s.Desc, Name: s.Name, Password: s.Password}
	if len(players) > 0 {
		m.Players = make([]wire.PackedPlayer, len(players))
	}
	for i, r := range players {
		m.Players[i] = l.packed(r, v.Sender)
	}
	if len(groups) > 0 {
		m.Groups = make([]wire.PackedPlayer, len(groups))
	}
	for i, r := range groups {
		m.Groups[i] = l.packed(r, v.Sender)
		m.Groups[i].PlayerIDs = l.keptIDs(v, r.group.members)
		m.Groups[i].Parent = l.keptParent(v, r)
	}
	return m
}
