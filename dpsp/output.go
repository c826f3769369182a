package dpsp

import (
	"math"
	"net/netip"
	"time"

	"dplay4/dpsp/reliable"
	"dplay4/hostmigrate/object"
	"dplay4/wire"
)

// An Output is what an engine wants done, in order. It is valid until the next Step.
type Output struct {
	Sends  []Outgoing
	Close  []netip.AddrPort // TCP listeners whose connections are to be closed, after the sends
	Events []Event          // for the program
	Wake   time.Duration    // Step again then if nothing happens before; on the clock of Step, or Never
}

// Never is a Wake of an engine that waits for nothing.
const Never = time.Duration(math.MaxInt64)

// An Outgoing is octets to be sent. Data is valid until the next Step.
type Outgoing struct {
	Transport Transport
	To        netip.AddrPort // a TCP listener or a UDP socket
	Data      []byte
	Priority  bool // of the protocol, not of the game: package sock drops these last where a queue is full
	List      List // whether it is the list of players
}

// A List says whether an [Outgoing] is the list of players, which is as large as a message can be.
type List uint8

// The lists.
const (
	NoList    List = iota
	FirstList      // its receiver waits for it
	ListAgain      // its receiver asked for it once more: it is left out while a list still waits to be sent there
)

// Transport is how octets travel.
type Transport uint8

// The transports.
const (
	TCP Transport = iota // over the one outgoing connection to To, opened on demand
	UDP                  // from our UDP socket
	Ask                  // an enumeration: a datagram from any socket, by broadcast where To is such an address
)

// An Event tells a program what happened. A [Change] is one that changed the list of players and groups. Its slices are copies
// that the program may keep. The fields that dplay prints have their key in JSON as a tag, and are in the order of the keys.
type Event interface{ event() }

// Done answers a command.
type Done struct {
	Token  uint64
	ID     wire.PlayerID // of a player or group that was made
	Object wire.ObjectID // of an object that was made
	Err    error         // nil: done. An HResult came from the host; others are this package's
}

// SessionFound is one session of a host that answered.
type SessionFound struct {
	Host     netip.AddrPort   `json:"addr"` // the TCP listener to join at, by the answer
	From     netip.Addr       `json:"-"`    // where the answer came from: it can be another address of the host's
	Desc     wire.SessionDesc `json:"session"`
	Name     string           `json:"-"`
	Encoding wire.Encoding    `json:"-"` // of the name
}

// PlayersFound says who is in a session, in answer to EnumeratePlayers. Of a client/server session it names the server's players
// alone. The session that we are in stays as it was: Output.Events has none of Changes.
type PlayersFound struct {
	Host    netip.AddrPort // whom we asked
	Desc    wire.SessionDesc
	Name    string
	Changes []Change // those that would come before SessionOpened: see Follow
}

// SessionOpened says that we are in a session. The PlayerCreated, GroupCreated, MemberAdded and ShortcutAdded events for all that
// was in it before us come before this event; those of later changes come after it.
type SessionOpened struct {
	System  wire.PlayerID    `json:"system"`  // our own system player
	Host    wire.PlayerID    `json:"host_id"` // the host's
	Hosting bool             `json:"hosting"`
	Desc    wire.SessionDesc `json:"session"`
	Name    string           `json:"-"`
}

// JoinFailed says that we did not get into a session. Done has the same error.
type JoinFailed struct {
	Host netip.AddrPort `json:"addr"` // whom we asked
	Err  error          `json:"reason"`
}

// SessionClosed says that we left by our own will.
type SessionClosed struct{}

// SessionLost says that the session is gone for us.
type SessionLost struct {
	Cause  Cause  `json:"cause,omitzero"`
	Reason string `json:"reason"` // one sentence for people
}

// SessionChanged says that the session's description, name or password changed.
type SessionChanged struct {
	Desc wire.SessionDesc `json:"session"`
	Name string           `json:"-"`
}

// PlayerCreated says that there is a new player. System players are not announced. The events for players that were in the
// session before us come before SessionOpened.
type PlayerCreated struct {
	ID        wire.PlayerID    `json:"id"`
	System    wire.PlayerID    `json:"system"` // of its machine
	Flags     wire.PlayerFlags `json:"flags"`
	ShortName string           `json:"name"`
	LongName  string           `json:"long_name"`
	Data      []byte           `json:"data"`
	Local     bool             `json:"local"`
	Instead   wire.PlayerID    `json:"-"` // of one of ours: the id that it had before a session healed, and that is another one's now
}

// PlayerDeleted says that a player is gone.
type PlayerDeleted struct {
	ID   wire.PlayerID `json:"id"`
	Name string        `json:"name"`
}

