package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// meet has the other machines join, in order of their addresses, and waits until each heard each other one.
func (r round) meet(ctx context.Context) (members []*sock.Session, err error) {
	var found sock.Found
	var players []wire.PlayerID
	for i := 1; i < len(r.at); i++ {
		m, err := join(ctx, r.options(i), r.at[0], &found)
		if err != nil {
			return members, err
		}
		members = append(members, m)
		id, err := m.CreatePlayer(ctx, dpsp.Text(fmt.Sprint("Player ", i)), nil)
		if err != nil {
			return members, err
		}
		players = append(players, id)
	}
	for _, m := range members {
		knows := map[wire.PlayerID]bool{}
		if _, _, err := until(ctx, m, func(e dpsp.Event) bool {
			if p, ok := e.(dpsp.PlayerCreated); ok {
				knows[p.ID] = true
			}
			return len(knows) == len(players)
		}); err != nil {
			return members, fmt.Errorf("members do not know each other: %w", err)
		}
	}
	return members, talk(ctx, members, players)
}

// talk has everybody say something to all others: what they said before, such as hello, is heard then.
func talk(ctx context.Context, members []*sock.Session, players []wire.PlayerID) error {
	for i, m := range members {
		if err := m.Send(ctx, players[i], wire.IDAll, []byte("here"), true); err != nil {
			return err
		}
	}
	if len(members) == 1 {
		return nil
	}
	for _, m := range members {
		heard := map[wire.PlayerID]bool{}
		if _, _, err := until(ctx, m, func(e dpsp.Event) bool {
			if p, ok := e.(dpsp.Message); ok {
				heard[p.From] = true
			}
			return len(heard) == len(players)-1
		}); err != nil {
			return fmt.Errorf("members do not hear each other: %w", err)
		}
	}
	return nil
}

// until returns the first event that matches, and when it was read.
func until(ctx context.Context, m *sock.Session, match func(dpsp.Event) bool) (dpsp.Event, time.Time, error) {
	for {
		select {
		case e, ok := <-m.Events():
			if !ok {
				return nil, time.Time{}, sock.ErrClosed
			}
			if lost, ok := e.(dpsp.SessionLost); ok {
				return nil, time.Time{}, errors.New("the session is lost: " + lost.Reason)
			}
			if match(e) {
				return e, time.Now(), nil
			}
		case <-ctx.Done():
			return nil, time.Time{}, context.Cause(ctx)
		}
	}
}
