// Package object lets objects of a game have one owner each, and change it: when a program wishes, for balance, or
// because an owner is gone. Every machine that knows the extension (wire.HelloObjects) has a [Table]; what one of
// them sends the others receive. It does no input or output and has no clock.
//
// # What is promised
//
// When messages stop coming, all machines have the same objects, with the same owner, counter and state, in
// whatever order messages arrived: in order from one machine to another over a stream, free between machines, and
// datagrams lost, repeated or out of order. Until then two machines may disagree about who owns an object, and
// each may change it; one of the two changes is lost then. What a machine knows of an object never gets older.
//
// This holds if streams deliver in order what they deliver (what is lost with a broken one [Table.Audit] says again), if
// every machine hears in the end who is there and who is host, and within the limits of this package and the life of
// tombstones. A test tries every order of small sessions: exhaustive_test.go.
//
// # Who is right
//
// An object has an id (who created it, and a number used once), an owner, and a migration counter: 0 from the
// creator, one more with each migration. Of two claims the higher counter is newer; at the same counter the lower
// owner's; and of one owner's, what has the higher sequence, or a DESTROY. So all that is known of an object has
// one order, each machine keeps the newest, and older messages are ignored. The same counter comes twice if two
// hosts did not know of each other, or one did not know what the one before had decided.
//
// # Messages
//
// [wire.ExtensionObject] says, by Op:
//
//   - CREATE, reliable, owner to all: here is an object of mine. Owner is the sender and the creator, Counter 0.
//   - MIGRATE, reliable, new owner to all: it is mine now, with this state. It creates what is unknown. A newcomer
//     is told of every object by its owner, by CREATE if the counter is 0, else by MIGRATE.
//   - DESTROY, reliable, owner to all: it is no more. Owner and Counter are those of who destroyed it, also where
//     another machine repeats it.
//   - UPDATE, datagram, owner to those that acknowledged CREATE or MIGRATE: the whole state, at most [MaxUpdate]
//     octets. One with another counter or owner than we know is ignored, not acknowledged: it is early or late.
//   - ACK, to the owner: I have it as of this Counter, with the state of this Sequence. Reliable for CREATE and
//     MIGRATE; a datagram for UPDATE, which is sent again every [Config].Resend until its sequence is acknowledged.
//   - REQUEST, reliable, to the host: let Owner have it, or anybody if that is 0. Counter, Sequence and State are
//     what the sender has.
//   - INSTRUCT, reliable, host to the new owner: it is yours, with this Counter; the state is what the host has.
//     Of that and what it has itself the new owner takes the newer, and announces MIGRATE.
//
// Sequences go on through migrations. A new owner that is instructed at the counter after the one it knows
// compares them; otherwise the host's state counts as newer.
//
// # Why the new owner announces
//
// If the host did, then its MIGRATE and what the new owner has to do with would come over two streams, in any
// order: an observer's ACK reaches an owner that does not know yet that it is one; a newcomer is met by the new
// owner too early and by the host too late, and nobody tells it. TestHostAnnounces finds such orders.
//
// # When machines go
//
//   - An owner goes: the host chooses the machine with the fewest objects, the lowest id among equals, of those that have
//     acted on what they were given before (see Pace). Members that still miss an owner after [Config].Patience ask the host,
//     with what they have: perhaps only they heard of the object.
//   - A new owner goes before it announced, or before all heard: the host decides again with a counter beyond the
//     one that it gave, for the present owner if there is one. So it does if nothing is announced for Patience. An
//     object that the host itself does not know it gives up after three machines: perhaps nobody can have it. Members
//     that miss its owner ask again.
//   - The host goes in the middle of a decision: if the new owner heard it, it announces it; otherwise the owner
//     remains, and a program's wish is lost and may be repeated. A new host decides about all objects whose owner
//     is not there.
//   - An owner goes after DESTROY: members that heard it tell the host, the host tells all. If a new owner had
//     announced itself before it heard of the DESTROY, then the object lives on. So it does if the owner destroys
//     while the host decides: the migration wins unless the new owner hears of the end first.
//   - A former owner's last changes that the new one had not heard are lost.
//   - A session was split: tables go on from what each has when the caller says Join to both sides. Objects follow
//     the order above.
//
// With a host that does not know of objects ([Table.SetHost] with a machine that never joined) objects keep their
// owners, and those of departed machines keep their last state until a host comes that does.
//
// # Pace
//
// States may be large, and many objects may need a message at once: a machine joins, or an owner goes. What else goes to a machine must
// not wait behind them, so no more than [Window] octets of states are under way to it:
//
//   - CREATE and MIGRATE: an owner tells a peer of the next object once the peer has acknowledged enough of those before. A peer that
//     does not is told again by [Table.Audit].
//   - INSTRUCT: the host gives a machine the next objects once it has announced those before. One that does not is passed over.
//   - REQUEST: a member asks about so many octets at once, and about the rest a part of [Config].Patience later.
//
// # Tombstones
//
// A destroyed object is remembered for [Config].Tombstone, so that an older CREATE or MIGRATE does not bring it
// back; the default is longer than a silent machine counts as present. Who claims an object that has a tombstone
// here is sent the DESTROY, and repeats it to all: others may have forgotten the end by now, and taken its claim.
// Newcomers are told of the tombstones of the last minutes as well (44 octets each and the headers), because a
// former owner may yet tell them of the object.
//
// # Numbers
//
// A machine that comes back with the id that it had must not use a number again: [Config].First has to be above
// those of its earlier life, for example by time or by the version of the name table. Numbers in the table,
// tombstones included, are skipped in any case. Counters and sequences do not wrap: at their end an object can no
// longer migrate, or be updated.
//
// # Trust and limits
//
// Senders are what the caller says. CREATE, MIGRATE and UPDATE must come from the owner that they name, INSTRUCT
// from the host; DESTROY may be repeated by anybody. Any member may ask for, claim or destroy any object: there is
// no protection among members, as in all of DirectPlay. A table grows to the limits of limits.go and no further; a
// full table refuses, and then differs from others. One machine cannot fill it: what it made has a share ([MaxMade]), and so have the
// objects of departed machines that it brings ([MaxKept]); with [Config].Site the machines of one address have a share together.
// [Table.Create] and [Table.Update] fail with [ErrShare] then.
package object
