package events

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"dplay4/captures"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A Text writes a line for each event that people want to see: chat as "Name: text", game messages with
// "Name > Name", everything else behind a star.
type Text struct {
	Color bool // what is not said is faint, so that what is said stands out
}

// The escape sequences of colours.
const (
	faint  = "\x1b[2m"
	strong = "\x1b[1m"
	plain  = "\x1b[0m"
)

// shownPayload is how many octets of a game message, or of an object, a line shows.
const shownPayload = 32

// plainly removes the colours.
var plainly = strings.NewReplacer(faint, "", strong, "", plain, "")

// Append appends the lines of an event, or nothing for one that is not shown. who knows the names, as they were before the event.
func (t Text) Append(b []byte, _ time.Time, e dpsp.Event, who *Roster) []byte {
	for _, line := range kinds.Lines(e, who) {
		switch e.(type) {
		case dpsp.ChatMessage, dpsp.Message:
		default:
			line = faint + "* " + line + plain
		}
		if !t.Color {
			line = plainly.Replace(line)
		}
		b = fmt.Appendln(b, line)
	}
	return b
}

// kinds has all events. playing prints the reason of a lost session and the number of dropped messages at the end.
var kinds = Table[*Roster]{
	On("message", func(e dpsp.Message, who *Roster) string {
		how := "not guaranteed"
		if e.Guaranteed {
			how = "guaranteed"
		}
		return fmt.Sprintf("%s > %s: %d octets, %s: %s", who.who(e.From), who.who(e.Sent), len(e.Payload), how, firstOctets(e.Payload))
	}),
	On("chat", func(e dpsp.ChatMessage, who *Roster) string {
		return strong + who.who(e.From) + who.aside(&e) + plain + ": " + shownText(e.Text)
	}),
	Silent[dpsp.SessionFound, *Roster]("session_found"),
	Silent[dpsp.JoinFailed, *Roster]("join_failed"),
	On("session_opened", func(e dpsp.SessionOpened, who *Roster) string {
		verb, after := "joined", ""
		if e.Hosting {
			verb = "hosting"
			if who.Code == "" || who.Beside { // otherwise the code was told a moment ago
				after = "\n" + who.joinAt()
			}
		}
		return fmt.Sprintf("%s %q, session %s of %s, %s; TCP %s, UDP %s", verb, captures.Shown(e.Name), e.Desc.Instance,
			AppText(e.Desc.Application), FlagsText(&e.Desc), who.Stream, who.Datagram) + after
	}),
	On("session_changed", func(e dpsp.SessionChanged, _ *Roster) string {
		return fmt.Sprintf("the session changed: %q, %s, %s", captures.Shown(e.Name), PlayersText(&e.Desc), FlagsText(&e.Desc))
	}),
	On("session_closed", func(dpsp.SessionClosed, *Roster) string { return "you left the session" }),
	Silent[dpsp.SessionLost, *Roster]("session_lost"),
	On("enumeration_ignored", func(e dpsp.EnumerationIgnored, _ *Roster) string {
		gave := "no password"
		if e.Password {
			gave = "another password"
		}
		return fmt.Sprintf("%s looks for sessions and gets no answer: %s (flags %s, %s)", e.From.Addr(), silence(&e), e.Flags, gave)
	}),
	Silent[dpsp.PeerJoined, *Roster]("peer_joined"),
	On("peer_lost", func(e dpsp.PeerLost, who *Roster) string {
		return fmt.Sprintf("%s is lost: %s", who.machine(e.System, "our machine"), who.lostBy(e.Reason))
	}),
	On("connection_renewed", func(e dpsp.ConnectionRenewed, who *Roster) string {
		text := fmt.Sprintf("the connection to %s broke and was made again", who.machine(e.System, "our machine"))
		if e.Lost {
			text += "; what was on the way to it may be lost"
		}
		return text
	}),
	On("peer_reading", func(e dpsp.PeerReading, who *Roster) string {
		return fmt.Sprintf("%s, with the reliable protocol: %s", who.machine(e.System, "our machine"), e.Reading)
	}),
	Silent[dpsp.Delivered, *Roster]("delivered"),
	Silent[dpsp.Dropped, *Roster]("dropped"),
	On("player_created", func(e dpsp.PlayerCreated, _ *Roster) string {
		if e.Local {
			return fmt.Sprintf("you are %s (%s)", nameText(e.ShortName), e.ID)
		}
		return fmt.Sprintf("%s is here (%s)", nameText(e.ShortName), e.ID)
	}),
	On("player_deleted", func(e dpsp.PlayerDeleted, _ *Roster) string {
		return fmt.Sprintf("%s is gone (%s)", nameText(e.Name), e.ID)
	}),
	On("player_changed", func(e dpsp.PlayerChanged, who *Roster) string { return who.changed("", e) }),
	On("group_created", func(e dpsp.GroupCreated, _ *Roster) string {
		return fmt.Sprintf("there is a group %s (%s)", nameText(e.ShortName), e.ID)
	}),
	On("group_deleted", func(e dpsp.GroupDeleted, who *Roster) string {
		return fmt.Sprintf("the group %s is gone", who.who(e.ID))
	}),
	On("group_changed", func(e dpsp.GroupChanged, who *Roster) string { return who.changed("the group ", dpsp.PlayerChanged(e)) }),
	On("member_added", func(e dpsp.MemberAdded, who *Roster) string {
		return fmt.Sprintf("%s is in the group %s", who.who(e.Player), who.who(e.Group))
	}),
	On("member_removed", func(e dpsp.MemberRemoved, who *Roster) string {
		return fmt.Sprintf("%s is out of the group %s", who.who(e.Player), who.who(e.Group))
	}),
	Silent[dpsp.ShortcutAdded, *Roster]("shortcut_added"),
	Silent[dpsp.ShortcutRemoved, *Roster]("shortcut_removed"),
	On("host_lost", func(e dpsp.HostLost, who *Roster) string {
		return fmt.Sprintf("the host, %s, is lost: %s; the session goes on", who.machine(e.Host, "our machine"), who.lostBy(e.Reason))
	}),
	On("migration_started", func(e dpsp.MigrationStarted, who *Roster) string {
		if e.Candidate == who.self {
			return "we are to be the next host"
		}
		return who.machine(e.Candidate, "ours") + " is to be the next host"
	}),
	On("host_changed", func(e dpsp.HostChanged, who *Roster) string {
		after := ""
		if e.Took > 0 {
			after = fmt.Sprintf(", after %s without one", e.Took.Round(time.Millisecond))
		}
		if e.Hosting {
			return fmt.Sprintf("we are the host now%s: %s", after, who.joinAt())
		}
		if at, shown := who.shown(who.machines[e.New]); shown {
			after += ": join at " + at.String()
		}
		return fmt.Sprintf("%s is the host now%s", who.machine(e.New, "our machine"), after)
	}),
	On("session_split", func(e dpsp.SessionSplit, who *Roster) string {
		return fmt.Sprintf("the session is in two parts: ours, whose host is %s, and one whose host is %s",
			who.machine(e.Host, "this machine"), who.machine(e.Other, "this machine"))
	}),
	On("session_healed", func(e dpsp.SessionHealed, who *Roster) string {
		return fmt.Sprintf("the session is whole again; its host is %s", who.machine(e.Host, "this machine"))
	}),
	On("object_created", func(e dpsp.ObjectCreated, who *Roster) string {
		return fmt.Sprintf("there is an object %s of %s: %s", e.ID, who.machine(e.Owner, "ours"), stateText(e.State))
	}),
	On("object_updated", func(e dpsp.ObjectUpdated, who *Roster) string {
		return fmt.Sprintf("the object %s of %s changed: %s", e.ID, who.machine(e.Owner, "ours"), stateText(e.State))
	}),
	On("object_migrated", func(e dpsp.ObjectMigrated, who *Roster) string {
		if e.From == e.To {
			return fmt.Sprintf("the object %s stays with %s: %s", e.ID, who.machine(e.To, "us"), stateText(e.State))
		}
		return fmt.Sprintf("the object %s went from %s to %s: %s", e.ID, who.machine(e.From, "us"), who.machine(e.To, "us"),
			stateText(e.State))
	}),
	On("object_destroyed", func(e dpsp.ObjectDestroyed, who *Roster) string {
		return fmt.Sprintf("the object %s is gone, destroyed by %s", e.ID, who.machine(e.Owner, "us"))
	}),
}

