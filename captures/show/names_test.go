package show_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures/show"
)

// TestSnake lists names of the specification with their keys (issue 2, section 4).
func TestSnake(t *testing.T) {
	for name, want := range map[string]string{
		"":                          "",
		"size":                      "size",
		"token":                     "token",
		"SockAddr":                  "sock_addr",
		"sockaddr":                  "sockaddr",
		"IDFrom":                    "id_from",
		"IDTo":                      "id_to",
		"ID":                        "id",
		"PlayerID":                  "player_id",
		"PlayerIDs":                 "player_ids",
		"SystemPlayerID":            "system_player_id",
		"VersionOrSystemPlayerID":   "version_or_system_player_id",
		"InstanceGUID":              "instance_guid",
		"ApplicationGUID":           "application_guid",
		"GuidMessage":               "guid_message",
		"SessionDesc":               "session_desc",
		"ApplicationDefined1":       "application_defined1",
		"Reserved2":                 "reserved2",
		"ServiceProviderDataLength": "service_provider_data_length",
		"SSPIProvider":              "sspi_provider",
		"CAPIProviderType":          "capi_provider_type",
		"PlayerMessage":             "player_message",
		"ReliableFrame":             "reliable_frame",
		"IdFrom":                    "id_from",
		"messageid":                 "messageid",
		"extended flags":            "extended_flags",
		"bytes received":            "bytes_received",
		"local tick count":          "local_tick_count",
		"NACK MASK":                 "nack_mask",
		"IDsAndGUIDs":               "ids_and_guids",
		"DN_NameTable_Entry_Info":   "dn_name_table_entry_info",
		"dwVersionNotUsed":          "dw_version_not_used",
	} {
		assert.Equal(t, want, show.Snake(name), name)
	}
}
