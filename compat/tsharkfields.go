package compat

// A Form is a way of printing the value of a field.
type Form uint8

// The forms in which tshark prints values, and those in which it should.
const (
	Decimal    Form = iota + 1 // 2300
	Hex16                      // 0x000b
	Hex32                      // 0x000384c9
	Octets                     // c9:84:03:00
	Text                       // the characters of a text, without its terminator
	GUID                       // standard notation, without braces
	GUIDOctets                 // the same notation with the octets as they stand
	Bit                        // 1 or 0: is the bit of Mask set
	Bits                       // the bits of Mask, shifted down, as Hex32
	Family                     // of a SOCKADDR_IN: 0x0002
	Port                       // of a SOCKADDR_IN: 2300
	Address                    // of a SOCKADDR_IN: 10.0.0.1
	Zero                       // of a SOCKADDR_IN: its padding, as Octets
)

// A TsharkField pairs a field of tshark's dissector with one of package wire.
type TsharkField struct {
	Tshark string // as "tshark -G fields" lists it
	// Wire is the path of the field as a wire.Visitor sees it, without the places in lists:
	// "PlayerInfo.ShortName". A star stands for Players, Groups and Shortcuts.
	Wire string
	Form Form // in which tshark prints it

	Mask uint32 // for Bit and Bits
	Name string // for Bit: what package wire calls the bit; "" for one without a name

	// Error is the key of the TsharkError that the field shows, "" where tshark is right. Then at least one of
	// these says what is wrong: the form that would be right, or tshark's label that misleads.
	Error string
	Right Form
	Label string
}