// NameOf returns the name of an event; "" of an answer, which is no event.
func NameOf(e dpsp.Event) string { return kinds.Name(e) }

// Names returns the names of all events, in order.
func Names() []string { return kinds.Names() }

// changed returns the line for a new name or new data of a player or group.
func (r *Roster) changed(kind string, e dpsp.PlayerChanged) string {
	if e.Renamed {
		return fmt.Sprintf("%s%s is called %s now", kind, r.who(e.ID), r.renamed(e.ID, e.ShortName))
	}
	return fmt.Sprintf("%s%s has new data: %d octets", kind, r.who(e.ID), len(e.Data))
}

// silence returns why a search was not answered.
func silence(e *dpsp.EnumerationIgnored) string {
	return map[dpsp.SilenceReason]string{
		dpsp.OtherGame:          "it looks for another game, " + AppText(e.Application),
		dpsp.PasswordUnknown:    "it asks for sessions without a password, and this one has one",
		dpsp.PrivateSession:     "the session is private, and it does not know the password",
		dpsp.SessionFull:        "it asks for sessions that can be joined, and this one is full",
		dpsp.JoinDisabled:       "it asks for sessions that can be joined, and this one has the flag joindisabled",
		dpsp.NewPlayersDisabled: "it asks for sessions that can be joined, and this one has the flag newplayersdisabled",
	}[e.Reason]
}

// nameText is a name for people, also if there is none.
func nameText(name string) string {
	if name == "" {
		return "(no name)"
	}
	return captures.Shown(name)
}

// renamed is nameText for the name that somebody has from now on.
func (r *Roster) renamed(id wire.PlayerID, name string) string {
	if name == "" {
		return nameText(name)
	}
	return r.named(id, name)
}

// shownText returns what somebody said, or the beginning of what is too long for a screen.
func shownText(s string) string {
	text, more := captures.Cut(s, captures.ShownText)
	return captures.Printable(text) + more
}

// stateText returns the size and the first octets of an object's state.
func stateText(state []byte) string {
	if len(state) == 0 {
		return "no octets"
	}
	return fmt.Sprintf("%d octets: %s", len(state), firstOctets(state))
}

// firstOctets returns the octets that a line shows.
func firstOctets(b []byte) string {
	if len(b) > shownPayload {
		return hex.EncodeToString(b[:shownPayload]) + "..."
	}
	return hex.EncodeToString(b)
}
