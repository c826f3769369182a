package plan

import (
	"encoding/hex"
	"encoding/json"
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
	MaxMessage = 64 << 10 // octets of a message
	maxName    = 32       // letters of a name
	maxAt      = 8        // relayed addresses
	maxPeers   = 2 * Slots
	maxKicked  = 64
	maxOrder   = 1 << 52   // numbers that all languages read
	maxKnown   = 4 * Slots // machines that a plan knows of
	maxUnheard = 4         // connections of one machine that said nothing yet
	maxHinted  = 3 * Slots // beyond which it takes nobody's word that there are more
)

// A message is what goes over a link, as JSON. Fields that a version does not know it passes over.
type message struct {
	Version int    `json:"version"` // of who says it
	Least   int    `json:"least"`   // that it takes to understand it
	State   *state `json:"state,omitempty"`
	Grant   *grant `json:"grant,omitempty"`
	Wait    bool   `json:"wait,omitempty"`     // somebody is being asked whether you may come in
	AskWays bool   `json:"ask_ways,omitempty"` // a member's; who does not know it says nothing
	Ways    *[]Way `json:"ways,omitempty"`     // answers it
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

	Meeting netip.AddrPort `json:"meeting,omitzero"` // of a keeper: where it answers newcomers, if the code has to name it
}

// A hint is where a machine may be.
type hint struct {
	ID    ID               `json:"id"`
	At    []netip.AddrPort `json:"at,omitempty"`
	Slot  int              `json:"slot"`
	Ports Ports            `json:"ports,omitzero"` // if they are not the slot's
}

// place returns where its game is said to be.
func (h *hint) place() place {
	if h.Slot >= 0 && h.Ports == (Ports{}) {
		return place{h.Slot, At(h.Slot)}
	}
	return place{h.Slot, h.Ports}
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

// decode reads a message, and refuses what no program of ours says.
func decode(data []byte) (message, error) {
	var m message
	if len(data) > MaxMessage {
		return m, fmt.Errorf("a message of %d octets", len(data))
	}
	if err := json.Unmarshal(data, &m); err != nil {
		// A later version may have other fields, but says so in the two that are in all.
		return message{Least: leastOf(data)}, err
	}
	if m.Least > Version {
		return m, nil
	}
	if s := m.State; s != nil {
		if err := s.check(); err != nil {
			return m, err
		}
	}
	if g := m.Grant; g != nil && (g.Slot < 0 || g.Slot >= Slots || g.Order < 1 || g.Order > maxOrder || !g.Ports.usable()) {
		return m, fmt.Errorf("a grant of slot %d, order %d, ports %v", g.Slot, g.Order, g.Ports)
	}
	if m.Ways != nil {
		return m, checkWays(*m.Ways)
	}
	return m, nil
}

// leastOf reads the version that a message takes.
func leastOf(data []byte) int {
	var m struct {
		Least int `json:"least"`
	}
	if json.Unmarshal(data, &m) != nil {
		return 0
	}
	return m.Least
}

// check refuses what no program of ours says, and has names and lists of the size that ours have.
func (s *state) check() error {
	switch {
	case s.Slot < -1 || s.Slot >= Slots:
		return fmt.Errorf("slot %d", s.Slot)
	case s.Order > maxOrder || s.Order == 0 && (s.Slot >= 0 || s.Keeper):
		return fmt.Errorf("order %d with slot %d", s.Order, s.Slot)
	case s.Ports != Ports{} && !s.Ports.usable() || s.Slot >= 0 && s.Ports == Ports{}:
		return fmt.Errorf("ports %v", s.Ports)
	case len(s.At) > maxAt || len(s.Peers) > maxPeers || len(s.Kicked) > maxKicked:
		return fmt.Errorf("%d addresses, %d peers, %d kicked", len(s.At), len(s.Peers), len(s.Kicked))
	}
	for _, h := range s.Peers {
		if h.Slot < -1 || h.Slot >= Slots || len(h.At) > maxAt || h.Ports != (Ports{}) && !h.Ports.usable() {
			return fmt.Errorf("a peer with slot %d, ports %v and %d addresses", h.Slot, h.Ports, len(h.At))
		}
	}
	s.Name = CleanName(s.Name)
	return code.CheckMeeting(s.Meeting)
}

// usable reports whether the ports are some of slots, where games look for free ones (facts, 1.14). With others all machines would
// open ports that are not the bridge's, and the games of all could be sent to whatever else is there.
func (p Ports) usable() bool {
	tcp, udp := wire.StreamPorts, wire.DatagramPorts
	return p.TCP >= tcp.First && p.TCP <= tcp.Last && p.UDP >= udp.First && p.UDP <= udp.Last
}

// CleanName returns what is fit to be shown of a name.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if utf8.RuneCountInString(name) > maxName {
		name = string([]rune(name)[:maxName])
	}
	return strings.TrimSpace(name)
}
