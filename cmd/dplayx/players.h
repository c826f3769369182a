// The methods of IDirectPlay4 about players and groups.
#ifndef PLAYERS_H
#define PLAYERS_H

#include "shell.h"

// get is a method that fills a buffer.
HRESULT get(void *face, uint32_t method, DPID id, DWORD flags, void *buffer, DWORD *size);
// send_message is Send, or SendEx.
HRESULT send_message(void *face, bool ex, DPID from, DPID to, DWORD flags, const void *data, DWORD size, DWORD priority,
	DWORD timeout, void *context, DWORD *id);

HRESULT WINAPI add_group_to_group(IDirectPlay4 *self, DPID parent, DPID group);
HRESULT WINAPI add_player_to_group(IDirectPlay4 *self, DPID group, DPID player);
HRESULT WINAPI create_group(IDirectPlay4 *self, DPID *id, DPNAME *name, void *data, DWORD size, DWORD flags);
HRESULT WINAPI create_group_in_group(IDirectPlay4 *self, DPID parent, DPID *id, DPNAME *name, void *data, DWORD size, DWORD flags);
HRESULT WINAPI create_player(IDirectPlay4 *self, DPID *id, DPNAME *name, HANDLE event, void *data, DWORD size, DWORD flags);
HRESULT WINAPI delete_group_from_group(IDirectPlay4 *self, DPID parent, DPID group);
HRESULT WINAPI delete_player_from_group(IDirectPlay4 *self, DPID group, DPID player);
HRESULT WINAPI destroy_group(IDirectPlay4 *self, DPID group);
HRESULT WINAPI destroy_player(IDirectPlay4 *self, DPID player);
HRESULT WINAPI enum_group_players(IDirectPlay4 *self, DPID group, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context,
	DWORD flags);
HRESULT WINAPI enum_groups(IDirectPlay4 *self, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context, DWORD flags);
HRESULT WINAPI enum_groups_in_group(IDirectPlay4 *self, DPID group, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context,
	DWORD flags);
HRESULT WINAPI enum_players(IDirectPlay4 *self, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context, DWORD flags);
HRESULT WINAPI get_group_connection_settings(IDirectPlay4 *self, DWORD flags, DPID group, void *buffer, DWORD *size);
HRESULT WINAPI get_group_data(IDirectPlay4 *self, DPID group, void *buffer, DWORD *size, DWORD flags);
HRESULT WINAPI get_group_flags(IDirectPlay4 *self, DPID group, DWORD *flags);
HRESULT WINAPI get_group_name(IDirectPlay4 *self, DPID group, void *buffer, DWORD *size);
HRESULT WINAPI get_group_owner(IDirectPlay4 *self, DPID group, DPID *owner);
HRESULT WINAPI get_group_parent(IDirectPlay4 *self, DPID group, DPID *parent);
HRESULT WINAPI get_player_account(IDirectPlay4 *self, DPID player, DWORD flags, void *buffer, DWORD *size);
HRESULT WINAPI get_player_address(IDirectPlay4 *self, DPID player, void *buffer, DWORD *size);
HRESULT WINAPI get_player_data(IDirectPlay4 *self, DPID player, void *buffer, DWORD *size, DWORD flags);
HRESULT WINAPI get_player_flags(IDirectPlay4 *self, DPID player, DWORD *flags);
HRESULT WINAPI get_player_name(IDirectPlay4 *self, DPID player, void *buffer, DWORD *size);
HRESULT WINAPI set_group_connection_settings(IDirectPlay4 *self, DWORD flags, DPID group, DPLCONNECTION *settings);
HRESULT WINAPI set_group_data(IDirectPlay4 *self, DPID group, void *data, DWORD size, DWORD flags);
HRESULT WINAPI set_group_name(IDirectPlay4 *self, DPID group, DPNAME *name, DWORD flags);
HRESULT WINAPI set_group_owner(IDirectPlay4 *self, DPID group, DPID owner);
HRESULT WINAPI set_player_data(IDirectPlay4 *self, DPID player, void *data, DWORD size, DWORD flags);
HRESULT WINAPI set_player_name(IDirectPlay4 *self, DPID player, DPNAME *name, DWORD flags);
HRESULT WINAPI start_session(IDirectPlay4 *self, DWORD flags, DPID group);

#endif
