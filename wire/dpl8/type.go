package dpl8

import "dplay4/wire/internal/field"

// Type is the packet type that a message begins with, dwPacketType.
type Type uint32

// The packet types of sections 2.2.1 to 2.2.5, by their names there without DN_MSG_INTERNAL_.
const (
	TypeConnectInfo              Type = 0xC1
	TypeSendConnectInfo          Type = 0xC2
	TypeAckConnectInfo           Type = 0xC3
	TypeSendPlayerDPNID          Type = 0xC4
	TypeConnectFailed            Type = 0xC5
	TypeInstructConnect          Type = 0xC6
	TypeInstructedConnectFailed  Type = 0xC7
	TypeConnectAttemptFailed     Type = 0xC8
	TypeNameTableVersion         Type = 0xC9
	TypeResyncVersion            Type = 0xCA
	TypeReqNameTableOp           Type = 0xCB
	TypeAckNameTableOp           Type = 0xCC // 2.2.2.10 repeats the name of the request
	TypeHostMigrate              Type = 0xCD
	TypeHostMigrateComplete      Type = 0xCE
	TypeAddPlayer                Type = 0xD0
	TypeDestroyPlayer            Type = 0xD1
	TypeReqCreateGroup           Type = 0xD2
	TypeReqAddPlayerToGroup      Type = 0xD3
	TypeReqDeletePlayerFromGroup Type = 0xD4
	TypeReqDestroyGroup          Type = 0xD5
	TypeReqUpdateInfo            Type = 0xD6
	TypeCreateGroup              Type = 0xD7
	TypeDestroyGroup             Type = 0xD8
	TypeAddPlayerToGroup         Type = 0xD9
	TypeDeletePlayerFromGroup    Type = 0xDA
	TypeUpdateInfo               Type = 0xDB
	TypeTerminateSession         Type = 0xDF
	TypeReqProcessCompletion     Type = 0xE0
	TypeProcessCompletion        Type = 0xE1
	TypeReqIntegrityCheck        Type = 0xE2
	TypeIntegrityCheck           Type = 0xE3
	TypeIntegrityCheckResponse   Type = 0xE4 // 2.2.2.8 repeats the name of the check
)

