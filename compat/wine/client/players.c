/* Commands for players and groups. */
#include "client.h"
#include <string.h>

#define MAX_LISTED 4096

/* What an enumeration found. It is listed first and asked about afterwards, for DirectPlay may not like to be
 * called from its callback. */
static struct entry {
	DPID id;
	DWORD type, flags;
	WCHAR short_name[128], long_name[256];
	BOOL has_short, has_long;
} entry[MAX_LISTED];
static int nentries;

void json_name(const DPNAME *name)
{
	json_wide("short", name->lpszShortName);
	json_wide("long", name->lpszLongName);
}

static DPNAME *name_of(const struct args *a, int first)
{
	DPNAME *name = word_memory(sizeof *name);
	name->dwSize = sizeof *name;
	name->lpszShortName = wide(a->word[first]);
	name->lpszLongName = wide(a->word[first + 1]);
	return name;
}

static DWORD set_flags(const struct args *a)
{
	return (option(a, "local") ? DPSET_LOCAL : DPSET_REMOTE) | (option(a, "guaranteed") ? DPSET_GUARANTEED : 0);
}

static DWORD number_option(const struct args *a, const char *key) { return option(a, key) ? number(option(a, key)) : 0; }

static BOOL CALLBACK list_entry(DPID id, DWORD type, LPCDPNAME name, DWORD flags, void *context)
{
	struct entry *e = &entry[nentries];
	(void)context;
	if (nentries == MAX_LISTED)
		return FALSE;
	nentries++;
	memset(e, 0, sizeof *e);
	e->id = id;
	e->type = type;
	e->flags = flags;
	if (name && name->lpszShortName) {
		e->has_short = TRUE;
		lstrcpynW(e->short_name, name->lpszShortName, 128);
	}
	if (name && name->lpszLongName) {
		e->has_long = TRUE;
		lstrcpynW(e->long_name, name->lpszLongName, 256);
	}
	return TRUE;
}

static void json_data(DPID id, BOOL group, DWORD which)
{
	DWORD size = 0;
	void *data = NULL;
	HRESULT hr = group ? IDirectPlayX_GetGroupData(dp, id, NULL, &size, which) : IDirectPlayX_GetPlayerData(dp, id, NULL, &size, which);
	if (hr == DPERR_BUFFERTOOSMALL && size <= MAX_DATA) {
		data = word_memory(size);
		hr = group ? IDirectPlayX_GetGroupData(dp, id, data, &size, which) : IDirectPlayX_GetPlayerData(dp, id, data, &size, which);
	}
	if (SUCCEEDED(hr))
		json_octets("data", data ? data : "", data ? size : 0);
	else
		json_hresult(hr);
}

/* Writes what list_entry found: each with its names and the data that everybody sees. */
static void json_entries(const char *key)
{
	int i;
	json_open(key, '[');
	for (i = 0; i < nentries; i++) {
		const struct entry *e = &entry[i];
		BOOL group = e->type == DPPLAYERTYPE_GROUP;
		json_open(NULL, '{');
		json_word("id", e->id);
		json_wide("short", e->has_short ? e->short_name : NULL);
		json_wide("long", e->has_long ? e->long_name : NULL);
		json_word("flags", e->flags);
		json_data(e->id, group, DPGET_REMOTE);
		json_close('}');
	}
	json_close(']');
}

/* create-player SHORT LONG [data=HEX] [flags=N] */
HRESULT cmd_create_player(const struct args *a)
{
	DPID id = 0;
	DWORD size;
	BYTE *data = octets(option(a, "data"), &size);
	HRESULT hr = IDirectPlayX_CreatePlayer(dp, &id, name_of(a, 0), message_event, data, size, number_option(a, "flags"));
	json_word("id", id);
	if (SUCCEEDED(hr) && !first_player)
		first_player = id;
	return hr;
}

void player_gone(DPID id)
{
	if (id == first_player)
		first_player = 0;
}

