package main

import (
	"errors"
	"time"

	"dplay4/wire"
)

// enterDeaf makes the attacker a member that reads nothing any more, and so acknowledges no newcomer.
func (x *striker) enterDeaf() error {
	shut := make(chan struct{})
	defer close(shut)
	return x.enterBy(muted(shut), "Attacker", ignored)
}

// wrongAcks acknowledges newcomers that there are not. A member that wrote its own id would acknowledge those that there are.
// The host may close the connection for it: then it calls again.
func (x *striker) wrongAcks() error {
	c := x.call(x.at(0), x.Host.Stream)
	if c == nil {
		return errors.New("no connection to the host")
	}
	for n := wire.PlayerID(1); x.pause(everyMoment); n++ {
		acks := octets(port(x.Stream.Port()), &wire.AddForwardAck{ID: n}, &wire.AddForwardAck{ID: x.Host.System},
			&wire.AddForwardAck{ID: x.Control.System})
		if c == nil {
			c = x.call(x.at(0), x.Host.Stream)
			continue
		}
		if _, err := c.Write(acks); err != nil {
			c.Close()
			c = nil
			continue
		}
		x.attempts.Add(3)
	}
	if c != nil {
		c.Close()
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
			o, shut := x.options(200), make(chan struct{})
			o.Network = &wrapped{wrap: muted(shut)}
			if _, _, err := x.join(o, "Attacker", nil, ignored); err == nil {
				close(shut)
				x.attempts.Add(1)
			}
		}()
		if !x.pause(quietEvery) {
			break
		}
	}
	return nil
}