// PlayerChanged says that a player's name or data changed.
type PlayerChanged struct {
	ID        wire.PlayerID `json:"id"`
	ShortName string        `json:"name"`
	LongName  string        `json:"long_name"`
	Data      []byte        `json:"data"`
	Renamed   bool          `json:"changed"` // the names changed; otherwise the data did
}

// GroupCreated says that there is a new group. The events for groups that were in the session before us come before
// SessionOpened.
type GroupCreated struct {
	ID        wire.PlayerID    `json:"id"`
	System    wire.PlayerID    `json:"system"`
	Parent    wire.PlayerID    `json:"parent"`
	Flags     wire.PlayerFlags `json:"flags"`
	ShortName string           `json:"name"`
	LongName  string           `json:"long_name"`
	Data      []byte           `json:"data"`
	Local     bool             `json:"local"`
	Instead   wire.PlayerID    `json:"-"` // as in PlayerCreated
}

// GroupDeleted says that a group is gone.
type GroupDeleted struct {
	ID wire.PlayerID `json:"id"`
}

// GroupChanged says that a group's name or data changed.
type GroupChanged PlayerChanged

// MemberAdded says that a player was put into a group.
type MemberAdded struct {
	Player wire.PlayerID `json:"player"`
	Group  wire.PlayerID `json:"group"`
}

// MemberRemoved says that a player was taken out of a group.
type MemberRemoved MemberAdded

// ShortcutAdded says that a group became visible in another one.
type ShortcutAdded struct {
	Parent wire.PlayerID `json:"parent"`
	Child  wire.PlayerID `json:"child"`
}

// ShortcutRemoved says that a group is no longer visible in another one.
type ShortcutRemoved ShortcutAdded

// Message is a game message for one player of ours. A message to everybody or to a group comes once for each
// of our players that it is for.
type Message struct {
	From       wire.PlayerID `json:"from"` // 0 in a session with NOMESSAGEID, but for what came in frames
	To         wire.PlayerID `json:"to"`   // the player of ours
	Sent       wire.PlayerID `json:"sent"` // whom it was sent to: that player, a group, or wire.IDAll
	Guaranteed bool          `json:"guaranteed"`
	Payload    []byte        `json:"payload"`
}

// ChatMessage is text for one player of ours. Sent is whom it was sent to, as in Message; but text that another machine
// sends to a group in which we have several players comes as text to each of them, unless the host passed it on
// (MULTICASTSERVER).
type ChatMessage struct {
	From       wire.PlayerID `json:"from"`
	To         wire.PlayerID `json:"to"`
	Sent       wire.PlayerID `json:"sent"`
	FromName   string        `json:"-"` // short name of From as our list had it when the text came
	Guaranteed bool          `json:"guaranteed"`
	Text       string        `json:"text"`
}

// Delivered says what became of a message that was sent with Notify. Without Err, in frames (DIRECTPLAYPROTOCOL), all machines that
// it was for acknowledged it, or with MULTICASTSERVER the host did; without guarantee it was sent. Otherwise it was handed to their
// connections. Err, an error of package reliable as a rule, says why one may not get it: that is reliable.ErrLost also where a machine
// is gone, or left, before it acknowledged the message. If it was lost and comes back, the message can still arrive. The event comes
// within 30 s or so, and may come after SessionClosed.
type Delivered struct {
	Err    error         `json:"reason,omitzero"`
	Notify uint64        `json:"token"`
	Took   time.Duration `json:"-"` // since it was sent
}

// PeerReading says how another machine reads the specification of the reliable protocol where that leaves it open, or with
// reliable.NoFrames that it does not speak the protocol at all, once each. It is not told of machines that know the extension.
type PeerReading struct {
	System  wire.PlayerID    `json:"system"`
	Reading reliable.Reading `json:"text"`
}

// HostLost says that the host is gone and the session goes on. MigrationStarted and HostChanged follow. A host that said goodbye has
// CauseLeft, and no PeerLost.
type HostLost struct {
	Host   wire.PlayerID `json:"host_id"`
	Cause  Cause         `json:"cause,omitzero"`
	Reason string        `json:"reason"` // one sentence for people
}

// MigrationStarted says which machine is to become host. Another one follows if that one is lost as well.
type MigrationStarted struct {
	Candidate wire.PlayerID `json:"candidate"`
}

// HostChanged says that another machine is host now. It is the old one, if that had stepped down for a candidate, which
// MigrationStarted named, and which was lost.
type HostChanged struct {
	New     wire.PlayerID `json:"host_id"`
	Old     wire.PlayerID `json:"old_host_id"`
	Took    time.Duration `json:"took"`    // since HostLost; 0: the old host was not known to be gone
	Hosting bool          `json:"hosting"` // it is us
}

