package playerlist

import "dplay4/wire"

// InstructConnect tells members to connect to a system player. It changes nothing, but [MC-DPL8CS] 2.2.6 counts it
// among the operations of the name table, so it takes a number.
type InstructConnect struct{ ID wire.PlayerID }

func (o InstructConnect) check(l *List) error { return l.checkSystem("InstructConnect", o.ID) }

func (o InstructConnect) keep(*List) Op { return o }

func (o InstructConnect) do(*List) {}

func (o InstructConnect) octets() int { return 0 }
