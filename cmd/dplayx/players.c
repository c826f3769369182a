// The methods of IDirectPlay4 about players and groups.
#include "players.h"

// Where a method that makes a player or group has its numbers.
enum { MAKE_PARENT, MAKE_EVENT, MAKE_SIZE, MAKE_FLAGS, MAKE_PLACE };

static HRESULT make(void *self, uint32_t method, DPID parent, DPID *id, DPNAME *name, HANDLE event, void *data, DWORD size, DWORD flags)
{
	Request r;

	begin_request(&r, self, method);
	r.number[MAKE_PARENT] = parent;
	r.number[MAKE_EVENT] = (uintptr_t)event;
	r.number[MAKE_SIZE] = size;
	r.number[MAKE_FLAGS] = flags;
	give_place(&r, MAKE_PLACE, id);
	give_name(&r, name);
	give_octets(&r, 0, data, size);
	if (ask(&r) == DP_OK)
		*id = r.answer[0];
	return end_request(&r);
}

HRESULT WINAPI create_player(IDirectPlay4 *self, DPID *id, DPNAME *name, HANDLE event, void *data, DWORD size, DWORD flags)
{
	return make(self, METHOD_CREATE_PLAYER, 0, id, name, event, data, size, flags);
}

HRESULT WINAPI create_group(IDirectPlay4 *self, DPID *id, DPNAME *name, void *data, DWORD size, DWORD flags)
{
	return make(self, METHOD_CREATE_GROUP, 0, id, name, NULL, data, size, flags);
}

HRESULT WINAPI create_group_in_group(IDirectPlay4 *self, DPID parent, DPID *id, DPNAME *name, void *data, DWORD size, DWORD flags)
{
	return make(self, METHOD_CREATE_GROUP_IN_GROUP, parent, id, name, NULL, data, size, flags);
}

HRESULT WINAPI destroy_player(IDirectPlay4 *self, DPID player)
{
	return call(self, METHOD_DESTROY_PLAYER, 1, player);
}

HRESULT WINAPI destroy_group(IDirectPlay4 *self, DPID group)
{
	return call(self, METHOD_DESTROY_GROUP, 1, group);
}

HRESULT WINAPI add_player_to_group(IDirectPlay4 *self, DPID group, DPID player)
{
	return call(self, METHOD_ADD_PLAYER_TO_GROUP, 2, group, player);
}

HRESULT WINAPI delete_player_from_group(IDirectPlay4 *self, DPID group, DPID player)
{
	return call(self, METHOD_DELETE_PLAYER_FROM_GROUP, 2, group, player);
}

HRESULT WINAPI add_group_to_group(IDirectPlay4 *self, DPID parent, DPID group)
{
	return call(self, METHOD_ADD_GROUP_TO_GROUP, 2, parent, group);
}

HRESULT WINAPI delete_group_from_group(IDirectPlay4 *self, DPID parent, DPID group)
{
	return call(self, METHOD_DELETE_GROUP_FROM_GROUP, 2, parent, group);
}

// enumerate tells a callback of players and groups.
static HRESULT enumerate(void *self, uint32_t method, DPID group, const GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback,
	void *context, DWORD flags)
{
	Request r;
	const Item *item;

	begin_request(&r, self, method);
	r.number[0] = group;
	r.number[1] = flags;
	r.number[2] = can_call(callback);
	give_guid(&r, 0, instance);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback(item->word[0], item->word[1], item->block, item->word[2], context))
				break;
		}
	}
	return end_request(&r);
}

HRESULT WINAPI enum_players(IDirectPlay4 *self, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context, DWORD flags)
{
	return enumerate(self, METHOD_ENUM_PLAYERS, 0, instance, callback, context, flags);
}

HRESULT WINAPI enum_groups(IDirectPlay4 *self, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context, DWORD flags)
{
	return enumerate(self, METHOD_ENUM_GROUPS, 0, instance, callback, context, flags);
}

HRESULT WINAPI enum_group_players(IDirectPlay4 *self, DPID group, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context,
	DWORD flags)
{
	return enumerate(self, METHOD_ENUM_GROUP_PLAYERS, group, instance, callback, context, flags);
}

HRESULT WINAPI enum_groups_in_group(IDirectPlay4 *self, DPID group, GUID *instance, LPDPENUMPLAYERSCALLBACK2 callback, void *context,
	DWORD flags)
{
	return enumerate(self, METHOD_ENUM_GROUPS_IN_GROUP, group, instance, callback, context, flags);
}

HRESULT get(void *face, uint32_t method, DPID id, DWORD flags, void *buffer, DWORD *size)
{
	Request r;

	begin_request(&r, face, method);
	r.number[0] = id;
	r.number[1] = flags;
	give_buffer(&r, 2, buffer, size);
	ask(&r);
	take_buffer(&r, 2, buffer, size);
	return end_request(&r);
}

HRESULT WINAPI get_player_data(IDirectPlay4 *self, DPID player, void *buffer, DWORD *size, DWORD flags)
{
	return get(self, METHOD_GET_PLAYER_DATA, player, flags, buffer, size);
}

HRESULT WINAPI get_group_data(IDirectPlay4 *self, DPID group, void *buffer, DWORD *size, DWORD flags)
{
	return get(self, METHOD_GET_GROUP_DATA, group, flags, buffer, size);
}

