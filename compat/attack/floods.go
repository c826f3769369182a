package main

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"

	"dplay4/dpsp"
	"dplay4/wire"
)

// flood says the same over a connection at full rate, as the member that the attacker is, to each of some machines.
func (x *striker) flood(b []byte, to ...netip.AddrPort) error {
	done := make(chan error, len(to))
	for _, at := range to {
		go func() {
			c := x.call(x.at(0), at)
			if c == nil {
				done <- fmt.Errorf("no connection to %v", at)
				return
			}
			defer c.Close()
			for x.on() {
				if _, err := c.Write(b); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range to {
		select {
		case err := <-done:
			if err != nil && x.on() {
				return err
			}
		case <-x.end: // the rest wait for somebody to read
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

func (x *striker) floodDatagrams() error {
	c, err := datagrams(x.at(0))
	if err != nil {
		return err
	}
	defer c.Close()
	b, err := wire.AppendPlayerMessage(nil, &wire.PlayerMessage{From: x.Player, To: x.Host.Player,
		Payload: bytes.Repeat([]byte{'.'}, 64)})
	if err != nil {
		return err
	}
	for x.on() {
		for range 64 {
			c.WriteToUDPAddrPort(b, x.Host.Datagram)
			x.attempts++
		}
	}
	return nil
}

func (x *striker) fillList() error {
	data := make([]byte, 60000)
	for i := range 40 {
		if _, err := x.session.CreatePlayer(x.ctx, dpsp.Text(fmt.Sprint("Full ", i)), data); err != nil {
			return nil // it is refused, as it should be
		}
		x.attempts++
	}
	return nil
}
