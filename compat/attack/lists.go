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
		s, _, err := x.join(x.options(200), "Attacker", nil, nil)
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
	network := &muted{shut: make(chan struct{})}
	defer close(network.shut)
	for i := range unreadOf {
		o := x.options(200 + i)
		o.Network = network
		s, m, err := x.join(o, "Attacker", make([]byte, unreadData), nil)
		if err != nil {
			return err
		}
		x.sessions, x.others = append(x.sessions, s), append(x.others, m)
	}
	return nil
}

// unread has each of them ask for the list.
func (x *striker) unread() error {
	done := make(chan error, len(x.others))
	for i, m := range x.others {
		go func() {
			c := x.call(x.at(i), x.Host.Stream)
			if c == nil {
				done <- fmt.Errorf("no connection from %v", x.at(i))
				return
			}
			defer c.Close()
			ask := octets(port(m.Stream.Port()), &wire.EnumPlayer{})
			for x.pause(unreadEvery) {
				if _, err := c.Write(ask); err != nil {
					break // the host has given the member up
				}
				x.attempts.Add(1)
			}
			done <- nil
		}()
	}
	for range x.others {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
		case <-x.end: // the rest wait for the host to read
			return nil
		}
	}
	return nil
}

// crowd is members that do nothing.
func (r *role) crowd() error {
	a, err := r.attack()
	if err != nil {
		return err
	}
	x := &striker{role: r}
	var all []*sock.Session
	for i := range a.in.crowd {
		s, _, err := x.join(r.options(10+i), "Crowd", nil, nil)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	r.out.Encode(struct{}{})
	<-r.end
	r.out.Encode(account{})
	<-r.ctx.Done()
	for _, s := range all {
		s.Close()
	}
	return nil
}
