package bridging

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"reflect"
	"time"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
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

// AppendJSON appends an event as a line.
func AppendJSON(b []byte, at time.Time, e bridge.Event) []byte {
	here := inner(e)
	return events.Begin(b, at, NameOf(e)).Fields(here, func(o events.Object, key string, v any) events.Object {
		switch v := v.(type) {
		case bridge.Member:
			o = o.Add(key, ObjectOf(&v))
			if _, hosts := here.(bridge.GameHosts); hosts {
				o = o.Add("on", v.Hosts)
			}
			return o
		case link.ID:
			return o.Add(key, askerObject(v, reflect.ValueOf(here).FieldByName("Name").String()))
		case int:
			if key == "as" && v < 0 {
				return o
			}
		}
		return o.Add(key, v)
	}).End()
}
