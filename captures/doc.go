// Package captures turns packet captures into DirectPlay 4 messages.
//
// Data takes one way through it:
//
//	file -> frames -> link layer, IP, fragments -> TCP streams | UDP datagrams -> messages -> Record
//
// [Read] does all of it for one file and hands each message to a function as a [Record]; what could not be
// read becomes a [Finding] with file, frame, offset and field, and reading goes on. The [Summary] at the end
// accounts for every octet of every DirectPlay stream: decoded, skipped for a stated reason, or lost.
//
// # Which traffic is DirectPlay
//
// Ports prove nothing: 2300 to 2400 are only where implementations look for a free one, and port mapping
// routers hand out others. A TCP stream is DirectPlay if it begins with a service provider header, or
// if one is found in it and it began before the capture did. A UDP datagram is a system message if 'play'
// stands at octet 20 behind such a header. A game message on UDP has no header at all; it is recognised by its
// socket, which the service provider data of players has named before, or which a system message came from or
// went to; or by the ids of two players that are known. Everything else is not decoded; datagrams on the usual
// ports that nothing proves are counted as such, and [Options] can name sockets by hand.
//
// # Which session it belongs to
//
// Whether game messages carry ids, and whether UDP carries frames of the reliable protocol, is told by flags of
// the session. A session is known by its description, and its machines by their sockets: the SockAddr of headers
// and the service provider data of players. A machine changes its session when it joins another one.
//
// # Players
//
// One function translates messages into operations of package playerlist. A [Session] applies them: List returns the players that are in the
// session now, and Stays all players with the times at which they came and left. Captures begin late and lose messages. So List can have
// players that left, and players whose machine nobody announced.
//
// # Which machine
//
// A machine goes by the TCP socket that it listens on: the address that its packets come from, with the port in their
// headers. [Record] has it as From and To. Its UDP socket is learnt from headers and from players' service provider
// data. A router or a second adapter makes messages tell of other addresses; those lead to the same machine as long as
// nobody speaks from them. Two machines behind one router that give the same port cannot be told apart.
//
// # Sub-packages
//
//   - links follows frames of the reliable protocol: what was lost, repeated, answered.
//   - show prints messages: a line, a tree or an NDJSON object each, and statistics.
//   - draw draws who says what to whom, as a diagram or as a report.
//   - annotate writes messages and findings into the capture, as comments for Wireshark.
//   - doctor says what went wrong, why, and what to do.
//   - replay plays captures to the engines of this project and compares what they answer.
//
// # Limits
//
// Memory depends on the limits in limits.go, never on a number in the file.
package captures
