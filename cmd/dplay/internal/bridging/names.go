package bridging

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// names has the name of each event in JSON.
var names = map[reflect.Type]string{
	reflect.TypeFor[bridge.Opened]():        "bridge_opened",
	reflect.TypeFor[bridge.CodeChanged]():   "bridge_code",
	reflect.TypeFor[bridge.Joined]():        "machine_joined",
	reflect.TypeFor[bridge.Left]():          "machine_left",
	reflect.TypeFor[bridge.WayChanged]():    "machine_way",
	reflect.TypeFor[bridge.KeeperChanged](): "keeper_changed",
	reflect.TypeFor[bridge.GameHosts]():     "machine_hosts",
	reflect.TypeFor[bridge.SlotChanged]():   "slot_changed",
	reflect.TypeFor[bridge.Asked]():         "machine_asks",
	reflect.TypeFor[bridge.Unasked]():       "machine_asks_no_more",
	reflect.TypeFor[bridge.RelayLost]():     "relay_lost",
	reflect.TypeFor[bridge.RelayFound]():    "relay_found",
	reflect.TypeFor[bridge.HostElsewhere](): "host_elsewhere",
	reflect.TypeFor[bridge.Ended]():         "bridge_closed",
	reflect.TypeFor[local.Waiting]():        "waiting",
	reflect.TypeFor[local.Searching]():      "game_searching",
	reflect.TypeFor[local.Hosting]():        "game_hosting",
	reflect.TypeFor[local.Playing]():        "game_playing",
	reflect.TypeFor[local.Translating]():    "game_translated",
	reflect.TypeFor[local.Cut]():            "stream_cut",
	reflect.TypeFor[local.Taken]():          "address_taken",
	reflect.TypeFor[local.Dropped]():        "messages_dropped",
}

// The events that are told before there is a session, or instead of one.
const (
	waitingName = "bridge_waiting"
	failedName  = "bridge_failed"
)

// NameOf returns the name of an event.
func NameOf(e bridge.Event) string {
	of := reflect.TypeOf(e)
	if here, is := e.(bridge.Local); is {
		of = reflect.TypeOf(here.Event)
	}
	return cmp.Or(names[of], "other")
}

// Names returns the names of all events, in order.
func Names() []string {
	all := slices.AppendSeq([]string{waitingName, failedName}, maps.Values(names))
	slices.Sort(all)
	return all
}
