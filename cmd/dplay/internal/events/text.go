package events

import (
	"encoding/hex"
	"fmt"
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

// Append appends the lines of an event.
func (t Text) Append(b []byte, _ time.Time, e dpsp.Event, who *Roster) []byte {
	switch e := e.(type) {
	case dpsp.ChatMessage:
		return fmt.Appendf(b, "%s: %s\n", t.in(strong, who.who(e.From)+who.aside(&e)), shownText(e.Text))
	case dpsp.Message:
		how := "not guaranteed"
		if e.Guaranteed {
			how = "guaranteed"
		}
		return fmt.Appendf(b, "%s > %s: %d octets, %s: %s\n", who.who(e.From), who.who(e.Sent), len(e.Payload), how,
			firstOctets(e.Payload))
	}
	for _, line := range eventLines(e, who) {
		b = fmt.Appendln(b, t.in(faint, "* "+line))
	}
	return b
}

// in returns a text in a colour, if there are any.
func (t Text) in(color, text string) string {
	if !t.Color {
		return text
	}
	return color + text + plain
}

// eventLines says what happened, a line each.
func eventLines(e dpsp.Event, who *Roster) []string {
	text := eventText(e, who)
	switch opened, ok := e.(dpsp.SessionOpened); {
	case text == "":
		return nil
	case ok && opened.Hosting && (who.Code == "" || who.Beside): // otherwise the code was told a moment ago
		return []string{text, who.joinAt()}
	}
	return []string{text}
}

// eventText says what happened; "" for what people need not know.
func eventText(e dpsp.Event, who *Roster) string {
	switch e := e.(type) {
	case dpsp.SessionOpened:
		return openedText(&e, who)
	case dpsp.SessionChanged:
		return fmt.Sprintf("the session changed: %q, %s, %s", captures.Shown(e.Name), PlayersText(&e.Desc), FlagsText(&e.Desc))
	case dpsp.SessionClosed:
		return "you left the session"
	case dpsp.EnumerationIgnored:
		return ignoredText(&e)
	case dpsp.PeerLost:
		return fmt.Sprintf("%s is lost: %s", who.machine(e.System, "our machine"), who.lostBy(e.Reason))
	case dpsp.ConnectionRenewed:
		text := fmt.Sprintf("the connection to %s broke and was made again", who.machine(e.System, "our machine"))
		if e.Lost {
			text += "; what was on the way to it may be lost"
		}
		return text
	case dpsp.PeerReading:
		return fmt.Sprintf("%s, with the reliable protocol: %s", who.machine(e.System, "our machine"), e.Reading)
	case dpsp.PlayerCreated:
		if e.Local {
			return fmt.Sprintf("you are %s (%s)", nameText(e.ShortName), e.ID)
		}
		return fmt.Sprintf("%s is here (%s)", nameText(e.ShortName), e.ID)
	case dpsp.PlayerDeleted:
		return fmt.Sprintf("%s is gone (%s)", nameText(e.Name), e.ID)
	case dpsp.PlayerChanged:
		if e.Renamed {
			return fmt.Sprintf("%s is called %s now", who.who(e.ID), who.renamed(e.ID, e.ShortName))
		}
		return fmt.Sprintf("%s has new data: %d octets", who.who(e.ID), len(e.Data))
	case dpsp.GroupCreated:
		return fmt.Sprintf("there is a group %s (%s)", nameText(e.ShortName), e.ID)
	case dpsp.GroupDeleted:
		return fmt.Sprintf("the group %s is gone", who.who(e.ID))
	case dpsp.GroupChanged:
		if e.Renamed {
			return fmt.Sprintf("the group %s is called %s now", who.who(e.ID), who.renamed(e.ID, e.ShortName))
		}
		return fmt.Sprintf("the group %s has new data: %d octets", who.who(e.ID), len(e.Data))
	case dpsp.MemberAdded:
		return fmt.Sprintf("%s is in the group %s", who.who(e.Player), who.who(e.Group))
	case dpsp.MemberRemoved:
		return fmt.Sprintf("%s is out of the group %s", who.who(e.Player), who.who(e.Group))
	case dpsp.HostLost:
		return fmt.Sprintf("the host, %s, is lost: %s; the session goes on", who.machine(e.Host, "our machine"), who.lostBy(e.Reason))
	case dpsp.MigrationStarted:
		if e.Candidate == who.self {
			return "we are to be the next host"
		}
		return who.machine(e.Candidate, "ours") + " is to be the next host"
	case dpsp.HostChanged:
		after := ""
		if e.Took > 0 {
			after = fmt.Sprintf(", after %s without one", e.Took.Round(time.Millisecond))
		}
		if e.Hosting {
			return fmt.Sprintf("we are the host now%s: %s", after, who.joinAt())
		}
		text := fmt.Sprintf("%s is the host now%s", who.machine(e.New, "our machine"), after)
		if at, shown := who.shown(who.machines[e.New]); shown {
			text += ": join at " + at.String()
		}
		return text
	case dpsp.SessionSplit:
		return fmt.Sprintf("the session is in two parts: ours, whose host is %s, and one whose host is %s",
			who.machine(e.Host, "this machine"), who.machine(e.Other, "this machine"))
	case dpsp.SessionHealed:
		return fmt.Sprintf("the session is whole again; its host is %s", who.machine(e.Host, "this machine"))
	case dpsp.ObjectCreated:
		return fmt.Sprintf("there is an object %s of %s: %s", e.ID, who.machine(e.Owner, "ours"), stateText(e.State))
	case dpsp.ObjectUpdated:
		return fmt.Sprintf("the object %s of %s changed: %s", e.ID, who.machine(e.Owner, "ours"), stateText(e.State))
	case dpsp.ObjectMigrated:
		if e.From == e.To {
			return fmt.Sprintf("the object %s stays with %s: %s", e.ID, who.machine(e.To, "us"), stateText(e.State))
		}
		return fmt.Sprintf("the object %s went from %s to %s: %s", e.ID, who.machine(e.From, "us"), who.machine(e.To, "us"),
			stateText(e.State))
	case dpsp.ObjectDestroyed:
		return fmt.Sprintf("the object %s is gone, destroyed by %s", e.ID, who.machine(e.Owner, "us"))
	}
	return "" // lost sessions and dropped messages are told at the end
}

func openedText(e *dpsp.SessionOpened, who *Roster) string {
	verb := "joined"
	if e.Hosting {
		verb = "hosting"
	}
	return fmt.Sprintf("%s %q, session %s of %s, %s; TCP %s, UDP %s", verb, captures.Shown(e.Name), e.Desc.Instance,
		AppText(e.Desc.Application), FlagsText(&e.Desc), who.Stream, who.Datagram)
}

// ignoredText says why somebody who looks for sessions does not find ours. It is told once for each address and reason.
func ignoredText(e *dpsp.EnumerationIgnored) string {
	why := map[dpsp.SilenceReason]string{
		dpsp.OtherGame:          "it looks for another game, " + AppText(e.Application),
		dpsp.PasswordUnknown:    "it asks for sessions without a password, and this one has one",
		dpsp.PrivateSession:     "the session is private, and it does not know the password",
		dpsp.SessionFull:        "it asks for sessions that can be joined, and this one is full",
		dpsp.JoinDisabled:       "it asks for sessions that can be joined, and this one has the flag joindisabled",
		dpsp.NewPlayersDisabled: "it asks for sessions that can be joined, and this one has the flag newplayersdisabled",
	}[e.Reason]
	gave := "no password"
	if e.Password {
		gave = "another password"
	}
	return fmt.Sprintf("%s looks for sessions and gets no answer: %s (flags %s, %s)", e.From.Addr(), why, e.Flags, gave)
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
