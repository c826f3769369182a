// Package directplay is what a game sees of DirectPlay 4, without COM: the DirectPlay object, the lobby object, compound
// addresses and service providers. What calls it has copied the game's memory and hands it Go values; it answers with the
// result codes of the public interface, and with octets for the game's buffers.
//
// # The object
//
// An [Object] is one game's DirectPlay, whichever interface it asks for: what differs between 8-bit text and UTF-16, or
// pointers of 4 and 8 octets, is a [Face]. It has the sockets of package sock from the first search to Release, and one
// goroutine that reads the session's events and keeps who is in it; so what a game asks is answered from memory, and every
// method that changes the session returns when its own events were read. Methods may be called by any number of goroutines.
// Those that search or enter a session wait for the network, as long as the engine lets them; Release ends all of them.
//
// Messages for the players of this machine go into a [Sink]. Receive takes no lock but that of the [Queue]; a DLL with a queue
// in its own memory renders each message once for each face ([Message.Block]) and moves the pointers ([Block.Move]) when the
// game takes it.
//
// [Object.First] is the object as IDirectPlay shows it, the interface of DirectX 1 and 2, where methods have other arguments. A
// player that was made by it hears what DirectX 2 knew, in its shapes, by whichever interface the game receives.
//
// # What a game hears
//
//   - A player of this machine hears of everything but its own creation and destruction. Who was made last hears first.
//   - Without a host that takes over, the others' players are destroyed first, then comes DPSYS_SESSIONLOST. From then on a
//     message to anybody but our own players fails with DPERR_INVALIDPLAYER, which is what makes games give a player up.
//     Our players, their names and data stay until Close.
//   - DPSYS_HOST comes to whoever is host from then on.
//   - After Close, and before Open, ids are unknown, nothing waits to be received, and there is no session.
//   - With NODATAMESSAGES nobody hears of data.
//   - The number of players in a session's description is that of EnumPlayers, at any moment.
//   - Open with DPOPEN_RETURNSTATUS returns DPERR_CONNECTING only if a join takes longer than six seconds. Until the next Open returns
//     the result, the game can search as if it were in no session.
//
// # Not supported
//
// Secure sessions, which are answered as on a machine that has no security package, and accounts; lobby sessions, in which
// groups have owners and settings; modems, serial cables and IPX, which is answered by TCP/IP.
//
// # Sources
//
// Layouts and numbers are those of the public headers dplay.h and dplobby.h, as mingw-w64 has them. The order of checks and
// the codes are those that Wine's tests state for Windows. Where neither says anything the comment says what is guessed. What each
// flag does, and which fields change while a session lasts, stands in compat/facts/api.md; tests here read its tables.
package directplay
