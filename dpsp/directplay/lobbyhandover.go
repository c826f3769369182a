package directplay

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"dplay4/wire"
)

// EnvironmentSettings names the variable in which a game that a lobby starts finds its connection settings, and
// EnvironmentLobby the one with the place where it reaches the lobby, if there is one: what Link speaks there. Microsoft's
// has them in shared memory under the number of the process. In the environment they reach a game behind a starter of its
// own as well, and one that a program outside of Wine starts.
const (
	EnvironmentSettings = "DPLAY_LOBBY_SETTINGS"
	EnvironmentLobby    = "DPLAY_LOBBY"
)

// maxSettings is the size of the largest settings that are handed on, in octets: the environment of a Windows process has
// 32,767 characters.
const maxSettings = 20 << 10

// What is wrong with settings that were handed on.
var (
	ErrSettings        = errors.New("no connection settings")
	ErrSettingsRelease = errors.New("connection settings of another release")
	ErrSettingsLarge   = fmt.Errorf("connection settings of more than %d octets", maxSettings)
)

const (
	settingsMagic   = 0x73346C64 // "dl4s"
	settingsRelease = 1
)

// A handover is what settings that are handed on begin with.
type handover struct {
	Magic, Release, Flags                                          uint32
	Provider, Instance, Application                                wire.GUID
	SessionFlags, MaxPlayers, CurrentPlayers, Reserved1, Reserved2 uint32
	User                                                           [4]uint32
}

// EncodeSettings returns settings as they are handed to another process. They have a session.
func EncodeSettings(s *Settings) ([]byte, error) {
	b := s.encode()
	if len(b) > maxSettings {
		return nil, ErrSettingsLarge
	}
	return b, nil
}

// encode is: a handover; presence of a player; zero; then name, password, short and long name, address, each as its size and one
// more in a DWORD, zero for none, and its octets, UTF-8 for texts. All numbers are little-endian DWORDs.
func (s *Settings) encode() []byte {
	d, player := s.Session, deref(s.Player)
	b, _ := binary.Append(nil, binary.LittleEndian, handover{settingsMagic, settingsRelease, s.Flags, s.Provider, d.Instance, d.Application,
		uint32(d.Flags), d.MaxPlayers, d.CurrentPlayers, d.Reserved1, d.Reserved2, d.User})
	u32 := func(v uint32) { b = binary.LittleEndian.AppendUint32(b, v) }
	var named uint32
	if s.Player != nil {
		named = 1
	}
	u32(named)
	u32(0) // room for a later release
	for _, part := range [...][]byte{textOctets(d.Name), textOctets(d.Password), textOctets(player.Short), textOctets(player.Long), s.Address} {
		if part == nil {
			u32(0)
			continue
		}
		u32(uint32(len(part)) + 1)
		b = append(b, part...)
	}
	return b
}

// textOctets returns a text's octets, nil for none.
func textOctets(s *string) []byte {
	if s == nil {
		return nil
	}
	return []byte(*s)
}

// DecodeSettings reads what EncodeSettings gave. The address aliases b.
func DecodeSettings(b []byte) (*Settings, error) {
	var h handover
	fixed, err := binary.Decode(b, binary.LittleEndian, &h)
	switch {
	case len(b) > maxSettings:
		return nil, ErrSettingsLarge
	case err != nil, h.Magic != settingsMagic:
		return nil, ErrSettings
	case h.Release != settingsRelease:
		return nil, ErrSettingsRelease
	}
	r := reader{b: b[fixed:]}
	d := &SessionDesc{Flags: wire.SessionFlags(h.SessionFlags), Instance: h.Instance, Application: h.Application, MaxPlayers: h.MaxPlayers,
		CurrentPlayers: h.CurrentPlayers, Reserved1: h.Reserved1, Reserved2: h.Reserved2, User: h.User}
	s := &Settings{Flags: h.Flags, Provider: h.Provider, Session: d}
	named, later := r.u32(), r.u32()
	d.Name, d.Password = r.text(), r.text()
	player := &Name{Short: r.text(), Long: r.text()}
	s.Address = r.part()
	switch {
	case r.wrong, len(r.b) > 0, named > 1, later != 0, named == 0 && *player != Name{}:
		return nil, ErrSettings
	case named == 1:
		s.Player = player
	}
	return s, nil
}

// A reader reads what another process handed over. What is beyond its end is zero, and wrong.
type reader struct {
	b     []byte
	wrong bool
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.wrong, r.b = true, nil
		return make([]byte, min(n, 16)) // as many as a GUID has
	}
	t := r.b[:n:n]
	r.b = r.b[n:]
	return t
}

func (r *reader) u32() uint32     { return binary.LittleEndian.Uint32(r.take(4)) }
func (r *reader) guid() wire.GUID { return wire.GUID(r.take(16)) }

// part reads octets with their size, nil if there are none.
func (r *reader) part() []byte {
	size := r.u32()
	if size == 0 {
		return nil
	}
	return r.take(uint64(size - 1))
}

func (r *reader) text() *string {
	b := r.part()
	if b == nil {
		return nil
	}
	s := string(b)
	return &s
}

// SettingsVariable returns the value of EnvironmentSettings.
func SettingsVariable(s *Settings) (string, error) {
	b, err := EncodeSettings(s)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// ReadSettingsVariable reads the value of EnvironmentSettings.
func ReadSettingsVariable(v string) (*Settings, error) {
	if len(v) > base64.RawURLEncoding.EncodedLen(maxSettings) {
		return nil, ErrSettingsLarge
	}
	b, err := base64.RawURLEncoding.DecodeString(v)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrSettings, err)
	}
	return DecodeSettings(b)
}
