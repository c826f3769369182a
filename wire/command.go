package wire

import (
	"dplay4/wire/internal/field"
	"strconv"
)

// Command is the command value of a message header (2.2.6).
type Command uint16

// The commands of [MC-DPL4CS] 2.2.6, by their names there without DPSP_MSG_.
const (
	CmdEnumSessionsReply       Command = 0x01
	CmdEnumSessions            Command = 0x02
	CmdEnumPlayersReply        Command = 0x03
	CmdEnumPlayer              Command = 0x04
	CmdRequestPlayerID         Command = 0x05
	CmdRequestGroupID          Command = 0x06
	CmdRequestPlayerReply      Command = 0x07
	CmdCreatePlayer            Command = 0x08
	CmdCreateGroup             Command = 0x09
	CmdPlayerMessage           Command = 0x0A // never on the wire: game messages have no header
	CmdDeletePlayer            Command = 0x0B
	CmdDeleteGroup             Command = 0x0C
	CmdAddPlayerToGroup        Command = 0x0D
	CmdDeletePlayerFromGroup   Command = 0x0E
	CmdPlayerDataChanged       Command = 0x0F
	CmdPlayerNameChanged       Command = 0x10
	CmdGroupDataChanged        Command = 0x11
	CmdGroupNameChanged        Command = 0x12
	CmdAddForwardRequest       Command = 0x13
	CmdPacket                  Command = 0x15
	CmdPing                    Command = 0x16
	CmdPingReply               Command = 0x17
	CmdYouAreDead              Command = 0x18
	CmdPlayerWrapper           Command = 0x19
	CmdSessionDescChanged      Command = 0x1A
	CmdChallenge               Command = 0x1C
	CmdAccessGranted           Command = 0x1D
	CmdLogonDenied             Command = 0x1E
	CmdAuthError               Command = 0x1F
	CmdNegotiate               Command = 0x20
	CmdChallengeResponse       Command = 0x21
	CmdSigned                  Command = 0x22
	CmdAddForwardReply         Command = 0x24
	CmdAsk4Multicast           Command = 0x25
	CmdAsk4MulticastGuaranteed Command = 0x26
	CmdAddShortcutToGroup      Command = 0x27
	CmdDeleteGroupFromGroup    Command = 0x28
	CmdSuperEnumPlayersReply   Command = 0x29
	CmdKeyExchange             Command = 0x2B
	CmdKeyExchangeReply        Command = 0x2C
	CmdChat                    Command = 0x2D
	CmdAddForward              Command = 0x2E
	CmdAddForwardAck           Command = 0x2F
	CmdPacket2Data             Command = 0x30
	CmdPacket2Ack              Command = 0x31
	CmdIAmNameServer           Command = 0x35
	CmdVoice                   Command = 0x36
	CmdMulticastDelivery       Command = 0x37
	CmdCreatePlayerVerify      Command = 0x38
)

