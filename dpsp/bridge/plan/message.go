package plan

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"dplay4/dpsp/bridge/code"
	"dplay4/wire"
)

// Version is that of what a plan says.
const Version = 1

// What a machine can say.
const (
	MaxMessage = 64 << 10 // octets of a message: the caller refuses longer ones
	maxName    = 32       // letters of a name
	maxAt      = 8        // relayed addresses
	maxPeers   = 2 * Slots
	maxKicked  = 64
	maxOrder   = 1 << 52   // numbers that all languages read
	maxKnown   = 4 * Slots // machines that a plan knows of
	maxLinks   = 4         // connections that one machine made
	maxHinted  = 3 * Slots // beyond which members name nobody new, so that there is room for machines that come
)

// A message is what goes over a link, as JSON. Fields that a version does not know it passes over.
type message struct {
	Version int    `json:"version"` // of who says it
	Least   int    `json:"least"`   // that it takes to understand it
	State   *state `json:"state,omitempty"`
	Grant   *grant `json:"grant,omitempty"`
	Wait    bool   `json:"wait,omitempty"`     // somebody is being asked whether you may come in
	AskWays bool   `json:"ask_ways,omitempty"` // a member's; who does not know it says nothing
	Ways    []Way  `json:"ways,omitzero"`      // answers it
}

// A state is what a machine says of itself, to each that it is linked with, whenever something of it is new.
type state struct {
	Name   string           `json:"name"`
	Slot   int              `json:"slot"`
	Order  uint64           `json:"order"`
	Ports  Ports            `json:"ports"`
	At     []netip.AddrPort `json:"at,omitempty"`
	Keeper bool             `json:"keeper,omitempty"`
	Ask    bool             `json:"ask,omitempty"`   // of a keeper: nobody comes in without a user's yes
	Peers  []hint           `json:"peers,omitempty"` // who is in the session and linked with it; of a keeper: who is in
	Kicked []ID             `json:"kicked,omitempty"`

	Meeting netip.AddrPort `json:"meeting,omitzero"` // where it answers newcomers, if it does and the code has to name it
}

// A hint is where a machine may be.
type hint struct {
	ID    ID               `json:"id"`
	At    []netip.AddrPort `json:"at,omitempty"`
	Slot  int              `json:"slot"`
	Ports Ports            `json:"ports,omitzero"` // if they are not the slot's
}

// place returns where its game is said to be.
func (h *hint) place() Place {
	if h.Slot >= 0 {
		return Place{h.Slot, cmp.Or(h.Ports, At(h.Slot))}
	}
	return Place{h.Slot, h.Ports}
}

// A grant is what a keeper gives to a machine without a slot.
type grant struct {
	Slot  int    `json:"slot"`
	Order uint64 `json:"order"`
	Ports Ports  `json:"ports"`
}

// MarshalText writes all digits.
func (id ID) MarshalText() ([]byte, error) { return []byte(hex.EncodeToString(id[:])), nil }

// UnmarshalText reads them.
func (id *ID) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(id)) {
		return fmt.Errorf("an ID of %d digits", len(text))
	}
	_, err := hex.Decode(id[:], text)
	return err
}

// encode writes a message.
func encode(m message) []byte {
	m.Version, m.Least = Version, 1
	data, err := json.Marshal(m)
	if err != nil {
		panic("plan: " + err.Error()) // only for values that JSON has no form for
	}
	return data
}

// errLater means that a message takes a later version than ours.
var errLater = errors.New("it takes a later version")

// decode reads a message, and refuses what no program of ours says. A later version may have other fields, but says so in the two
// that are in all.
func decode(data []byte) (m message, err error) {
	var least struct{ Least int }
	if err = json.Unmarshal(data, &m); err != nil {
		json.Unmarshal(data, &least) //nolint:errcheck // then it has none
	}
	if max(m.Least, least.Least) > Version {
		return m, errLater
	}
	return m, errors.Join(err, within("ways", len(m.Ways), 0, maxPeers))
}

// within refuses a number that no program of ours sends.
func within[N cmp.Ordered](what string, n, least, most N) error {
	if n < least || n > most {
		return fmt.Errorf("%s: %v", what, n)
	}
	return nil
}

// check refuses slots that there are not, and ports that games do not look for. A slot has ports.
func (a Place) check() error {
	if !a.Ports.usable() && a != (Place{Slot: -1}) {
		return fmt.Errorf("ports %v", a.Ports)
	}
	return within("slot", a.Slot, -1, Slots-1)
}

// UnmarshalJSON refuses what no program of ours sends, and cleans the name.
func (s *state) UnmarshalJSON(data []byte) error {
	type plain state
	err := json.Unmarshal(data, (*plain)(s))
	s.Name = CleanName(s.Name)
	slots := Slots
	if s.Order == 0 { // it is not in
		slots = 0
	}
	return errors.Join(err, Place{s.Slot, s.Ports}.check(), within("slot", s.Slot, -1, slots-1), within("order", s.Order, 0, maxOrder),
		within("addresses", len(s.At), 0, maxAt), within("peers", len(s.Peers), 0, maxPeers),
		within("kicked", len(s.Kicked), 0, maxKicked), code.CheckMeeting(s.Meeting))
}

// UnmarshalJSON refuses what no program of ours sends.
func (h *hint) UnmarshalJSON(data []byte) error {
	type plain hint
	err := json.Unmarshal(data, (*plain)(h))
	return errors.Join(err, h.place().check(), within("addresses", len(h.At), 0, maxAt))
}

// UnmarshalJSON refuses what no program of ours sends.
func (g *grant) UnmarshalJSON(data []byte) error {
	type plain grant
	err := json.Unmarshal(data, (*plain)(g))
	return errors.Join(err, Place{g.Slot, g.Ports}.check(), within("slot", g.Slot, 0, Slots-1), within("order", g.Order, 1, maxOrder))
}

// usable reports whether the ports are some of slots, where games look for free ones (facts, 1.14). With others all machines would
// open ports that are not the bridge's, and the games of all could be sent to whatever else is there.
func (p Ports) usable() bool {
	tcp, udp := wire.StreamPorts, wire.DatagramPorts
	return p == Ports{TCP: min(max(p.TCP, tcp.First), tcp.Last), UDP: min(max(p.UDP, udp.First), udp.Last)}
}

// CleanName returns what is fit to be shown of a name.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	runes := []rune(name)
	return strings.TrimSpace(string(runes[:min(len(runes), maxName)]))
}
