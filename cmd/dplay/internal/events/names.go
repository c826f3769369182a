package events

import (
	"maps"
	"reflect"
	"slices"

	"dplay4/dpsp"
)

// names has the name of each event in JSON.
var names = map[reflect.Type]string{
	reflect.TypeFor[dpsp.SessionFound]():       "session_found",
	reflect.TypeFor[dpsp.SessionOpened]():      "session_opened",
	reflect.TypeFor[dpsp.SessionChanged]():     "session_changed",
	reflect.TypeFor[dpsp.SessionClosed]():      "session_closed",
	reflect.TypeFor[dpsp.JoinFailed]():         "join_failed",
	reflect.TypeFor[dpsp.EnumerationIgnored](): "enumeration_ignored",
	reflect.TypeFor[dpsp.SessionLost]():        "session_lost",
	reflect.TypeFor[dpsp.PeerJoined]():         "peer_joined",
	reflect.TypeFor[dpsp.PeerLost]():           "peer_lost",
	reflect.TypeFor[dpsp.ConnectionRenewed]():  "connection_renewed",
	reflect.TypeFor[dpsp.Message]():            "message",
	reflect.TypeFor[dpsp.ChatMessage]():        "chat",
	reflect.TypeFor[dpsp.Delivered]():          "delivered",
	reflect.TypeFor[dpsp.PeerReading]():        "peer_reading",
	reflect.TypeFor[dpsp.Dropped]():            "dropped",
	reflect.TypeFor[dpsp.HostLost]():           "host_lost",
	reflect.TypeFor[dpsp.MigrationStarted]():   "migration_started",
	reflect.TypeFor[dpsp.HostChanged]():        "host_changed",
	reflect.TypeFor[dpsp.SessionSplit]():       "session_split",
	reflect.TypeFor[dpsp.SessionHealed]():      "session_healed",
	reflect.TypeFor[dpsp.PlayerCreated]():      "player_created",
	reflect.TypeFor[dpsp.PlayerDeleted]():      "player_deleted",
	reflect.TypeFor[dpsp.PlayerChanged]():      "player_changed",
	reflect.TypeFor[dpsp.GroupCreated]():       "group_created",
	reflect.TypeFor[dpsp.GroupDeleted]():       "group_deleted",
	reflect.TypeFor[dpsp.GroupChanged]():       "group_changed",
	reflect.TypeFor[dpsp.MemberAdded]():        "member_added",
	reflect.TypeFor[dpsp.MemberRemoved]():      "member_removed",
	reflect.TypeFor[dpsp.ShortcutAdded]():      "shortcut_added",
	reflect.TypeFor[dpsp.ShortcutRemoved]():    "shortcut_removed",
	reflect.TypeFor[dpsp.ObjectCreated]():      "object_created",
	reflect.TypeFor[dpsp.ObjectUpdated]():      "object_updated",
	reflect.TypeFor[dpsp.ObjectMigrated]():     "object_migrated",
	reflect.TypeFor[dpsp.ObjectDestroyed]():    "object_destroyed",
}

// NameOf returns the name of an event; "" of an answer, which is no event.
func NameOf(e dpsp.Event) string { return names[reflect.TypeOf(e)] }

// Names returns the names of all events, in order.
func Names() []string { return slices.Sorted(maps.Values(names)) }
