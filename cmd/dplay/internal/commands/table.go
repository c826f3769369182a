// Package commands understands the commands that another program gives "dplay host" and "dplay join", one JSON object a line.
// table.go has all of them: decoding, errors, help and EVENTS.md come from it.
package commands

import (
	"slices"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A spec is one command.
type spec struct {
	name  string
	needs string // its keys, with spaces between; of a|b|c exactly one
	may   string // those that may be left out; of a|b|c one at most
	about string
	make  func(a args) dpsp.Command // returns nil for "list", which asks nothing of the engine
}

// table has the commands, in the order in which they are documented.
var table = []spec{
	{"say", "text", "from to guaranteed", "Says something: chat.", func(a args) dpsp.Command {
		return dpsp.Chat{From: a.id("from"), To: a.id("to"), Guaranteed: a.is("guaranteed"), Text: a.text("text")}
	}},
	{"send", "payload|payload_text|payload_base64", "from to guaranteed token priority timeout", "Sends a game message.",
		func(a args) dpsp.Command {
			return dpsp.Send{From: a.id("from"), To: a.id("to"), Guaranteed: a.is("guaranteed"), Payload: a.octets("payload"),
				Notify: a.number("token"), Priority: int(a.number("priority")), Timeout: a.duration("timeout")}
		}},
	{"cancel", "token|priority", "", "Gives up a message that still waits to be sent, or all of a priority and below.",
		func(a args) dpsp.Command {
			return dpsp.Cancel{Notify: a.number("token"), Priority: int(a.number("priority"))}
		}},
	{"create_player", "name", "long_name data|data_text|data_base64 player_flags", "Makes another player of ours.",
		func(a args) dpsp.Command {
			return dpsp.CreatePlayer{ShortName: a.text("name"), LongName: a.text("long_name"), Data: a.octets("data"),
				Flags: value[wire.PlayerFlags](a, "player_flags")}
		}},
	{"delete_player", "player", "", "Removes a player of ours.", func(a args) dpsp.Command {
		return dpsp.DeletePlayer{ID: a.id("player")}
	}},
	{"create_group", "name", "long_name data|data_text|data_base64 group_flags parent", "Makes a group of ours.",
		func(a args) dpsp.Command {
			return dpsp.CreateGroup{ShortName: a.text("name"), LongName: a.text("long_name"), Data: a.octets("data"),
				Flags: value[wire.PlayerFlags](a, "group_flags"), Parent: a.id("parent")}
		}},
	{"delete_group", "group", "", "Removes a group, whosever it is, and the groups in it.", func(a args) dpsp.Command {
		return dpsp.DeleteGroup{ID: a.id("group")}
	}},
	{"add_member", "player group", "", "Puts a player, whosever it is, into a group.", func(a args) dpsp.Command {
		return dpsp.AddToGroup{Player: a.id("player"), Group: a.id("group")}
	}},
	{"remove_member", "player group", "", "Takes a player out of a group.", func(a args) dpsp.Command {
		return dpsp.RemoveFromGroup{Player: a.id("player"), Group: a.id("group")}
	}},
	{"add_shortcut", "child parent", "", "Makes a group visible in another one.", func(a args) dpsp.Command {
		return dpsp.AddShortcut{Child: a.id("child"), Parent: a.id("parent")}
	}},
	{"remove_shortcut", "child parent", "", "Takes it out again.", func(a args) dpsp.Command {
		return dpsp.RemoveShortcut{Child: a.id("child"), Parent: a.id("parent")}
	}},
	{"set_name", "player|group name", "long_name", "Renames a player or group of ours.", func(a args) dpsp.Command {
		return dpsp.SetName{ID: a.id("player") | a.id("group"), ShortName: a.text("name"), LongName: a.text("long_name")}
	}},
	{"set_data", "player|group data|data_text|data_base64", "", "Changes the data of a player or group of ours.",
		func(a args) dpsp.Command {
			return dpsp.SetData{ID: a.id("player") | a.id("group"), Data: a.octets("data")}
		}},
	{"set_session", "", "session_name password max_players session_flags application_defined",
		"Changes the session, at the host. What is left out stays as it is.", func(a args) dpsp.Command {
			return dpsp.SetDesc{Name: a.text("session_name"), Password: a.text("password"), MaxPlayers: uint32(a.number("max_players")),
				Flags: value[wire.SessionFlags](a, "session_flags"), User: value[[4]uint32](a, "application_defined")}
		}},
	{"create_object", "state|state_text|state_base64", "", "Makes a replicated object.", func(a args) dpsp.Command {
		return dpsp.CreateObject{State: a.octets("state")}
	}},
	{"update_object", "object state|state_text|state_base64", "", "Changes an object that we own.", func(a args) dpsp.Command {
		return dpsp.UpdateObject{ID: a.object("object"), State: a.octets("state")}
	}},
	{"migrate_object", "object to", "", "Asks the host to give an object to the machine of a player.", func(a args) dpsp.Command {
		return dpsp.MigrateObject{ID: a.object("object"), To: a.id("to")}
	}},
	{"destroy_object", "object", "", "Removes an object that we own.", func(a args) dpsp.Command {
		return dpsp.DestroyObject{ID: a.object("object")}
	}},
	{"balance_objects", "", "", "Spreads the objects over the machines, at the host.", func(args) dpsp.Command {
		return dpsp.BalanceObjects{}
	}},
	{"list", "", "", "Says who and what is in the session.", func(args) dpsp.Command { return nil }},
	{"leave", "", "", "Leaves the session, which ends dplay.", func(args) dpsp.Command { return dpsp.Leave{} }},
}

// maxToken is the largest token: the largest whole number that every reader of JSON understands.
const maxToken = 1<<53 - 1

// A key is one that commands have. It means the same in each of them.
type key struct {
	name  string
	kind  kind
	about string
}

// always are the keys that every command has.
var always = []key{{"command", text, ""}, {"id", commandID, ""}}

// keys are the others.
var keys = []key{
	{"text", text, "what is said"},
	{"payload", hexOctets, "the message; as text, in UTF-8, or in base64 under the other two keys"},
	{"payload_text", textOctets, ""},
	{"payload_base64", base64Octets, ""},
	{"from", playerID, "a player of ours; without it the one of --player, or the oldest"},
	{"to", playerID, "a player or group; without it everybody, or the group of --group"},
	{"guaranteed", truth, "without it true, or as --unreliable says"},
	{"token", number(1, maxToken), `comes back in the "delivered" event of the message`},
	{"priority", number(0, dpsp.MaxPriority), "higher ones go first where messages wait"},
	{"timeout", seconds, "after which a message that still waits is given up"},
	{"name", text, "the short name"},
	{"long_name", text, "without it the short one"},
	{"data", hexOctets, "the game's own, as with payload"},
	{"data_text", textOctets, ""},
	{"data_base64", base64Octets, ""},
	{"player", playerID, ""},
	{"group", playerID, ""},
	{"parent", playerID, "the group around it"},
	{"child", playerID, "a group"},
	{"player_flags", flagWords(wire.PlayerSpectator | wire.PlayerServerPlayer), ""},
	{"group_flags", flagWords(wire.PlayerHiddenGroup | wire.PlayerStagingArea), ""},
	{"session_name", text, ""},
	{"password", text, `"" for none`},
	{"max_players", number(0, 1<<32-1), "0: no limit"},
	{"session_flags", flagWords(cli.AllSession), "all of them, those that cannot change included"},
	{"application_defined", fourNumbers, "the game's own"},
	{"object", objectID, ""},
	{"state", hexOctets, "the object's, as with payload"},
	{"state_text", textOctets, ""},
	{"state_base64", base64Octets, ""},
}

// keyOf returns a key by its name, the zero key if there is none.
func keyOf(name string) (found key) {
	all := slices.Concat(always, keys)
	if at := slices.IndexFunc(all, func(k key) bool { return k.name == name }); at >= 0 {
		found = all[at]
	}
	return found
}

// specOf returns a command by its name, the zero spec if there is none.
func specOf(name string) (found spec) {
	if at := slices.IndexFunc(table, func(s spec) bool { return s.name == name }); at >= 0 {
		found = table[at]
	}
	return found
}

// names returns the names of all commands.
func names() (all []string) {
	for _, s := range table {
		all = append(all, s.name)
	}
	return all
}

// has returns the names of the keys that a command can have.
func (s *spec) has() []string {
	return strings.Fields(strings.ReplaceAll("command id "+s.needs+" "+s.may, "|", " "))
}
