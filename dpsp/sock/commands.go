package sock

import (
	"context"
	"errors"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// Each command of package dpsp is a method of Session with its name, here, in objects.go or, what looks for sessions, in
// search.go.

// Do has the engine do a command with all its fields, such as dpsp.CreatePlayer with flags, and returns the id of the player or
// group that it makes, if it makes one. What dpsp.Enumerate and dpsp.EnumeratePlayers find, only the methods return.
func (s *Session) Do(ctx context.Context, c dpsp.Command) (wire.PlayerID, error) {
	r, err := s.request(ctx, c)
	return r.ID, err
}

// tell is Do for a command that makes nothing.
func (s *Session) tell(ctx context.Context, c dpsp.Command) error {
	_, err := s.request(ctx, c)
	return err
}

// Host opens a session of our own and answers enumerations for it. It fails where another process of the machine has
// the ports for that.
func (s *Session) Host(ctx context.Context, h dpsp.Host) error {
	if err := s.listing.enter(); err != nil {
		return err
	}
	defer s.listing.release()
	return s.tell(ctx, h)
}

// Join enters a session that Enumerate found. It fails with what the host says, an HResult, or with an error of package
// dpsp; then other sessions may be searched for and joined. If ctx ends before, the way into the session does as well.
func (s *Session) Join(ctx context.Context, at Found, password dpsp.Text) error {
	err := s.tell(ctx, dpsp.Join{
		Host: at.Host, From: at.From, Desc: at.Desc, Name: at.Name, Encoding: at.Encoding, Password: password,
	})
	if errors.Is(err, dpsp.ErrTimeout) {
		return s.loop.explained(err, at)
	}
	if err != nil && err == ctx.Err() {
		s.Leave(context.Background()) //nolint:errcheck // it is answered at once, in any state
	}
	return err
}

// goodbye is how long Leave waits for what it said to be handed to the system.
const goodbye = 500 * time.Millisecond

// Leave ends our part in the session: our players and groups are gone for the others. The sockets stay open, for another one.
// When it returns the system has our goodbye, but for a peer that takes nothing: programs end once they have left.
func (s *Session) Leave(ctx context.Context) error {
	all := s.loop.outbounds()
	if err := s.tell(ctx, dpsp.Leave{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, goodbye)
	defer cancel()
	for _, o := range append(all, s.loop.outbounds()...) { // those before may be closed by now, and write still
		select {
		case <-o.emptied():
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

// SetDesc changes the session's name, password, limit and flags, which only the host may.
func (s *Session) SetDesc(ctx context.Context, d dpsp.SetDesc) error { return s.tell(ctx, d) }

// CreatePlayer makes a player of ours and returns its id. One with flags, or with a long name that differs, goes through Do.
func (s *Session) CreatePlayer(ctx context.Context, name dpsp.Text, data []byte) (wire.PlayerID, error) {
	return s.Do(ctx, dpsp.CreatePlayer{ShortName: name, Data: data})
}

// DeletePlayer removes a player of ours.
func (s *Session) DeletePlayer(ctx context.Context, id wire.PlayerID) error {
	return s.tell(ctx, dpsp.DeletePlayer{ID: id})
}

// CreateGroup makes a group of ours and returns its id. One with flags, with a long name, or in another group goes through Do.
func (s *Session) CreateGroup(ctx context.Context, name dpsp.Text, data []byte) (wire.PlayerID, error) {
	return s.Do(ctx, dpsp.CreateGroup{ShortName: name, Data: data})
}

// DeleteGroup removes a group, whosever it is, with the groups that were created in it.
func (s *Session) DeleteGroup(ctx context.Context, id wire.PlayerID) error {
	return s.tell(ctx, dpsp.DeleteGroup{ID: id})
}

// SetName renames a player or group of ours. The long name is the short one if it is "".
func (s *Session) SetName(ctx context.Context, id wire.PlayerID, short, long dpsp.Text) error {
	return s.tell(ctx, dpsp.SetName{ID: id, ShortName: short, LongName: long})
}

// SetData changes the data of a player or group of ours.
func (s *Session) SetData(ctx context.Context, id wire.PlayerID, data []byte) error {
	return s.tell(ctx, dpsp.SetData{ID: id, Data: data})
}

// AddToGroup puts a player into a group, whosever they are.
func (s *Session) AddToGroup(ctx context.Context, player, group wire.PlayerID) error {
	return s.tell(ctx, dpsp.AddToGroup{Player: player, Group: group})
}

// RemoveFromGroup takes a player out of a group.
func (s *Session) RemoveFromGroup(ctx context.Context, player, group wire.PlayerID) error {
	return s.tell(ctx, dpsp.RemoveFromGroup{Player: player, Group: group})
}

// AddShortcut makes a group, child, visible in another one.
func (s *Session) AddShortcut(ctx context.Context, child, parent wire.PlayerID) error {
	return s.tell(ctx, dpsp.AddShortcut{Child: child, Parent: parent})
}

// RemoveShortcut takes a group, child, out of another one that it was made visible in.
func (s *Session) RemoveShortcut(ctx context.Context, child, parent wire.PlayerID) error {
	return s.tell(ctx, dpsp.RemoveShortcut{Child: child, Parent: parent})
}

// Send sends a game message from a player of ours to a player, a group, or everybody (wire.IDAll). It waits until the
// message is on its way, not until it arrived; payload is free again then.
func (s *Session) Send(ctx context.Context, from, to wire.PlayerID, payload []byte, guaranteed bool) error {
	return s.say(ctx, dpsp.Send{From: from, To: to, Payload: payload, Guaranteed: guaranteed})
}

// SendWith is Send with all that a message can have: a token to be told by whether it was delivered, a priority, a time-out. What
// became of it is a dpsp.Delivered event; how long that takes is said there. There is none if SendWith fails.
func (s *Session) SendWith(ctx context.Context, m dpsp.Send) error { return s.say(ctx, m) }

// Cancel gives up messages that still wait to be sent; dpsp.Delivered events say so. See dpsp.Cancel.
func (s *Session) Cancel(ctx context.Context, c dpsp.Cancel) error { return s.say(ctx, c) }

// Chat sends text from a player of ours, like Send.
func (s *Session) Chat(ctx context.Context, from, to wire.PlayerID, text dpsp.Text, guaranteed bool) error {
	return s.say(ctx, dpsp.Chat{From: from, To: to, Text: text, Guaranteed: guaranteed})
}

// say is tell for a command that is answered at once.
func (s *Session) say(ctx context.Context, c dpsp.Command) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.loop.command(c)
}
