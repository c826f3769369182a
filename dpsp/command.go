package dpsp

import (
	"time"

	"net/netip"

	"dplay4/wire"
)

// A Command is what a program asks of an engine. Every one is answered by a [Done] event with the same token,
// at once or when it is finished; Done names the error, an HResult or a sentinel of this package.
type Command interface{ command() }

// Enumerate asks for sessions: by broadcast, or one host. It is done when the request was sent; SessionFound
// events follow as answers come. Repeat it to ask again.
type Enumerate struct {
	Application wire.GUID // zero: every game, which Windows hosts answer
	Flags       wire.EnumFlags
	Password    Text             // "" for none
	To          []netip.AddrPort // UDP addresses; empty: 255.255.255.255:47624. Package sock adds those of every interface
	Streams     []netip.AddrPort // hosts that are asked by TCP as well, port 47624 as a rule
}

// EnumeratePlayers asks the host of a session that we are not in who is in it (3.1.4.3): a PlayersFound event comes
// before Done. A host of ours answers nobody outside its session unless it is [Config].Compatible, so ErrTimeout says
// little. There is one such request at a time, and no Host or Join meanwhile: ErrBusy. In a session the answer is our own
// list, at once.
type EnumeratePlayers struct {
	Host netip.AddrPort // its TCP listener, as SessionFound gave it
	From netip.Addr     // likewise; zero if it answers from the address of Host alone
	// Within is how long an answer may take, when it is asked once; 0: Config.Reply and Tries say it.
	Within time.Duration
}

// Host opens a session of our own.
type Host struct {
	Application wire.GUID
	Instance    wire.GUID // zero: drawn from the seed
	Name        Text
	Password    Text   // "" for none
	MaxPlayers  uint32 // 0: no limit
	Flags       wire.SessionFlags
	User        [4]uint32
}

// Join enters the session of another machine.
type Join struct {
	Host     netip.AddrPort   // its TCP listener, as SessionFound gave it
	From     netip.Addr       // likewise; zero if it answers from the address of Host alone
	Desc     wire.SessionDesc // likewise
	Name     string           // likewise
	Encoding wire.Encoding    // likewise: how the session's texts are written, and the password is
	Password Text
}

// CreatePlayer makes a player of ours. Done gives its id.
type CreatePlayer struct {
	ShortName, LongName Text // the long one is the short one if it is ""
	Data                []byte
	Flags               wire.PlayerFlags // PlayerSpectator, PlayerServerPlayer; others are ours to set
}

// DeletePlayer removes a player of ours.
type DeletePlayer struct{ ID wire.PlayerID }

// CreateGroup makes a group of ours. Done gives its id.
type CreateGroup struct {
	ShortName, LongName Text // as in CreatePlayer
	Data                []byte
	Flags               wire.PlayerFlags // PlayerHiddenGroup, PlayerStagingArea
	Parent              wire.PlayerID    // 0 for none
}

// DeleteGroup removes a group, whosever it is, with the groups that were created in it. GroupDeleted comes for each.
type DeleteGroup struct{ ID wire.PlayerID }

// SetName renames a player or group of ours.
type SetName struct {
	ID                  wire.PlayerID
	ShortName, LongName Text // as in CreatePlayer
}

// SetData changes the data of a player or group of ours.
type SetData struct {
	ID   wire.PlayerID
	Data []byte
}

// AddToGroup puts a player into a group.
type AddToGroup struct{ Player, Group wire.PlayerID }

// RemoveFromGroup takes a player out of a group.
type RemoveFromGroup struct{ Player, Group wire.PlayerID }

// AddShortcut makes a group visible in another one.
type AddShortcut struct{ Child, Parent wire.PlayerID }

// RemoveShortcut takes a group out of another one.
type RemoveShortcut struct{ Child, Parent wire.PlayerID }

// SetDesc changes the session. Only the host may. KEEPALIVE and MIGRATEHOST have to be as they are: ErrFixed. Flags that say
// how members talk to each other stay as they are, whatever is said here.
type SetDesc struct {
	Name       Text
	Password   Text
	MaxPlayers uint32
	Flags      wire.SessionFlags
	User       [4]uint32
}

// Send sends a game message from a player of ours to a player, a group, or everybody (wire.IDAll).
type Send struct {
	From, To   wire.PlayerID
	Guaranteed bool
	Payload    []byte // read only during Step
	// Notify, if it is not 0, comes back in one Delivered event, if the command did not fail. Messages with the same one at the
	// same time are told of together.
	Notify uint64
	// Priority has higher ones go first, of messages that wait for the same player in a session with DIRECTPLAYPROTOCOL. At most
	// MaxPriority. What goes through the host (MULTICASTSERVER) has none.
	Priority int
	// Timeout, if it is not 0, gives up the message if it still waits then, in such a session.
	Timeout time.Duration
}

// MaxPriority is the highest priority of a message; others count as it.
const MaxPriority = 65535

// Cancel gives up messages of which nothing was sent yet: that with Notify, or without one all with at most Priority. A message to
// several goes on to those to whom it is under way. It fails with ErrNoMessage if none waits, as where they are handed to connections
// at once: in sessions without DIRECTPLAYPROTOCOL.
type Cancel struct {
	Notify   uint64
	Priority int
}

// Chat sends text from a player of ours to a player, a group, or everybody.
type Chat struct {
	From, To   wire.PlayerID
	Guaranteed bool
	Text       Text
}

// CreateObject makes a replicated object of ours. Done gives its id in Object. See package object for what is promised.
type CreateObject struct{ State []byte } // at most MaxObjectState octets; copied

// UpdateObject changes the state of an object that we own.
type UpdateObject struct {
	ID    wire.ObjectID
	State []byte // at most MaxObjectUpdate octets; copied
}

// MigrateObject asks the host to give an object to the machine of a player. ObjectMigrated follows when that machine
// has taken it.
type MigrateObject struct {
	ID wire.ObjectID
	To wire.PlayerID // a player of that machine, or its system player
}

// DestroyObject removes an object that we own.
type DestroyObject struct{ ID wire.ObjectID }

// BalanceObjects has the host give objects of machines that own many to machines that own few.
type BalanceObjects struct{}

// Leave deletes our players, then our system player, and ends the session for us. While guaranteed messages to a peer of a
// broken connection wait, so does the goodbye, for 1.5 seconds at most.
type Leave struct{}

func (Enumerate) command()        {}
func (EnumeratePlayers) command() {}
func (Host) command()             {}
func (Join) command()             {}
func (CreatePlayer) command()     {}
func (DeletePlayer) command()     {}
func (CreateGroup) command()      {}
func (DeleteGroup) command()      {}
func (SetName) command()          {}
func (SetData) command()          {}
func (AddToGroup) command()       {}
func (RemoveFromGroup) command()  {}
func (AddShortcut) command()      {}
func (RemoveShortcut) command()   {}
func (SetDesc) command()          {}
func (Cancel) command()           {}
func (Send) command()             {}
func (Chat) command()             {}
func (CreateObject) command()     {}
func (UpdateObject) command()     {}
func (MigrateObject) command()    {}
func (DestroyObject) command()    {}
func (BalanceObjects) command()   {}
func (Leave) command()            {}
