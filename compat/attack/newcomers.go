package main

import (
	"errors"
	"time"

	"dplay4/wire"
)

// enterDeaf makes the attacker a member that reads nothing any more, and so acknowledges no newcomer.
func (x *striker) enterDeaf() (err error) {
	o := x.options(200)
	network := &muted{shut: make(chan struct{})}
	o.Network = network
	x.session, x.machine, err = x.join(o, "Attacker", nil, nil)
	close(network.shut)
	return err
}

// wrongAcks acknowledges newcomers that there are not. A member that wrote its own id would acknowledge those that there are.
// The host may close the connection for it: then it calls again.
func (x *striker) wrongAcks() error {
	c := x.call(x.at(0), x.Host.Stream)
	if c == nil {
		return errors.New("no connection to the host")
	}
	defer func() {
		if c != nil {
			c.Close()
		}
	}()
	for n := wire.PlayerID(1); x.pause(everyMoment); n++ {
		if c == nil {
			c = x.call(x.at(0), x.Host.Stream)
		}
		for _, id := range []wire.PlayerID{n, x.Host.System, x.Control.System} {
			if c == nil {
				break
			}
			if _, err := c.Write(octets(port(x.Stream.Port()), &wire.AddForwardAck{ID: id})); err != nil {
				c.Close()
				c = nil
				break
			}
			x.attempts.Add(1)
		}
	}
	return nil
}

const (
	quietOf    = 25 // machines
	quietEvery = 200 * time.Millisecond
)

// quietNewcomers has machines of one address join at the same time as others do. Each reads nothing any more once it is in.
func (x *striker) quietNewcomers() error {
	for range quietOf {
		go func() {
			o := x.options(200)
			network := &muted{shut: make(chan struct{})}
			o.Network = network
			if _, _, err := x.join(o, "Attacker", nil, nil); err == nil {
				close(network.shut)
				x.attempts.Add(1)
			}
		}()
		if !x.pause(quietEvery) {
			break
		}
	}
	return nil
}
