package playerlist

import "dplay4/wire"

// DeletePlayer removes a player from the list and from all groups. A system player is refused while it owns
// anything: [List.Departed] gives the operations that remove a machine. If it was the host, there is none then.
type DeletePlayer struct{ ID wire.PlayerID }

func (o DeletePlayer) check(l *List) error {
	if err := l.checkPlayer("DeletePlayer", o.ID); err != nil {
		return err
	}
	if l.rows[o.ID].owned > 0 {
		return &OpError{"DeletePlayer", o.ID, ErrOwns}
	}
	return nil
}

func (o DeletePlayer) keep(*List) Op { return o }

func (o DeletePlayer) do(l *List) { l.remove(l.rows[o.ID]) }

func (o DeletePlayer) octets() int { return 0 }
