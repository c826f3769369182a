package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// sessionRate measures a session: the host's player sends to everybody, each member has one player.
func sessionRate(guaranteed bool, members int, d time.Duration) (float64, error) {
	ctx := context.Background()
	var group sync.WaitGroup
	defer group.Wait()
	h, found, err := open(ctx)
	if err != nil {
		return 0, err
	}
	defer h.Close()
	from, err := h.CreatePlayer(ctx, "Sender", nil)
	if err != nil {
		return 0, err
	}
	m := newMeter(members)
	for i := range members {
		j, err := join(ctx, i, found)
		if err != nil {
			return 0, err
		}
		defer j.Close()
		if _, err := j.CreatePlayer(ctx, dpsp.Text(fmt.Sprint("Receiver ", i+1)), nil); err != nil {
			return 0, err
		}
		group.Go(func() {
			for e := range j.Events() {
				if _, ok := e.(dpsp.Message); ok {
					m.count(i)
				}
			}
		})
	}
	for n := 0; n < members+1; { // until the host knows all players, or its messages go to nobody
		e, ok := <-h.Events()
		if !ok {
			return 0, sock.ErrClosed
		}
		if _, ok := e.(dpsp.PlayerCreated); ok {
			n++
		}
	}
	group.Go(func() {
		for range h.Events() {
		}
	})
	payload := make([]byte, payloadSize)
	return m.run(guaranteed, d, func() error { return h.Send(ctx, from, wire.IDAll, payload, guaranteed) })
}
