// Package plan is one machine's part in a bridged session: who is on which slot, who answers newcomers, and whom to connect to.
// It has no socket, no clock and no goroutine: Plan.Step is told what happened and when, and says what is to be done.
//
// # Rules
//
//   - Each machine is linked with each other one, and says to each, whenever it is new, its state: its name, slot, ports, order,
//     addresses, and with whom it is linked. A link proves an ID, so nobody says anything about another one's slot.
//   - The order of a machine is how many came before it. It is given once, with the slot, by the keeper: of the machines that are
//     linked and in, the one with the lowest order, or the lowest ID where two parts of a session gave the same. So machines that
//     are all linked agree on the keeper without asking, and the next one is keeper as soon as nothing comes from it any more.
//   - The keeper answers newcomers at the code's address, gives them the lowest free slot, and says who is in. With Ask the user
//     of its machine decides, and after it that of the next keeper: Ask goes with the session. Slots of machines that vanished are
//     kept for 30 s, and rest for 5 s after their machine left.
//   - A machine that lost all others has no slot once it is with some again, until it is given one: its own, if nobody has it. So it
//     is the one that moves, whose game lost its connections, and not who came meanwhile. Of two parts of a session that both went
//     on, who goes before has the slot. A machine that slept first waits until it knows which of its links are dead.
//   - Whom a linked machine names is dialed. A link that goes down is dialed again, by both sides. Of two links between
//     the same machines the older one stays, unless its other side has begun another one and said so.
//   - Every 20 s the keeper knocks at the code's address. If another machine answers, as that of a part of the session that was
//     cut off, the two are linked, and all that they name with them: then one of them is keeper. Where two machines have one slot,
//     or ports of each other, the one that goes before has it, and the other one is given another.
//   - A game that runs already may have its ports for those of its slot, if they are DirectPlay's and nobody else's.
//   - A member may ask another one how octets go from it to the others, and is answered once a second at most, without addresses.
//   - A machine that is kicked or not let in, and one that said goodbye, does not come again under its ID.
//
// # What a member can do that means harm
//
// Everybody who has the code can come in, under as many IDs as there are slots, unless Ask is set; can take the code's address
// over, and so keep newcomers away; and can say that it is keeper of another part of the session, with an order that goes
// before all: then it decides who comes in, can have machines change their slots, and users be asked about newcomers. It cannot
// speak for another slot, be in two, say or forget something in another one's name, choose other ports than a slot's for a game, or
// have machines part that met before it came. Names are printable and short, messages, lists and what is remembered are bounded,
// ports are DirectPlay's, and a machine that says more than fifty things a second, or what does not parse, is hung up on. Every
// machine can cut it off from itself (Kick).
package plan
