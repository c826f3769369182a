package bridging

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
)

// A MachineObject is a machine in JSON. What is not known is left out.
type MachineObject struct {
	ID        string   `json:"id"`
	Slot      *int     `json:"slot,omitempty"`
	Name      string   `json:"name"`
	Twin      bool     `json:"twin,omitempty"`
	Self      bool     `json:"self"`
	Keeper    bool     `json:"keeper"`
	Hosts     bool     `json:"hosts,omitempty"`
	Way       string   `json:"way,omitempty"`
	Over      string   `json:"over,omitempty"`
	RoundTrip *float64 `json:"round_trip,omitempty"`
	Loss      *float64 `json:"loss,omitempty"`
}

// Called returns what the machine is called: with its number, if another one of the session is called so as well.
func (o *MachineObject) Called() string {
	if o.Twin {
		return fmt.Sprintf("%s (%d)", o.Name, *o.Slot)
	}
	return o.Name
}

// ObjectOf returns a machine's object.
func ObjectOf(m *bridge.Member) *MachineObject {
	o := namedObject(m)
	if m.Self {
		return o
	}
	o.Way = wayWord(m)
	if m.Linked {
		o.Over = m.Way.Over
		o.RoundTrip, o.Loss = new(m.Way.RTT.Seconds()), &m.Way.Loss
	}
	return o
}

// namedObject returns a machine's object without its way.
func namedObject(m *bridge.Member) *MachineObject {
	return &MachineObject{ID: hex.EncodeToString(m.ID[:]), Slot: &m.Slot, Twin: m.Twin, Self: m.Self, Keeper: m.Keeper, Hosts: m.Hosts,
		Name: cmp.Or(captures.Printable(m.Name), fmt.Sprintf("machine %d", m.Slot))}
}

// askerObject returns that of a newcomer.
func askerObject(id link.ID, name string) *MachineObject {
	return &MachineObject{ID: hex.EncodeToString(id[:]), Name: captures.Printable(name)}
}

// A portsObject is where a game listens.
type portsObject struct {
	TCP uint16 `json:"tcp"`
	UDP uint16 `json:"udp"`
}

// An eventObject is an event in JSON; EVENTS.md describes the keys.
type eventObject struct {
	Time      string         `json:"time"`
	Event     string         `json:"event"`
	Code      string         `json:"code,omitempty"`
	Machine   *MachineObject `json:"machine,omitempty"`
	Ask       *bool          `json:"ask,omitempty"`
	Relay     string         `json:"relay,omitempty"`
	Found     *bool          `json:"found,omitempty"`
	Others    *int           `json:"others,omitempty"`
	Transport string         `json:"transport,omitempty"`
	Slot      *int           `json:"slot,omitempty"`
	Addr      string         `json:"addr,omitempty"`
	As        *int           `json:"as,omitempty"`
	Count     *int           `json:"count,omitempty"`
	For       *string        `json:"for,omitempty"`
	On        *bool          `json:"on,omitempty"`
	Program   string         `json:"program,omitempty"`
	Game      *portsObject   `json:"game,omitempty"`
	Plan      *portsObject   `json:"plan,omitempty"`
	Reason    *string        `json:"reason,omitempty"`
	Text      string         `json:"text,omitempty"`
}

// AppendJSON appends an event as a line.
func AppendJSON(b []byte, at time.Time, e bridge.Event) []byte {
	o := eventOf(e)
	o.Event = NameOf(e)
	o.Time = at.UTC().Format(events.TimeFormat)
	return events.AppendJSON(b, o)
}

// eventOf returns an event's object, without its time and its name.
func eventOf(e bridge.Event) *eventObject {
	switch e := e.(type) {
	case bridge.Opened:
		return &eventObject{Code: e.Code, Machine: ObjectOf(&e.Self)}
	case bridge.CodeChanged:
		return &eventObject{Code: e.Code}
	case bridge.Joined:
		return &eventObject{Machine: ObjectOf(&e.Member)}
	case bridge.Left:
		return &eventObject{Machine: ObjectOf(&e.Member), Reason: &e.Reason}
	case bridge.WayChanged:
		return &eventObject{Machine: ObjectOf(&e.Member)}
	case bridge.KeeperChanged:
		return &eventObject{Machine: ObjectOf(&e.Member), Ask: &e.Ask}
	case bridge.GameHosts:
		return &eventObject{Machine: ObjectOf(&e.Member), On: &e.Member.Hosts}
	case bridge.SlotChanged:
		return &eventObject{Machine: ObjectOf(&e.Self)}
	case bridge.Asked:
		return &eventObject{Machine: askerObject(e.ID, e.Name)}
	case bridge.Unasked:
		return &eventObject{Machine: askerObject(e.ID, e.Name), Reason: &e.Reason}
	case bridge.RelayLost:
		return &eventObject{Relay: e.Relay, Reason: &e.Reason, Found: &e.Found, Others: &e.Others}
	case bridge.RelayFound:
		return &eventObject{Relay: e.Relay, Transport: e.Transport}
	case bridge.HostElsewhere:
		o := &eventObject{On: &e.On}
		if e.On {
			o.Machine = ObjectOf(&e.Member)
		}
		return o
	case bridge.Local:
		return localOf(e.Event)
	case bridge.Ended:
		return &eventObject{Reason: &e.Reason}
	}
	return &eventObject{}
}

// localOf returns likewise the object of what happened on this machine.
func localOf(e local.Event) *eventObject {
	switch e := e.(type) {
	case local.Waiting:
		return &eventObject{For: &e.For}
	case local.Searching:
		return &eventObject{}
	case local.Hosting:
		return &eventObject{On: &e.On, Program: e.By}
	case local.Playing:
		return &eventObject{On: &e.On}
	case local.Translating:
		return &eventObject{Game: (*portsObject)(&e.Game), Plan: (*portsObject)(&e.Plan)}
	case local.Cut:
		return &eventObject{Slot: &e.Slot, Reason: new(e.Err.Error())}
	case local.Taken:
		o := &eventObject{Slot: &e.Slot, Addr: e.At.String()}
		if e.For >= 0 {
			o.As = &e.For
		}
		return o
	case local.Dropped:
		return &eventObject{Slot: &e.Slot, Count: &e.Count, Reason: new(e.Err.Error())}
	}
	return &eventObject{}
}
