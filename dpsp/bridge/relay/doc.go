// Package relay is a server by which machines reach each other that NATs keep apart: a standard TURN server (RFC 8656) over
// UDP, TCP and TLS, whose relayed addresses are no sockets but entries of a table in memory. What an allocation sends goes
// to another allocation of the same relay or nowhere. So the relay cannot be aimed at anybody, needs no ports but those that it
// listens on, and works behind the 1:1 NAT of a cloud.
//
// # Users
//
// Credentials are those of coturn's use-auth-secret, see package code. An allocation whose user carries a tag gets the first of
// the tag's ports that no other tag has, and takes it over from an older allocation with the whole same tag: so its address is
// the same from whichever machine it is made, and after the relay began anew.
//
// # Kinds of NAT
//
// Binding requests need no credentials. At the alternate port, the next one, nothing else is answered: whoever sees another
// mapped address there than at the main port, asking from one socket, is behind a symmetric NAT. The request may ask for an
// answer from the other port by CHANGE-REQUEST (RFC 5780); whoever gets it lets in whom he has not called. Answers carry
// OTHER-ADDRESS.
//
// # Strangers
//
// Who has no allocation gets answers to Binding and Allocate requests, and the word that he has none to others: a limited number
// a second for each address and in all. Of what is answered to the source of a datagram, made up or not, little can be left out:
// 44 octets for a Binding request of 20, 28 for others of 20, 68 for an Allocate request of 28. With the headers of IP and UDP
// that is 1.8 times as much at most. All else of theirs is dropped before it costs anything.
//
// Those whose address may be made up have a limit of their own, of which each address has a share: a flood from many takes
// nothing from who comes over TCP or TLS, or from an address with allocations, and little from others. Over UDP an allocation is
// made only for an address that got what was sent to it.
package relay