/* destroy-player ID */
HRESULT cmd_destroy_player(const struct args *a)
{
	HRESULT hr = IDirectPlayX_DestroyPlayer(dp, dpid(a->word[0]));
	if (SUCCEEDED(hr))
		player_gone(dpid(a->word[0]));
	return hr;
}

/* players [flags=N] [group=ID] */
HRESULT cmd_players(const struct args *a)
{
	const char *group = option(a, "group");
	DWORD flags = number_option(a, "flags");
	HRESULT hr;
	nentries = 0;
	hr = group ? IDirectPlayX_EnumGroupPlayers(dp, dpid(group), NULL, list_entry, NULL, flags)
	           : IDirectPlayX_EnumPlayers(dp, NULL, list_entry, NULL, flags);
	json_entries("players");
	return hr;
}

/* set-player-name ID SHORT LONG [local] [guaranteed] */
HRESULT cmd_set_player_name(const struct args *a)
{
	return IDirectPlayX_SetPlayerName(dp, dpid(a->word[0]), name_of(a, 1), set_flags(a));
}

/* set-player-data ID HEX [local] [guaranteed] */
HRESULT cmd_set_player_data(const struct args *a)
{
	DWORD size;
	BYTE *data = octets(a->word[1], &size);
	return IDirectPlayX_SetPlayerData(dp, dpid(a->word[0]), data, size, set_flags(a));
}

/* player-data ID [local] */
HRESULT cmd_player_data(const struct args *a)
{
	DWORD flags = 0;
	HRESULT hr = IDirectPlayX_GetPlayerFlags(dp, dpid(a->word[0]), &flags);
	json_word("flags", flags);
	json_open("player", '{');
	json_data(dpid(a->word[0]), FALSE, option(a, "local") ? DPGET_LOCAL : DPGET_REMOTE);
	json_close('}');
	return hr;
}

/* create-group SHORT LONG [data=HEX] [flags=N] [parent=ID] */
HRESULT cmd_create_group(const struct args *a)
{
	DPID id = 0;
	DWORD size, flags = number_option(a, "flags");
	BYTE *data = octets(option(a, "data"), &size);
	const char *parent = option(a, "parent");
	HRESULT hr = parent ? IDirectPlayX_CreateGroupInGroup(dp, dpid(parent), &id, name_of(a, 0), data, size, flags)
	                    : IDirectPlayX_CreateGroup(dp, &id, name_of(a, 0), data, size, flags);
	json_word("id", id);
	return hr;
}

/* destroy-group ID */
HRESULT cmd_destroy_group(const struct args *a) { return IDirectPlayX_DestroyGroup(dp, dpid(a->word[0])); }

/* groups [flags=N] */
HRESULT cmd_groups(const struct args *a)
{
	HRESULT hr;
	nentries = 0;
	hr = IDirectPlayX_EnumGroups(dp, NULL, list_entry, NULL, number_option(a, "flags"));
	json_entries("groups");
	return hr;
}

/* add-to-group GROUP PLAYER */
HRESULT cmd_add_to_group(const struct args *a) { return IDirectPlayX_AddPlayerToGroup(dp, dpid(a->word[0]), dpid(a->word[1])); }

/* remove-from-group GROUP PLAYER */
HRESULT cmd_remove_from_group(const struct args *a)
{
	return IDirectPlayX_DeletePlayerFromGroup(dp, dpid(a->word[0]), dpid(a->word[1]));
}

/* set-group-name ID SHORT LONG [local] [guaranteed] */
HRESULT cmd_set_group_name(const struct args *a)
{
	return IDirectPlayX_SetGroupName(dp, dpid(a->word[0]), name_of(a, 1), set_flags(a));
}

/* set-group-data ID HEX [local] [guaranteed] */
HRESULT cmd_set_group_data(const struct args *a)
{
	DWORD size;
	BYTE *data = octets(a->word[1], &size);
	return IDirectPlayX_SetGroupData(dp, dpid(a->word[0]), data, size, set_flags(a));
}