// registry is the one list of what can be decoded, indexed by type and laid out by the linker: no map, no init function, no
// way to add to it from outside.
var registry = [...]struct {
	name string
	make func() Message
	op   bool // an operation of the name table (2.2.6)
}{
	TypeConnectInfo:              {"PLAYER_CONNECT_INFO", func() Message { return new(ConnectInfo) }, false},
	TypeSendConnectInfo:          {"SEND_CONNECT_INFO", func() Message { return new(SendConnectInfo) }, false},
	TypeAckConnectInfo:           {"ACK_CONNECT_INFO", func() Message { return new(AckConnectInfo) }, false},
	TypeSendPlayerDPNID:          {"SEND_PLAYER_DPNID", func() Message { return new(SendPlayerDPNID) }, false},
	TypeConnectFailed:            {"CONNECT_FAILED", func() Message { return new(ConnectFailed) }, false},
	TypeInstructConnect:          {"INSTRUCT_CONNECT", func() Message { return new(InstructConnect) }, true},
	TypeInstructedConnectFailed:  {"INSTRUCTED_CONNECT_FAILED", func() Message { return new(InstructedConnectFailed) }, false},
	TypeConnectAttemptFailed:     {"CONNECT_ATTEMPT_FAILED", func() Message { return new(ConnectAttemptFailed) }, false},
	TypeNameTableVersion:         {"NAMETABLE_VERSION", func() Message { return new(NameTableVersion) }, false},
	TypeResyncVersion:            {"RESYNC_VERSION", func() Message { return new(ResyncVersion) }, false},
	TypeReqNameTableOp:           {"REQ_NAMETABLE_OP", func() Message { return new(ReqNameTableOp) }, false},
	TypeAckNameTableOp:           {"ACK_NAMETABLE_OP", func() Message { return new(AckNameTableOp) }, false},
	TypeHostMigrate:              {"HOST_MIGRATE", func() Message { return new(HostMigrate) }, false},
	TypeHostMigrateComplete:      {"HOST_MIGRATE_COMPLETE", func() Message { return new(HostMigrateComplete) }, false},
	TypeAddPlayer:                {"ADD_PLAYER", func() Message { return new(AddPlayer) }, true},
	TypeDestroyPlayer:            {"DESTROY_PLAYER", func() Message { return new(DestroyPlayer) }, true},
	TypeReqCreateGroup:           {"REQ_CREATE_GROUP", func() Message { return new(ReqCreateGroup) }, false},
	TypeReqAddPlayerToGroup:      {"REQ_ADD_PLAYER_TO_GROUP", func() Message { return new(ReqAddPlayerToGroup) }, false},
	TypeReqDeletePlayerFromGroup: {"REQ_DELETE_PLAYER_FROM_GROUP", func() Message { return new(ReqDeletePlayerFromGroup) }, false},
	TypeReqDestroyGroup:          {"REQ_DESTROY_GROUP", func() Message { return new(ReqDestroyGroup) }, false},
	TypeReqUpdateInfo:            {"REQ_UPDATE_INFO", func() Message { return new(ReqUpdateInfo) }, false},
	TypeCreateGroup:              {"CREATE_GROUP", func() Message { return new(CreateGroup) }, true},
	TypeDestroyGroup:             {"DESTROY_GROUP", func() Message { return new(DestroyGroup) }, true},
	TypeAddPlayerToGroup:         {"ADD_PLAYER_TO_GROUP", func() Message { return new(AddPlayerToGroup) }, true},
	TypeDeletePlayerFromGroup:    {"DELETE_PLAYER_FROM_GROUP", func() Message { return new(DeletePlayerFromGroup) }, true},
	TypeUpdateInfo:               {"UPDATE_INFO", func() Message { return new(UpdateInfo) }, true},
	TypeTerminateSession:         {"TERMINATE_SESSION", func() Message { return new(TerminateSession) }, false},
	TypeReqProcessCompletion:     {"REQ_PROCESS_COMPLETION", func() Message { return new(ReqProcessCompletion) }, false},
	TypeProcessCompletion:        {"PROCESS_COMPLETION", func() Message { return new(ProcessCompletion) }, false},
	TypeReqIntegrityCheck:        {"REQ_INTEGRITY_CHECK", func() Message { return new(ReqIntegrityCheck) }, false},
	TypeIntegrityCheck:           {"INTEGRITY_CHECK", func() Message { return new(IntegrityCheck) }, false},
	TypeIntegrityCheckResponse:   {"INTEGRITY_CHECK_RESPONSE", func() Message { return new(IntegrityCheckResponse) }, false},
}

// Known reports whether the specification assigns the type.
func (t Type) Known() bool { return t < Type(len(registry)) && registry[t].make != nil }

// Operation reports whether the type is one of the eight operations of the name table (2.2.6).
func (t Type) Operation() bool { return t.Known() && registry[t].op }

// String returns the type's name without DN_MSG_INTERNAL_, or "UNKNOWN(0x000000cf)".
func (t Type) String() string {
	if t.Known() {
		return registry[t].name
	}
	return "UNKNOWN(" + field.HexWord(uint32(t), 8) + ")"
}

// Types lists the types that the specification assigns, in order.
func Types() []Type {
	var all []Type
	for i := range registry {
		if t := Type(i); t.Known() {
			all = append(all, t)
		}
	}
	return all
}

// New returns an empty message of the type, an *Unknown where the specification assigns none.
func New(t Type) Message {
	if t.Known() {
		return registry[t].make()
	}
	return &Unknown{ID: t}
}
