package wine

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"dplay4/wire"
)

// A Word is what the client writes as "0x000384c9": ids, flags, checksums.
type Word uint32

// UnmarshalText reads the client's form.
func (w *Word) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 0, 32)
	*w = Word(v)
	return err
}

// String returns the client's form.
func (w Word) String() string { return fmt.Sprintf("0x%08x", uint32(w)) }

// Hex are octets that the client writes in hexadecimal.
type Hex []byte

// UnmarshalText reads them.
func (h *Hex) UnmarshalText(b []byte) (err error) {
	*h, err = hex.DecodeString(string(b))
	return err
}

// A GUID in standard notation.
type GUID wire.GUID

// UnmarshalText reads it.
func (g *GUID) UnmarshalText(b []byte) error {
	v, err := wire.ParseGUID(string(b))
	*g = GUID(v)
	return err
}

// String returns the standard notation.
func (g GUID) String() string { return wire.GUID(g).String() }

// Data is a block of octets: of a message, of a player. The octets themselves are there only if they are not more
// than the client's hex-limit (1024 unless changed); size and checksum always are.
type Data struct {
	Size  int  `json:"size"`
	CRC32 Word `json:"crc32"` // IEEE 802.3, as hash/crc32 has it
	Data  Hex  `json:"data"`
}

// A Session is DPSESSIONDESC2 as the client's DirectPlay shows it.
type Session struct {
	Instance    GUID      `json:"instance"`
	Application GUID      `json:"application"`
	Name        *string   `json:"name"`
	Password    *string   `json:"password"`
	Flags       Word      `json:"flags"`
	MaxPlayers  uint32    `json:"max_players"`
	Players     uint32    `json:"players"`
	Reserved1   Word      `json:"reserved1"`
	Reserved2   Word      `json:"reserved2"`
	User        [4]uint32 `json:"user"`
}

// A Player is a player or group that the client's DirectPlay lists.
type Player struct {
	ID    Word    `json:"id"`
	Short *string `json:"short"` // nil: none
	Long  *string `json:"long"`
	Flags Word    `json:"flags"` // DPENUMPLAYERS_ or DPENUMGROUPS_
	HR    string  `json:"hr"`    // why there is no data
	Data
}

// An Event is something that DirectPlay delivered, or that befell the client. Fields that the event does not have
// are zero.
type Event struct {
	Name   string  `json:"event"` // "player_created", "message", ...: see README.md
	T      int     `json:"t"`     // milliseconds since the client's start
	ID     Word    `json:"id"`    // of the player or group that it is about
	Group  Word    `json:"group"`
	Parent Word    `json:"parent"`
	From   Word    `json:"from"`
	To     Word    `json:"to"` // the local player that it was delivered to
	Flags  Word    `json:"flags"`
	Count  int     `json:"count"` // player_created: DirectPlay's dwCurrentPlayers
	Short  *string `json:"short"`
	Long   *string `json:"long"`
	Text   *string `json:"text"` // chat
	Type   Word    `json:"type"` // system_message
	HR     string  `json:"hr"`
	Wine   string  `json:"wine"`   // ready: Wine's version, empty on Windows
	Detail string  `json:"detail"` // overrun, crash
	Odd    string  `json:"odd"`    // what is wrong with the message
	Data

	Raw json.RawMessage `json:"-"` // the whole line; session_changed has the fields of Session there
}

// A Result is the answer to one command.
type Result struct {
	Name     string    `json:"result"`
	Seq      int       `json:"seq"`
	OK       bool      `json:"ok"`
	HR       string    `json:"hr"`     // "DP_OK"; empty if the command did not get as far as DirectPlay
	HRHex    Word      `json:"hr_hex"` // the same as a number
	Problem  string    `json:"error"`  // why it did not
	MS       int       `json:"ms"`     // how long it took
	ID       Word      `json:"id"`     // create-player, create-group
	From     Word      `json:"from"`   // send, send-size
	Count    int       `json:"count"`  // expect
	Sessions []Session `json:"sessions"`
	Session  *Session  `json:"session"`
	Players  []Player  `json:"players"`
	Groups   []Player  `json:"groups"`
	Player   *Player   `json:"player"` // player-data
	Data               // send, send-size: what was sent

	Raw json.RawMessage `json:"-"` // the whole line; caps and queue have fields of their own there
}

// Err is nil if the command succeeded; otherwise it says why not.
func (r *Result) Err() error {
	switch {
	case r.OK:
		return nil
	case r.Problem != "":
		return fmt.Errorf("%s: %s", r.Name, r.Problem)
	}
	return fmt.Errorf("%s: %s (%s)", r.Name, r.HR, r.HRHex)
}

// parseLine reads one line of the client: an event or a result.
func parseLine(line []byte) (*Event, *Result, error) {
	var kind struct {
		Event, Result *string
	}
	if err := json.Unmarshal(line, &kind); err != nil {
		return nil, nil, fmt.Errorf("the client wrote %.200q: %w", line, err)
	}
	raw := json.RawMessage(append([]byte(nil), line...))
	var err error
	switch {
	case kind.Event != nil:
		e := &Event{Raw: raw}
		if err = json.Unmarshal(line, e); err == nil {
			return e, nil, nil
		}
	case kind.Result != nil:
		r := &Result{Raw: raw}
		if err = json.Unmarshal(line, r); err == nil {
			return nil, r, nil
		}
	default:
		err = fmt.Errorf("neither an event nor a result")
	}
	return nil, nil, fmt.Errorf("the client wrote %.200q: %w", line, err)
}
