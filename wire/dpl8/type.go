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

// registry is the one list of what can be decoded, indexed by type from TypeConnectInfo on and laid out by the
// linker: no map, no init function, no way to add to it from outside.
var registry = [...]struct {
	name string
	make func() Message
	op   bool // an operation of the name table (2.2.6)
}{
	TypeConnectInfo - firstType:     {name: "PLAYER_CONNECT_INFO", make: func() Message { return new(ConnectInfo) }},
	TypeSendConnectInfo - firstType: {name: "SEND_CONNECT_INFO", make: func() Message { return new(SendConnectInfo) }},
	TypeAckConnectInfo - firstType:  {name: "ACK_CONNECT_INFO", make: func() Message { return new(AckConnectInfo) }},
	TypeSendPlayerDPNID - firstType: {name: "SEND_PLAYER_DPNID", make: func() Message { return new(SendPlayerDPNID) }},
	TypeConnectFailed - firstType:   {name: "CONNECT_FAILED", make: func() Message { return new(ConnectFailed) }},
	TypeInstructConnect - firstType: {name: "INSTRUCT_CONNECT", make: func() Message { return new(InstructConnect) }, op: true},
	TypeInstructedConnectFailed - firstType: {name: "INSTRUCTED_CONNECT_FAILED",
		make: func() Message { return new(InstructedConnectFailed) }},
	TypeConnectAttemptFailed - firstType: {name: "CONNECT_ATTEMPT_FAILED",
		make: func() Message { return new(ConnectAttemptFailed) }},
	TypeNameTableVersion - firstType:    {name: "NAMETABLE_VERSION", make: func() Message { return new(NameTableVersion) }},
	TypeResyncVersion - firstType:       {name: "RESYNC_VERSION", make: func() Message { return new(ResyncVersion) }},
	TypeReqNameTableOp - firstType:      {name: "REQ_NAMETABLE_OP", make: func() Message { return new(ReqNameTableOp) }},
	TypeAckNameTableOp - firstType:      {name: "ACK_NAMETABLE_OP", make: func() Message { return new(AckNameTableOp) }},
	TypeHostMigrate - firstType:         {name: "HOST_MIGRATE", make: func() Message { return new(HostMigrate) }},
	TypeHostMigrateComplete - firstType: {name: "HOST_MIGRATE_COMPLETE", make: func() Message { return new(HostMigrateComplete) }},
	TypeAddPlayer - firstType:           {name: "ADD_PLAYER", make: func() Message { return new(AddPlayer) }, op: true},
	TypeDestroyPlayer - firstType:       {name: "DESTROY_PLAYER", make: func() Message { return new(DestroyPlayer) }, op: true},
	TypeReqCreateGroup - firstType:      {name: "REQ_CREATE_GROUP", make: func() Message { return new(ReqCreateGroup) }},
	TypeReqAddPlayerToGroup - firstType: {name: "REQ_ADD_PLAYER_TO_GROUP", make: func() Message { return new(ReqAddPlayerToGroup) }},
	TypeReqDeletePlayerFromGroup - firstType: {name: "REQ_DELETE_PLAYER_FROM_GROUP",
		make: func() Message { return new(ReqDeletePlayerFromGroup) }},
	TypeReqDestroyGroup - firstType:  {name: "REQ_DESTROY_GROUP", make: func() Message { return new(ReqDestroyGroup) }},
	TypeReqUpdateInfo - firstType:    {name: "REQ_UPDATE_INFO", make: func() Message { return new(ReqUpdateInfo) }},
	TypeCreateGroup - firstType:      {name: "CREATE_GROUP", make: func() Message { return new(CreateGroup) }, op: true},
	TypeDestroyGroup - firstType:     {name: "DESTROY_GROUP", make: func() Message { return new(DestroyGroup) }, op: true},
	TypeAddPlayerToGroup - firstType: {name: "ADD_PLAYER_TO_GROUP", make: func() Message { return new(AddPlayerToGroup) }, op: true},
	TypeDeletePlayerFromGroup - firstType: {name: "DELETE_PLAYER_FROM_GROUP",
		make: func() Message { return new(DeletePlayerFromGroup) }, op: true},
	TypeUpdateInfo - firstType:       {name: "UPDATE_INFO", make: func() Message { return new(UpdateInfo) }, op: true},
	TypeTerminateSession - firstType: {name: "TERMINATE_SESSION", make: func() Message { return new(TerminateSession) }},
	TypeReqProcessCompletion - firstType: {name: "REQ_PROCESS_COMPLETION",
		make: func() Message { return new(ReqProcessCompletion) }},
	TypeProcessCompletion - firstType: {name: "PROCESS_COMPLETION", make: func() Message { return new(ProcessCompletion) }},
	TypeReqIntegrityCheck - firstType: {name: "REQ_INTEGRITY_CHECK", make: func() Message { return new(ReqIntegrityCheck) }},
	TypeIntegrityCheck - firstType:    {name: "INTEGRITY_CHECK", make: func() Message { return new(IntegrityCheck) }},
	TypeIntegrityCheckResponse - firstType: {name: "INTEGRITY_CHECK_RESPONSE",
		make: func() Message { return new(IntegrityCheckResponse) }},
}

const firstType = TypeConnectInfo

// Known reports whether the specification assigns the type.
func (t Type) Known() bool {
	return t >= firstType && t-firstType < Type(len(registry)) && registry[t-firstType].make != nil
}

// Operation reports whether the type is one of the eight operations of the name table (2.2.6).
func (t Type) Operation() bool { return t.Known() && registry[t-firstType].op }

// String returns the type's name without DN_MSG_INTERNAL_, or "UNKNOWN(0x000000cf)".
func (t Type) String() string {
	if t.Known() {
		return registry[t-firstType].name
	}
	return "UNKNOWN(" + field.HexWord(uint32(t), 8) + ")"
}

// Types lists the types that the specification assigns, in order.
func Types() []Type {
	var all []Type
	for i := range registry {
		if t := firstType + Type(i); t.Known() {
			all = append(all, t)
		}
	}
	return all
}

// New returns an empty message of the type, an *Unknown where the specification assigns none.
func New(t Type) Message {
	if t.Known() {
		return registry[t-firstType].make()
	}
	return &Unknown{ID: t}
}
