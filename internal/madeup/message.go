package madeup

import (
	"net/netip"

	"dplay4/wire"
)

// System encodes a system message of a machine that listens on a TCP port. Its header leaves the address to the receiver.
func System(port uint16, m wire.Message) []byte { return SystemOf(wire.DX9, "0.0.0.0", port, m) }

// SystemOf does so in a dialect, with an address in the header.
func SystemOf(v wire.Dialect, addr string, port uint16, m wire.Message) []byte {
	return Encode(wire.Envelope{HasSP: true, SP: header(addr, port), Version: v, Message: m})
}

// Game encodes a game message with a header, as it travels on TCP.
func Game(port uint16, from, to wire.PlayerID, payload string) []byte {
	return Encode(wire.Envelope{HasSP: true, SP: header("0.0.0.0", port),
		Message: &wire.PlayerMessage{From: from, To: to, Payload: []byte(payload)}})
}

// Bare encodes a game message without a header, as it travels on UDP.
func Bare(from, to wire.PlayerID, payload string) []byte {
	return Message(&wire.PlayerMessage{From: from, To: to, Payload: []byte(payload)})
}

// Message encodes a message without a header, as fragments and reliable frames carry it.
func Message(m wire.Message) []byte { return Encode(wire.Envelope{Version: wire.DX9, Message: m}) }

// Encode encodes a message.
func Encode(e wire.Envelope) []byte {
	b, err := e.Append(nil)
	if err != nil {
		panic(err)
	}
	return b
}

func header(addr string, port uint16) wire.SPHeader {
	return wire.SPHeader{SockAddr: SockAddr(netip.AddrPortFrom(netip.MustParseAddr(addr), port).String())}
}

// SockAddr is a socket as messages have it.
func SockAddr(socket string) wire.SockAddr {
	at := netip.MustParseAddrPort(socket)
	return wire.SockAddr{Family: wire.FamilyINet, Port: at.Port(), Addr: at.Addr().As4()}
}

// SPData is the service provider data of a player whose machine listens on two sockets.
func SPData(tcp, udp string) []byte {
	return wire.SPData{Stream: SockAddr(tcp), Datagram: SockAddr(udp)}.Append(nil)
}
