package directplay

import (
	"encoding/binary"
	"errors"

	"dplay4/wire"
)

// What the flags of a lobby message say of it, DPLMSG_ in dplobby.h. A message with neither is the game's own.
const (
	LobbySystem   = 1 // from DirectPlay
	LobbyStandard = 2 // from the game or the lobby, in a form that all know
)

// LobbyMessageType is the type of a message that is not the game's own, DPLSYS_ in dplobby.h.
type LobbyMessageType uint32

// The types of lobby messages. The first four and NewConnectionSettings are system messages, the others standard ones.
const (
	ConnectionSettingsRead LobbyMessageType = 1
	ConnectFailed          LobbyMessageType = 2
	ConnectSucceeded       LobbyMessageType = 3
	AppTerminated          LobbyMessageType = 4
	SetProperty            LobbyMessageType = 5
	SetPropertyResponse    LobbyMessageType = 6
	GetProperty            LobbyMessageType = 7
	GetPropertyResponse    LobbyMessageType = 8
	NewSessionHost         LobbyMessageType = 9
	NewConnectionSettings  LobbyMessageType = 10
)

// The properties that dplobby.h names, DPLPROPERTY_.
var (
	PropertyMessagesSupported = guid("762ccda1-d916-11d0-ba39-00c04fd7ed67") // BOOL: the lobby answers
	PropertyLobbyGUID         = guid("f56920a0-d218-11d0-ba39-00c04fd7ed67") // GUID: which lobby this is
	PropertyPlayerGUID        = guid("b4319322-d20d-11d0-ba39-00c04fd7ed67") // GUID and DWORD: the player of this machine
	PropertyPlayerScore       = guid("48784000-d219-11d0-ba39-00c04fd7ed67") // DWORD and as many DWORDs
)

// LobbyMessage is a lobby message that is not the game's own. Which fields it has is its type's.
type LobbyMessage struct {
	Type     LobbyMessageType
	Instance wire.GUID    // of the session: system messages and NewSessionHost
	Request  uint32       // properties: what a response is to; zero: no response is wanted
	Player   wire.GUID    // properties
	Property wire.GUID    // properties
	Code     wire.HResult // responses
	Data     []byte       // SetProperty and GetPropertyResponse
}

// ErrLobbyMessage says that octets are not a lobby message.
var ErrLobbyMessage = errors.New("no lobby message")

// A lobbyPart is what a message may have besides its type, as it is written and read.
type lobbyPart struct {
	append func(*LobbyMessage, []byte) []byte
	read   func(*LobbyMessage, *reader)
}

var (
	instancePart = lobbyPart{
		func(m *LobbyMessage, dst []byte) []byte { return append(dst, m.Instance[:]...) },
		func(m *LobbyMessage, r *reader) {
			if len(r.b) > 0 || m.Flags() != LobbySystem { // DirectX 3 sent system messages without it
				m.Instance = r.guid()
			}
		}}
	propertyPart = lobbyPart{
		func(m *LobbyMessage, dst []byte) []byte {
			dst = binary.LittleEndian.AppendUint32(dst, m.Request)
			return append(append(dst, m.Player[:]...), m.Property[:]...)
		},
		func(m *LobbyMessage, r *reader) { m.Request, m.Player, m.Property = r.u32(), r.guid(), r.guid() }}
	codePart = lobbyPart{
		func(m *LobbyMessage, dst []byte) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(m.Code)) },
		func(m *LobbyMessage, r *reader) { m.Code = wire.HResult(r.u32()) }}
	dataPart = lobbyPart{
		func(m *LobbyMessage, dst []byte) []byte { // games take the size of the structure, which has a DWORD of data
			dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(m.Data))), m.Data...)
			return append(dst, make([]byte, max(0, 4-len(m.Data)))...)
		},
		func(m *LobbyMessage, r *reader) { m.Data = r.take(uint64(r.u32())) }}
)

var lobbyParts = map[LobbyMessageType][]lobbyPart{
	ConnectionSettingsRead: {instancePart},
	ConnectFailed:          {instancePart},
	ConnectSucceeded:       {instancePart},
	AppTerminated:          {instancePart},
	SetProperty:            {propertyPart, dataPart},
	SetPropertyResponse:    {propertyPart, codePart},
	GetProperty:            {propertyPart},
	GetPropertyResponse:    {propertyPart, codePart, dataPart},
	NewSessionHost:         {instancePart},
	NewConnectionSettings:  {instancePart},
}

// Flags returns what the message's flags say of it.
func (m LobbyMessage) Flags() uint32 {
	if m.Type <= AppTerminated || m.Type == NewConnectionSettings {
		return LobbySystem
	}
	return LobbyStandard
}

// Append appends the message's octets to dst: DPLMSG_SYSTEMMESSAGE, DPLMSG_SETPROPERTY and so on, which are the same with
// pointers of either size. Data that is shorter than a DWORD is padded to one, for games take the size of the structure.
func (m LobbyMessage) Append(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(m.Type))
	for _, p := range lobbyParts[m.Type] {
		dst = p.append(&m, dst)
	}
	return dst
}

// ParseLobbyMessage reads a message that is not the game's own. Its data alias b. What stands behind it is ignored, and a
// system message without an instance, as DirectX 3 sent them, is one of no session.
func ParseLobbyMessage(b []byte) (LobbyMessage, error) {
	r := reader{b: b}
	m := LobbyMessage{Type: LobbyMessageType(r.u32())}
	parts, known := lobbyParts[m.Type]
	for _, p := range parts {
		p.read(&m, &r)
	}
	if r.wrong || !known {
		return LobbyMessage{}, ErrLobbyMessage
	}
	return m, nil
}
