package bench

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"dplay4/dpsp"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// sessionRate measures a session: the host's player sends to everybody, each member has one player.
func sessionRate(ctx context.Context, at netip.Addr, guaranteed bool, members int, d time.Duration) (float64, error) {
	var group sync.WaitGroup
	defer group.Wait()
	h, err := sock.Open(sock.Options{Bind: at})
	if err != nil {
		return 0, err
	}
	defer h.Close()
	if err := h.Host(ctx, dpsp.Host{Application: game, Name: "Benchmark"}); err != nil {
		return 0, err
	}
	from, err := h.CreatePlayer(ctx, "Sender", nil)
	if err != nil {
		return 0, err
	}
	m := newMeter(members)
	var found sock.Found
	for i := range members {
		j, err := join(ctx, joiner(at, i), at, &found)
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
	group.Go(func() { drain(h) })
	payload := make([]byte, payloadSize)
	return m.run(ctx, guaranteed, d, func() error { return h.Send(ctx, from, wire.IDAll, payload, guaranteed) })
}