// registry is the one list of what can be decoded, indexed by command and laid out by the linker: no map,
// no init function, no way to add to it from outside.
var registry = [...]struct {
	name string
	make func() Message
}{
	CmdEnumSessionsReply:       {"ENUMSESSIONSREPLY", func() Message { return new(EnumSessionsReply) }},
	CmdEnumSessions:            {"ENUMSESSIONS", func() Message { return new(EnumSessions) }},
	CmdEnumPlayersReply:        {"ENUMPLAYERSREPLY", func() Message { return new(EnumPlayersReply) }},
	CmdEnumPlayer:              {"ENUMPLAYER", func() Message { return new(EnumPlayer) }},
	CmdRequestPlayerID:         {"REQUESTPLAYERID", func() Message { return new(RequestPlayerID) }},
	CmdRequestGroupID:          {"REQUESTGROUPID", func() Message { return new(RequestGroupID) }},
	CmdRequestPlayerReply:      {"REQUESTPLAYERREPLY", func() Message { return new(RequestPlayerReply) }},
	CmdCreatePlayer:            {"CREATEPLAYER", func() Message { return new(CreatePlayer) }},
	CmdCreateGroup:             {"CREATEGROUP", func() Message { return new(CreateGroup) }},
	CmdPlayerMessage:           {"PLAYERMESSAGE", func() Message { return new(HeaderedPlayerMessage) }},
	CmdDeletePlayer:            {"DELETEPLAYER", func() Message { return new(DeletePlayer) }},
	CmdDeleteGroup:             {"DELETEGROUP", func() Message { return new(DeleteGroup) }},
	CmdAddPlayerToGroup:        {"ADDPLAYERTOGROUP", func() Message { return new(AddPlayerToGroup) }},
	CmdDeletePlayerFromGroup:   {"DELETEPLAYERFROMGROUP", func() Message { return new(DeletePlayerFromGroup) }},
	CmdPlayerDataChanged:       {"PLAYERDATACHANGED", func() Message { return new(PlayerDataChanged) }},
	CmdPlayerNameChanged:       {"PLAYERNAMECHANGED", func() Message { return new(PlayerNameChanged) }},
	CmdGroupDataChanged:        {"GROUPDATACHANGED", func() Message { return new(GroupDataChanged) }},
	CmdGroupNameChanged:        {"GROUPNAMECHANGED", func() Message { return new(GroupNameChanged) }},
	CmdAddForwardRequest:       {"ADDFORWARDREQUEST", func() Message { return new(AddForwardRequest) }},
	CmdPacket:                  {"PACKET", func() Message { return new(Packet) }},
	CmdPing:                    {"PING", func() Message { return new(Ping) }},
	CmdPingReply:               {"PINGREPLY", func() Message { return new(PingReply) }},
	CmdYouAreDead:              {"YOUAREDEAD", func() Message { return new(YouAreDead) }},
	CmdPlayerWrapper:           {"PLAYERWRAPPER", func() Message { return new(PlayerWrapper) }},
	CmdSessionDescChanged:      {"SESSIONDESCCHANGED", func() Message { return new(SessionDescChanged) }},
	CmdChallenge:               {"CHALLENGE", func() Message { return new(Challenge) }},
	CmdAccessGranted:           {"ACCESSGRANTED", func() Message { return new(AccessGranted) }},
	CmdLogonDenied:             {"LOGONDENIED", func() Message { return new(LogonDenied) }},
	CmdAuthError:               {"AUTHERROR", func() Message { return new(AuthError) }},
	CmdNegotiate:               {"NEGOTIATE", func() Message { return new(Negotiate) }},
	CmdChallengeResponse:       {"CHALLENGERESPONSE", func() Message { return new(ChallengeResponse) }},
	CmdSigned:                  {"SIGNED", func() Message { return new(Signed) }},
	CmdAddForwardReply:         {"ADDFORWARDREPLY", func() Message { return new(AddForwardReply) }},
	CmdAsk4Multicast:           {"ASK4MULTICAST", func() Message { return new(Ask4Multicast) }},
	CmdAsk4MulticastGuaranteed: {"ASK4MULTICASTGUARANTEED", func() Message { return new(Ask4MulticastGuaranteed) }},
	CmdAddShortcutToGroup:      {"ADDSHORTCUTTOGROUP", func() Message { return new(AddShortcutToGroup) }},
	CmdDeleteGroupFromGroup:    {"DELETEGROUPFROMGROUP", func() Message { return new(DeleteGroupFromGroup) }},
	CmdSuperEnumPlayersReply:   {"SUPERENUMPLAYERSREPLY", func() Message { return new(SuperEnumPlayersReply) }},
	CmdKeyExchange:             {"KEYEXCHANGE", func() Message { return new(KeyExchange) }},
	CmdKeyExchangeReply:        {"KEYEXCHANGEREPLY", func() Message { return new(KeyExchangeReply) }},
	CmdChat:                    {"CHAT", func() Message { return new(Chat) }},
	CmdAddForward:              {"ADDFORWARD", func() Message { return new(AddForward) }},
	CmdAddForwardAck:           {"ADDFORWARDACK", func() Message { return new(AddForwardAck) }},
	CmdPacket2Data:             {"PACKET2_DATA", func() Message { return new(Packet2Data) }},
	CmdPacket2Ack:              {"PACKET2_ACK", func() Message { return new(Packet2Ack) }},
	CmdIAmNameServer:           {"IAMNAMESERVER", func() Message { return new(IAmNameServer) }},
	CmdVoice:                   {"VOICE", func() Message { return new(Voice) }},
	CmdMulticastDelivery:       {"MULTICASTDELIVERY", func() Message { return new(MulticastDelivery) }},
	CmdCreatePlayerVerify:      {"CREATEPLAYERVERIFY", func() Message { return new(CreatePlayerVerify) }},
}

// Known reports whether the specification assigns the command.
func (c Command) Known() bool { return int(c) < len(registry) && registry[c].make != nil }

// String returns the command's name without DPSP_MSG_, "EXTENSION" for [CmdExtension], or "UNKNOWN(0x0014)".
func (c Command) String() string {
	if c.Known() {
		return registry[c].name
	}
	if c == CmdExtension {
		return "EXTENSION"
	}
	return "UNKNOWN(" + field.HexWord(uint32(c), 4) + ")"
}

// Commands lists the commands that the specification assigns, in order.
func Commands() []Command {
	var all []Command
	for i := range registry {
		if c := Command(i); c.Known() {
			all = append(all, c)
		}
	}
	return all
}

// New returns an empty message for the command: an *Extension for CmdExtension, an *Unknown for what else the
// specification does not assign.
func New(c Command) Message {
	if c.Known() {
		return registry[c].make()
	}
	if c == CmdExtension {
		return new(Extension)
	}
	return &Unknown{Cmd: c}
}

// utoa writes v in decimal.
func utoa(v uint32) string { return strconv.FormatUint(uint64(v), 10) }