// TsharkFields are all fields that tshark shows of the header and of the commands it decodes fully: 01, 02,
// 05, 07, 08, 0b-0e, 13, 16, 17 and 29.
var TsharkFields = []TsharkField{
	// The headers (2.2.6). tshark, too, reads the command before the version.
	{Tshark: "dplay.size", Wire: "size", Form: Decimal},
	{Tshark: "dplay.token", Wire: "token", Form: Hex32},
	{Tshark: "dplay.saddr.af", Wire: "SockAddr", Form: Family},
	{Tshark: "dplay.saddr.port", Wire: "SockAddr", Form: Port},
	{Tshark: "dplay.saddr.ip", Wire: "SockAddr", Form: Address},
	{Tshark: "dplay.saddr.padding", Wire: "SockAddr", Form: Zero},
	{Tshark: "dplay.dplay_str", Wire: "Signature", Form: Text},
	{Tshark: "dplay.command", Wire: "Command", Form: Hex16},
	{Tshark: "dplay.dialect.version", Wire: "Version", Form: Hex16},

	// DPSESSIONDESC2 (2.2.5).
	{Tshark: "dplay.sess_desc.length", Wire: "SessionDesc.Size", Form: Decimal},
	{Tshark: "dplay.flags", Wire: "SessionDesc.Flags", Form: Hex32},
	{Tshark: "dplay.flags.no_create_players", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 0, Name: "NEWPLAYERSDISABLED"},
	{Tshark: "dplay.flags.unused", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 1},
	{Tshark: "dplay.flags.migrate_host", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 2, Name: "MIGRATEHOST"},
	{Tshark: "dplay.flags.short_player_msg", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 3, Name: "NOMESSAGEID"},
	{Tshark: "dplay.ignored", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 4},
	{Tshark: "dplay.flags.can_join", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 5, Name: "JOINDISABLED",
		Error: "join-negated", Label: "can join"},
	{Tshark: "dplay.flags.use_ping", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 6, Name: "KEEPALIVE"},
	{Tshark: "dplay.flags.no_player_updates", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 7, Name: "NODATAMESSAGES"},
	{Tshark: "dplay.flags.use_auth", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 8, Name: "SECURESERVER"},
	{Tshark: "dplay.flags.priv_sess", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 9, Name: "PRIVATE"},
	{Tshark: "dplay.flags.pass_req", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 10, Name: "PASSWORDREQUIRED"},
	{Tshark: "dplay.flags.route", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 11, Name: "MULTICASTSERVER"},
	{Tshark: "dplay.flags.srv_p_only", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 12, Name: "CLIENTSERVER"},
	{Tshark: "dplay.flags.reliable", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 13, Name: "DIRECTPLAYPROTOCOL"},
	{Tshark: "dplay.flags.order", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 14, Name: "NOPRESERVEORDER",
		Error: "order-negated", Label: "preserve order"},
	{Tshark: "dplay.flags.opt_latency", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 15, Name: "OPTIMIZELATENCY"},
	{Tshark: "dplay.flags.acq_voice", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 16, Name: "ALLOWVOICERETRO"},
	{Tshark: "dplay.flags.no_sess_desc", Wire: "SessionDesc.Flags", Form: Bit, Mask: 1 << 17, Name: "NOSESSIONDESCMESSAGES"},
	{Tshark: "dplay.instance.guid", Wire: "SessionDesc.InstanceGUID", Form: GUIDOctets, Right: GUID, Error: "guid-octets"},
	{Tshark: "dplay.game.guid", Wire: "SessionDesc.ApplicationGUID", Form: GUIDOctets, Right: GUID, Error: "guid-octets"},
	{Tshark: "dplay.sess_desc.max_players", Wire: "SessionDesc.MaxPlayers", Form: Decimal},
	{Tshark: "dplay.sess_desc.curr_players", Wire: "SessionDesc.CurrentPlayerCount", Form: Decimal},
	{Tshark: "dplay.sess_desc.name_ptr", Wire: "SessionDesc.SessionName", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.pw_ptr", Wire: "SessionDesc.Password", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.res_1", Wire: "SessionDesc.Reserved1", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.res_2", Wire: "SessionDesc.Reserved2", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.user_1", Wire: "SessionDesc.ApplicationDefined1", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.user_2", Wire: "SessionDesc.ApplicationDefined2", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.user_3", Wire: "SessionDesc.ApplicationDefined3", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sess_desc.user_4", Wire: "SessionDesc.ApplicationDefined4", Form: Octets, Right: Hex32, Error: "number-octets"},

	// DPLAYI_PACKEDPLAYER (2.2.2).
	{Tshark: "dplay.pp.size", Wire: "PlayerInfo.Size", Form: Decimal},
	{Tshark: "dplay.pp.flags", Wire: "PlayerInfo.Flags", Form: Hex32},
	{Tshark: "dplay.pp.flags.sysplayer", Wire: "PlayerInfo.Flags", Form: Bit, Mask: 1, Name: "SYSTEM"},
	{Tshark: "dplay.pp.flags.nameserver", Wire: "PlayerInfo.Flags", Form: Bit, Mask: 2, Name: "NAMESERVER"},
	{Tshark: "dplay.pp.flags.in_group", Wire: "PlayerInfo.Flags", Form: Bit, Mask: 4, Name: "INGROUP"},
	{Tshark: "dplay.pp.flags.sending", Wire: "PlayerInfo.Flags", Form: Bit, Mask: 8, Name: "LOCAL"},
	{Tshark: "dplay.pp.id", Wire: "PlayerInfo.PlayerID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.pp.short_name_len", Wire: "PlayerInfo.ShortNameLength", Form: Hex32},
	{Tshark: "dplay.pp.long_name_len", Wire: "PlayerInfo.LongNameLength", Form: Hex32},
	{Tshark: "dplay.pp.sp_data_size", Wire: "PlayerInfo.ServiceProviderDataSize", Form: Hex32},
	{Tshark: "dplay.pp.player_data_size", Wire: "PlayerInfo.PlayerDataSize", Form: Hex32},
	{Tshark: "dplay.pp.player_count", Wire: "PlayerInfo.NumberOfPlayers", Form: Hex32},
	{Tshark: "dplay.pp.sysplayer_id", Wire: "PlayerInfo.SystemPlayerID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.pp.fixed_size", Wire: "PlayerInfo.FixedSize", Form: Decimal},
	{Tshark: "dplay.pp.dialect", Wire: "PlayerInfo.PlayerVersion", Form: Hex32},
	{Tshark: "dplay.pp.unknown_1", Wire: "PlayerInfo.ParentID", Form: Octets, Right: Hex32, Error: "parent-unknown",
		Label: "unknown 1"},
	{Tshark: "dplay.pp.short_name", Wire: "PlayerInfo.ShortName", Form: Text},
	{Tshark: "dplay.pp.long_name", Wire: "PlayerInfo.LongName", Form: Text},
	{Tshark: "dplay.pp.sp_data", Wire: "PlayerInfo.ServiceProviderData", Form: Octets},
	{Tshark: "dplay.pp.player_data", Wire: "PlayerInfo.PlayerData", Form: Octets},
	{Tshark: "dplay.pp.player_id", Wire: "PlayerInfo.PlayerIDs", Form: Octets, Right: Hex32, Error: "id-octets"},

	// DPLAYI_SUPERPACKEDPLAYER (2.2.3).
	{Tshark: "dplay.spp.size", Wire: "*.Size", Form: Decimal},
	{Tshark: "dplay.spp.flags", Wire: "*.Flags", Form: Hex32},
	{Tshark: "dplay.spp.flags.sysplayer", Wire: "*.Flags", Form: Bit, Mask: 1, Name: "SYSTEM"},
	{Tshark: "dplay.spp.flags.nameserver", Wire: "*.Flags", Form: Bit, Mask: 2, Name: "NAMESERVER"},
	{Tshark: "dplay.spp.flags.in_group", Wire: "*.Flags", Form: Bit, Mask: 4, Name: "INGROUP"},
	{Tshark: "dplay.spp.flags.sending", Wire: "*.Flags", Form: Bit, Mask: 8, Name: "LOCAL"},
	{Tshark: "dplay.spp.id", Wire: "*.ID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.spp.pim", Wire: "*.PlayerInfoMask", Form: Hex32},
	{Tshark: "dplay.spp.pim.short_name", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x001},
	{Tshark: "dplay.spp.pim.long_name", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x002},
	{Tshark: "dplay.spp.pim.sp_length", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x00C},
	{Tshark: "dplay.spp.pim.pd_length", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x030},
	{Tshark: "dplay.spp.pim.player_count", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x0C0},
	{Tshark: "dplay.spp.pim.parent_id", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x100},
	{Tshark: "dplay.spp.pim.shortcut_count", Wire: "*.PlayerInfoMask", Form: Bits, Mask: 0x600},
	{Tshark: "dplay.spp.dialect", Wire: "*.VersionOrSystemPlayerID", Form: Hex32},
	{Tshark: "dplay.spp.sysplayer_id", Wire: "*.VersionOrSystemPlayerID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.spp.short_name", Wire: "*.ShortName", Form: Text},
	{Tshark: "dplay.spp.long_name", Wire: "*.LongName", Form: Text},
	{Tshark: "dplay.spp.pd_length", Wire: "*.PlayerDataLength", Form: Hex32},
	{Tshark: "dplay.spp.player_data", Wire: "*.PlayerData", Form: Octets},
	{Tshark: "dplay.spp.sp_data_length", Wire: "*.ServiceProviderDataLength", Form: Hex32},
	{Tshark: "dplay.spp.sp_data", Wire: "*.ServiceProviderData", Form: Octets},
	{Tshark: "dplay.spp.player_count", Wire: "*.PlayerCount", Form: Hex32},
	{Tshark: "dplay.spp.player_id", Wire: "*.PlayerIDs", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.spp.parent_id", Wire: "*.ParentID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.spp.shortcut_count", Wire: "*.ShortcutIDCount", Form: Hex32},
	{Tshark: "dplay.spp.shortcut_id", Wire: "*.ShortcutIDs", Form: Octets, Right: Hex32, Error: "id-octets"},

	// DPSECURITYDESC (2.2.4).
	{Tshark: "dplay.sd.size", Wire: "SecDesc.Size", Form: Decimal},
	{Tshark: "dplay.sd.flags", Wire: "SecDesc.Flags", Form: Hex32},
	{Tshark: "dplay.sd.sspi", Wire: "SecDesc.SSPIProvider", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sd.capi", Wire: "SecDesc.CAPIProvider", Form: Octets, Right: Hex32, Error: "number-octets"},
	{Tshark: "dplay.sd.capi_type", Wire: "SecDesc.CAPIProviderType", Form: Hex32},
	{Tshark: "dplay.sd.enc_alg", Wire: "SecDesc.EncryptionAlgorithm", Form: Hex32},

	// 01 ENUMSESSIONSREPLY and 02 ENUMSESSIONS.
	{Tshark: "dplay.type_01.name_offs", Wire: "NameOffset", Form: Decimal},
	{Tshark: "dplay.type_01.game_name", Wire: "SessionName", Form: Text},
	{Tshark: "dplay.type02.game.guid", Wire: "ApplicationGUID", Form: GUIDOctets, Right: GUID, Error: "guid-octets"},
	{Tshark: "dplay.type02.password_offset", Wire: "PasswordOffset", Form: Decimal},
	{Tshark: "dplay.type02.flags", Wire: "Flags", Form: Hex32},
	{Tshark: "dplay.type02.joinable", Wire: "Flags", Form: Bit, Mask: 0x01, Name: "AVAILABLE"},
	{Tshark: "dplay.type02.all", Wire: "Flags", Form: Bit, Mask: 0x02, Name: "ALL"},
	{Tshark: "dplay.type02.pw_req", Wire: "Flags", Form: Bit, Mask: 0x40, Name: "PASSWORDREQUIRED"},
	{Tshark: "dplay.type02.password", Wire: "Password", Form: Text},

	// 05 REQUESTPLAYERID and 07 REQUESTPLAYERREPLY.
	{Tshark: "dplay.type_05.flags", Wire: "Flags", Form: Hex32},
	{Tshark: "dplay.type_05.flags.sys_player", Wire: "Flags", Form: Bit, Mask: 0x1, Name: "SYSTEM"},
	{Tshark: "dplay.type_05.flags.name_server", Wire: "Flags", Form: Bit, Mask: 0x2, Name: "NAMESERVER"},
	{Tshark: "dplay.type_05.flags.local", Wire: "Flags", Form: Bit, Mask: 0x4, Name: "INGROUP", Error: "local-is-4",
		Label: "is local player"},
	{Tshark: "dplay.type_05.flags.unknown", Wire: "Flags", Form: Bit, Mask: 0x8, Name: "LOCAL",
		Error: "local-unknown", Label: "unknown"},
	{Tshark: "dplay.type_05.flags.secure", Wire: "Flags", Form: Bit, Mask: 0x200, Name: "SPECTATOR", Error: "spectator-secure",
		Label: "is secure session"},
	{Tshark: "dplay.type_07.dpid", Wire: "ID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.type_07.sspi_offset", Wire: "SSPIProviderOffset", Form: Decimal},
	{Tshark: "dplay.type_07.capi_offset", Wire: "CAPIProviderOffset", Form: Decimal},
	{Tshark: "dplay.type_07.hresult", Wire: "Result", Form: Decimal, Right: Hex32, Error: "hresult-decimal"},
	{Tshark: "dplay.type_07.sspi", Wire: "SSPIProvider", Form: Text},
	{Tshark: "dplay.type_07.capi", Wire: "CAPIProvider", Form: Text},

	// The block of ids of 08, 0b-0e, and 13 ADDFORWARDREQUEST, which has names of its own.
	{Tshark: "dplay.multi.id_to", Wire: "IDTo", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.multi.player_id", Wire: "PlayerID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.multi.group_id", Wire: "GroupID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.multi.create_offset", Wire: "CreateOffset", Form: Decimal},
	{Tshark: "dplay.multi.password_offset", Wire: "PasswordOffset", Form: Decimal},
	{Tshark: "dplay.multi.password", Wire: "Reserved1", Form: Text, Right: Decimal, Error: "tail-password", Label: "Password"},
	{Tshark: "dplay.type_13.id_to", Wire: "IDTo", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.type_13.player_id", Wire: "PlayerID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.type_13.group_id", Wire: "GroupID", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.type_13.create_offset", Wire: "CreateOffset", Form: Decimal},
	{Tshark: "dplay.type_13.password_offset", Wire: "PasswordOffset", Form: Decimal},
	{Tshark: "dplay.type_13.password", Wire: "Password", Form: Text},
	{Tshark: "dplay.type_13.tick_count", Wire: "SessionReserved1", Form: Octets, Right: Hex32, Error: "tick-octets",
		Label: "Tick count? Looks like an ID"},

	// 16 PING and 17 PINGREPLY.
	{Tshark: "dplay.ping.id_from", Wire: "IDFrom", Form: Octets, Right: Hex32, Error: "id-octets"},
	{Tshark: "dplay.ping.tick_count", Wire: "TickCount", Form: Decimal},

	// 29 SUPERENUMPLAYERSREPLY.
	{Tshark: "dplay.type_29.player_count", Wire: "PlayerCount", Form: Decimal},
	{Tshark: "dplay.type_29.group_count", Wire: "GroupCount", Form: Decimal},
	{Tshark: "dplay.type_29.packed_offset", Wire: "PackedOffset", Form: Decimal},
	{Tshark: "dplay.type_29.shortcut_count", Wire: "ShortcutCount", Form: Decimal},
	{Tshark: "dplay.type_29.desc_offset", Wire: "DescriptionOffset", Form: Decimal},
	{Tshark: "dplay.type_29.name_offset", Wire: "NameOffset", Form: Decimal},
	{Tshark: "dplay.type_29.pass_offset", Wire: "PasswordOffset", Form: Decimal},
	{Tshark: "dplay.type_29.game_name", Wire: "SessionName", Form: Text},
	{Tshark: "dplay.type_29.password", Wire: "Password", Form: Text},
}

// A TsharkName is the name that tshark gives to a value of a field.
type TsharkName struct {
	Tshark string // the field
	Value  uint32
	Says   string
	Wire   string // what package wire says; "" if it has no name for the value
	Error  string // key of a TsharkError; "" where both mean the same
}

// TsharkNames are the values that tshark has names for. Commands are missing here that both call the same but
// for case, spaces and underscores: "Enum Sessions Reply" is ENUMSESSIONSREPLY.
var TsharkNames = []TsharkName{
	{"dplay.token", 0xFAB, "Remote Message", "REMOTE", ""},
	{"dplay.token", 0xCAB, "Forwarded Message", "FORWARD", ""},
	{"dplay.token", 0xBAB, "Server Message", "SERVER", ""},
	{"dplay.dialect.version", 9, "dplay 6", "DX6", ""},
	{"dplay.dialect.version", 10, "dplay 6.1", "DX6.1", ""},
	{"dplay.dialect.version", 11, "dplay 6.1a", "DX6.1a", ""},
	{"dplay.dialect.version", 12, "dplay 7.1", "DX7.1", ""},
	{"dplay.dialect.version", 13, "dplay 8", "DX8", ""},
	{"dplay.dialect.version", 14, "dplay 9", "DX9", ""},
	{"dplay.sd.enc_alg", 0, "Default", "", ""},
	{"dplay.sd.enc_alg", 0x6601, "DES", "CALG_DES", ""},
	{"dplay.sd.enc_alg", 0x6602, "RC2", "CALG_RC2", ""},
	{"dplay.sd.enc_alg", 0x6603, "3DES", "CALG_3DES", ""},
	{"dplay.sd.enc_alg", 0x6611, "AES", "CALG_AES", ""},
	{"dplay.sd.enc_alg", 0x6801, "RC4", "CALG_RC4", ""},
	{"dplay.command", 0x04, "Enum Players", "ENUMPLAYER", "own-command-name"},
	{"dplay.command", 0x17, "Pong", "PINGREPLY", "own-command-name"},
	{"dplay.command", 0x25, "Ask For Multicast", "ASK4MULTICAST", "own-command-name"},
	{"dplay.command", 0x26, "Ask For Multicast Guaranteed", "ASK4MULTICASTGUARANTEED", "own-command-name"},
	{"dplay.command", 0x38, "Create Players Verify", "CREATEPLAYERVERIFY", "own-command-name"},
}
