package main

// messageKeys are the keys that can stand in messages and headers, sorted: those of captures/show/NDJSON.md.
var messageKeys = [...]string{
	"application_defined1", "application_defined2", "application_defined3", "application_defined4", "application_guid",
	"broadcast_message", "bytes_received", "capi_provider", "capi_provider_offset", "capi_provider_type",
	"chat_message", "child_group_id", "command", "create_offset", "current_player_count", "data", "data_offset",
	"data_size", "datagram", "description_offset", "dialect", "encoding", "encryption_algorithm", "error",
	"extended_flags", "fixed_size", "flags", "group_count", "group_data", "group_id", "group_id_to", "group_info",
	"group_to", "groups", "guid_message", "id", "id_from", "id_host", "id_to", "instance_guid", "local_tick_count",
	"long_name", "long_name_length", "long_offset", "max_players", "message", "message_offset", "message_size",
	"messageid", "multicast_message", "nack_mask", "name", "name_offset", "names", "number_of_players", "octets",
	"offset", "packed_offset", "packet_data", "packet_id", "packet_index", "packet_offset", "parent_group_id",
	"parent_id", "password", "password_offset", "player_count", "player_data", "player_data_length", "player_data_size",
	"player_from", "player_id", "player_id_from", "player_ids", "player_info", "player_info_mask", "player_message",
	"player_offset", "player_version", "players", "public_key", "public_key_offset", "public_key_size",
	"reliable_frame", "reserved1", "reserved2", "result", "sec_desc", "security_token", "sequence", "serial",
	"service_provider_data", "service_provider_data_length", "service_provider_data_size", "session_desc",
	"session_key", "session_key_offset", "session_key_size", "session_name", "session_name_offset", "short_name",
	"short_name_length", "short_offset", "shortcut_count", "shortcut_id_count", "shortcut_ids", "shortcuts",
	"signature_size", "size", "sock_addr", "sockaddr", "sp_data", "sp_data_size", "sspi_provider",
	"sspi_provider_offset", "stray", "stream", "system_player_id", "tick_count", "token", "total_packets", "value",
	"version", "version_or_system_player_id", "voice_data",
}