HRESULT WINAPI get_player_name(IDirectPlay4 *self, DPID player, void *buffer, DWORD *size)
{
	return get(self, METHOD_GET_PLAYER_NAME, player, 0, buffer, size);
}

HRESULT WINAPI get_group_name(IDirectPlay4 *self, DPID group, void *buffer, DWORD *size)
{
	return get(self, METHOD_GET_GROUP_NAME, group, 0, buffer, size);
}

HRESULT WINAPI get_player_address(IDirectPlay4 *self, DPID player, void *buffer, DWORD *size)
{
	return get(self, METHOD_GET_PLAYER_ADDRESS, player, 0, buffer, size);
}

HRESULT WINAPI get_player_account(IDirectPlay4 *self, DPID player, DWORD flags, void *buffer, DWORD *size)
{
	return get(self, METHOD_GET_PLAYER_ACCOUNT, player, flags, buffer, size);
}

HRESULT WINAPI get_group_connection_settings(IDirectPlay4 *self, DWORD flags, DPID group, void *buffer, DWORD *size)
{
	return get(self, METHOD_GET_GROUP_CONNECTION_SETTINGS, group, flags, buffer, size);
}

static HRESULT set_data(void *self, uint32_t method, DPID id, const void *data, DWORD size, DWORD flags)
{
	Request r;

	begin_request(&r, self, method);
	r.number[0] = id;
	r.number[1] = size;
	r.number[2] = flags;
	give_octets(&r, 0, data, size);
	ask(&r);
	return end_request(&r);
}

HRESULT WINAPI set_player_data(IDirectPlay4 *self, DPID player, void *data, DWORD size, DWORD flags)
{
	return set_data(self, METHOD_SET_PLAYER_DATA, player, data, size, flags);
}

HRESULT WINAPI set_group_data(IDirectPlay4 *self, DPID group, void *data, DWORD size, DWORD flags)
{
	return set_data(self, METHOD_SET_GROUP_DATA, group, data, size, flags);
}

static HRESULT set_name(void *self, uint32_t method, DPID id, const DPNAME *name, DWORD flags)
{
	Request r;

	begin_request(&r, self, method);
	r.number[0] = id;
	r.number[1] = flags;
	give_name(&r, name);
	ask(&r);
	return end_request(&r);
}

HRESULT WINAPI set_player_name(IDirectPlay4 *self, DPID player, DPNAME *name, DWORD flags)
{
	return set_name(self, METHOD_SET_PLAYER_NAME, player, name, flags);
}

HRESULT WINAPI set_group_name(IDirectPlay4 *self, DPID group, DPNAME *name, DWORD flags)
{
	return set_name(self, METHOD_SET_GROUP_NAME, group, name, flags);
}

// tell is a method that gives 4 octets.
static HRESULT tell(void *self, uint32_t method, DPID id, DWORD *place)
{
	Request r;

	begin_request(&r, self, method);
	r.number[0] = id;
	give_place(&r, 1, place);
	if (ask(&r) == DP_OK && r.number[1])
		*place = r.answer[0];
	return end_request(&r);
}

HRESULT WINAPI get_player_flags(IDirectPlay4 *self, DPID player, DWORD *flags)
{
	return tell(self, METHOD_GET_PLAYER_FLAGS, player, flags);
}

HRESULT WINAPI get_group_flags(IDirectPlay4 *self, DPID group, DWORD *flags)
{
	return tell(self, METHOD_GET_GROUP_FLAGS, group, flags);
}

HRESULT WINAPI get_group_parent(IDirectPlay4 *self, DPID group, DPID *parent)
{
	return tell(self, METHOD_GET_GROUP_PARENT, group, parent);
}

HRESULT WINAPI get_group_owner(IDirectPlay4 *self, DPID group, DPID *owner)
{
	return tell(self, METHOD_GET_GROUP_OWNER, group, owner);
}

HRESULT WINAPI set_group_owner(IDirectPlay4 *self, DPID group, DPID owner)
{
	return call(self, METHOD_SET_GROUP_OWNER, 2, group, owner);
}

HRESULT WINAPI set_group_connection_settings(IDirectPlay4 *self, DWORD flags, DPID group, DPLCONNECTION *settings)
{
	(void)settings; // there are no lobby sessions
	return call(self, METHOD_SET_GROUP_CONNECTION_SETTINGS, 2, group, flags);
}

HRESULT WINAPI start_session(IDirectPlay4 *self, DWORD flags, DPID group)
{
	return call(self, METHOD_START_SESSION, 2, group, flags);
}

HRESULT send_message(void *face, bool ex, DPID from, DPID to, DWORD flags, const void *data, DWORD size, DWORD priority,
	DWORD timeout, void *context, DWORD *id)
{
	Request r;

	begin_request(&r, face, METHOD_SEND);
	r.number[0] = from;
	r.number[1] = to;
	r.number[2] = flags;
	r.number[3] = size;
	r.number[4] = priority;
	r.number[5] = timeout;
	r.number[6] = (uintptr_t)context;
	r.number[7] = ex;
	give_octets(&r, 0, data, size);
	give_place(&r, 8, id);
	if (ask(&r) == DPERR_PENDING && r.number[8])
		*id = r.answer[0];
	return end_request(&r);
}