// SessionSplit says that the session was in two parts, as after a failure of the network, and that the host of the other part stays. What
// is different now follows, and then SessionHealed.
type SessionSplit struct {
	Host  wire.PlayerID `json:"host_id"` // ours
	Other wire.PlayerID `json:"other_host_id"`
}

// SessionHealed says that parts of the session are one again, or that we are back in it. What differs from before was
// told in events of its own.
type SessionHealed struct {
	System wire.PlayerID `json:"system"` // our own system player: another one than before if that id was taken
	Host   wire.PlayerID `json:"host_id"`
}

// ObjectCreated says that another machine made an object.
type ObjectCreated struct{ object.ObjectCreated }

// ObjectUpdated says that its owner changed an object's state.
type ObjectUpdated struct{ object.ObjectUpdated }

// ObjectMigrated says that an object has a new owner, which may be us.
type ObjectMigrated struct{ object.ObjectMigrated }

// ObjectDestroyed says that an object is gone.
type ObjectDestroyed struct{ object.ObjectDestroyed }

// PeerJoined says that a machine came into the session.
type PeerJoined struct {
	System wire.PlayerID  `json:"system"`
	Addr   netip.AddrPort `json:"addr"` // its TCP listener
}

// ClosedConnection is the Reason of PeerLost and HostLost where the connection to a machine was ended, by it or by what is between.
const ClosedConnection = "it closed its connection"

// PeerLost says that a machine is gone without having said so. Its players' PlayerDeleted events follow.
type PeerLost struct {
	System wire.PlayerID `json:"system"`
	Cause  Cause         `json:"cause,omitzero"`
	Reason string        `json:"reason"` // one sentence for people
}

// ConnectionRenewed says that our connection to a machine broke, and that the machine answered over a new one. To a machine that
// counts what arrives, as those of this release do, guaranteed messages that the connection lost are sent again: the newest 224 KiB.
// If Lost is true, there were more, or the machine does not count, or it had lost us meanwhile: then messages to it may be lost. It also
// comes without a break, with Lost true, if the two programs begin to count anew: then messages may be lost. No message comes twice,
// and those that come are in order.
type ConnectionRenewed struct {
	System wire.PlayerID `json:"system"`
	Lost   bool          `json:"lost_at_break"`
}

// Dropped says that a message was ignored, and why.
type Dropped struct {
	Text    string         `json:"text"` // one sentence
	From    netip.AddrPort `json:"addr,omitzero"`
	Command string         `json:"command"` // its name; "" if it could not be read
	Reason  Reason         `json:"reason"`
}

// EnumerationIgnored says that somebody looks for sessions and, as a host with Windows would, we did not answer. It is told
// once for each address and reason.
type EnumerationIgnored struct {
	Flags       wire.EnumFlags `json:"flags"`
	From        netip.AddrPort `json:"addr"`
	Reason      SilenceReason  `json:"reason"`
	Application wire.GUID      `json:"application_guid"` // zero: every game
	Password    bool           `json:"password"`         // it gave one, which is not the session's
}

func (Done) event()               {}
func (SessionFound) event()       {}
func (PlayersFound) event()       {}
func (SessionOpened) event()      {}
func (JoinFailed) event()         {}
func (SessionClosed) event()      {}
func (SessionLost) event()        {}
func (SessionChanged) event()     {}
func (PlayerCreated) event()      {}
func (PlayerDeleted) event()      {}
func (PlayerChanged) event()      {}
func (GroupCreated) event()       {}
func (GroupDeleted) event()       {}
func (GroupChanged) event()       {}
func (MemberAdded) event()        {}
func (MemberRemoved) event()      {}
func (ShortcutAdded) event()      {}
func (ShortcutRemoved) event()    {}
func (Message) event()            {}
func (ChatMessage) event()        {}
func (Delivered) event()          {}
func (PeerReading) event()        {}
func (HostLost) event()           {}
func (SessionSplit) event()       {}
func (SessionHealed) event()      {}
func (MigrationStarted) event()   {}
func (HostChanged) event()        {}
func (ObjectCreated) event()      {}
func (ObjectUpdated) event()      {}
func (ObjectMigrated) event()     {}
func (ObjectDestroyed) event()    {}
func (PeerJoined) event()         {}
func (PeerLost) event()           {}
func (ConnectionRenewed) event()  {}
func (Dropped) event()            {}
func (EnumerationIgnored) event() {}
