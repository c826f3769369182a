// Package plan is one machine's part in a bridged session: which machine has which slot, which one answers newcomers, and which ones
// to connect to. It has no socket, no clock and no goroutine: Plan.Step takes an event and its time, and returns what is to be done.
//
// # Rules
//
//   - Each machine is linked with each other one. It sends each of them its state whenever that is new: its name, slot, ports, order,
//     addresses, and the machines that it is linked with. A link proves an ID, so each slot has one writer: the machine that has it.
//   - All else is derived from the last state of each machine, so the order in which states arrive does not matter.
//   - The order of a machine says how many came before it. The keeper gives it once, with the first slot. The machine with the lower
//     order is the older one. Where two parts of a session gave the same order, the lower ID is.
//   - The keeper is the oldest of the machines that are linked and in. So machines that are all linked agree on it without asking. The
//     next one is keeper as soon as nothing comes from it any more.
//   - The keeper answers newcomers at the code's address, grants them the lowest free slot, and says which machines are in. With Ask
//     the user of its machine decides, and after it that of the next keeper: Ask goes with the session. Slots of machines that
//     vanished are kept for 30 s. A slot rests for 5 s after its machine left.
//   - Where two machines have one slot, or a port of each other, the older one keeps its place. The other one gives its own up, and is
//     granted another.
//   - A machine that lost all others gives its slot up once it is with some again. It gets the slot back, if no machine has it. So it
//     is the one that moves, because its game lost its connections. If both parts of a session went on, the older machine has the
//     slot. A machine that slept first waits until it knows which of its links are dead.
//   - A machine that members name is dialed. A link that goes down is dialed again, by both sides. Of two links between the same
//     machines the older one stays, unless its other side has begun another one and said so.
//   - Every 20 s the keeper knocks at the code's address. If another machine answers, as that of a part of the session that was
//     cut off, the two are linked, and all that they name with them: then one of them is keeper.
//   - A game that runs already may have its ports for those of its slot, if they are DirectPlay's and no other machine's.
//   - A member may ask another one how octets go from it to the others, and is answered once a second at most, without addresses.
//   - A machine that was kicked or not let in, or said goodbye, cannot come again under its ID.
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
