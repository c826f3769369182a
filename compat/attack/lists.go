package main

import (
	"fmt"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

func (x *striker) fillList() error {
	data := make([]byte, 60000)
	for i := range 40 {
		if _, err := x.session.CreatePlayer(x.ctx, dpsp.Text(fmt.Sprint("Full ", i)), data); err != nil {
			return nil // it is refused, as it should be
		}
		x.attempts.Add(1)
	}
	return nil
}

// enterNine makes nine machines of one address members.
func (x *striker) enterNine() error {
	for range 9 {
		s, _, err := x.join(x.options(200), "Attacker", nil, ignored)
		if err != nil {
			return err
		}
		x.sessions = append(x.sessions, s)
	}
	return nil
}

// fillListMany makes players with 127 kB of data in all on each machine, nearly as much as one machine may have.
func (x *striker) fillListMany() error {
	for _, s := range x.sessions {
		for _, size := range []int{60000, 60000, 7000} {
			if _, err := s.CreatePlayer(x.ctx, "Full", make([]byte, size)); err != nil {
				break // it is refused, as it should be
			}
			x.attempts.Add(1)
		}
	}
	return nil
}

// objects makes as many objects as a session may have, and leaves: they go to the other members.
func (x *striker) objects() error {
	state := make([]byte, 60000)
	for range 559 {
		for x.session.Pressed() && x.pause(time.Millisecond) {
		}
		if _, err := x.session.CreateObject(x.ctx, state); err != nil || !x.on() {
			break // it is refused, as it should be
		}
		x.attempts.Add(1)
	}
	return x.session.Leave(x.ctx)
}

const (
	unreadOf    = 40   // machines
	unreadData  = 8000 // octets of each one's player
	unreadEvery = 5 * time.Millisecond
)

// enterUnread makes machines members that read nothing any more once all are in.
func (x *striker) enterUnread() error {
	shut := make(chan struct{})
	defer close(shut)
	for i := range unreadOf {
		o := x.options(200 + i)
		o.Network = &wrapped{wrap: muted(shut)}
		s, m, err := x.join(o, "Attacker", make([]byte, unreadData), ignored)
		if err != nil {
			return err
		}
		x.sessions, x.others = append(x.sessions, s), append(x.others, m)
	}
	return nil
}

// unread has each of them ask for the list.
func (x *striker) unread() error {
	return x.together(len(x.others), func(i int) error {
		c := x.call(x.at(i), x.Host.Stream)
		if c == nil {
			return fmt.Errorf("no connection from %v", x.at(i))
		}
		defer c.Close()
		ask := octets(port(x.others[i].Stream.Port()), &wire.EnumPlayer{})
		for x.pause(unreadEvery) {
			if _, err := c.Write(ask); err != nil {
				break // the host has given the member up
			}
			x.attempts.Add(1)
		}
		return nil
	})
}

// crowd is members that do nothing.
func (r *role) crowd() error {
	x := &striker{role: r}
	var all []*sock.Session
	for i := range r.attack.in.crowd {
		s, _, err := x.join(r.options(10+i), "Crowd", nil, ignored)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	err := r.serve(struct{}{}, func() {}, func() account { return account{} })
	for _, s := range all {
		s.Close()
	}
	return err
}
