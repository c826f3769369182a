// IDirectPlay 2, 3 and 4: each has the methods of the one before, and then its own. This file has those about sessions and
// messages; players.c those about players and groups.
#include "players.h"

static Object *object_of(IDirectPlay4 *self)
{
	return ((Face *)self)->object;
}

static ULONG WINAPI addref(IDirectPlay4 *self)
{
	return face_addref(self);
}

static ULONG WINAPI release(IDirectPlay4 *self)
{
	return face_release(self);
}

static HRESULT WINAPI query(IDirectPlay4 *self, REFIID iid, void **out)
{
	return face_query(self, iid, out);
}

static HRESULT WINAPI close_session(IDirectPlay4 *self)
{
	return call(self, METHOD_CLOSE, 0);
}

// initialized remembers that an object has a connection, for Receive.
static HRESULT initialized(IDirectPlay4 *self, HRESULT result)
{
	if (result == DP_OK)
		object_of(self)->connected = 1;
	return result;
}

static HRESULT WINAPI initialize(IDirectPlay4 *self, GUID *provider)
{
	Request r;

	begin_request(&r, self, METHOD_INITIALIZE);
	give_guid(&r, 0, provider);
	ask(&r);
	return initialized(self, end_request(&r));
}

// An address says its own size in its first chunk. One that does not is handed on as far as that goes, for Go to refuse.
static HRESULT WINAPI initialize_connection(IDirectPlay4 *self, void *address, DWORD flags)
{
	enum { HEAD = 24, LARGEST = 16384 };
	Request r;
	DWORD size = HEAD;

	begin_request(&r, self, METHOD_INITIALIZE_CONNECTION);
	r.number[0] = flags;
	if (can_read(address, HEAD) && IsEqualGUID((GUID *)address, &DPAID_TotalSize)) {
		size = *(DWORD *)((char *)address + 20);
		if (size < HEAD || size > LARGEST)
			size = HEAD;
	}
	give_octets(&r, 0, address, size);
	ask(&r);
	return initialized(self, end_request(&r));
}

static HRESULT WINAPI enum_connections(IDirectPlay4 *self, const GUID *application, LPDPENUMCONNECTIONSCALLBACK callback,
	void *context, DWORD flags)
{
	Request r;
	const Item *item;

	(void)application; // all applications have the same
	begin_request(&r, self, METHOD_ENUM_CONNECTIONS);
	r.number[0] = flags;
	r.number[1] = can_call(callback);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback((GUID *)item->guid, item->more, item->more_size, item->block, item->word[0], context))
				break;
		}
	}
	return end_request(&r);
}

// search makes one search and tells of what was found. More says whether the game wants another one, of what length.
static HRESULT search(IDirectPlay4 *self, DPSESSIONDESC2 *asked, DWORD *timeout, LPDPENUMSESSIONSCALLBACK2 callback, void *context,
	DWORD flags, bool *more)
{
	Request r;
	const Item *item;

	*more = false;
	begin_request(&r, self, METHOD_ENUM_SESSIONS);
	give_desc(&r, asked);
	r.number[0] = *timeout;
	r.number[1] = flags;
	r.number[2] = can_call(callback);
	if (ask(&r) != DP_OK || !r.number[2])
		return end_request(&r);
	for (item = r.items; item; item = item->next) {
		if (!callback(item->block, timeout, 0, context))
			return end_request(&r);
	}
	*more = callback(NULL, timeout, DPESC_TIMEDOUT, context);
	return end_request(&r);
}

static HRESULT WINAPI enum_sessions(IDirectPlay4 *self, DPSESSIONDESC2 *asked, DWORD timeout, LPDPENUMSESSIONSCALLBACK2 callback,
	void *context, DWORD flags)
{
	HRESULT result;
	bool more;

	do {
		result = search(self, asked, &timeout, callback, context, flags, &more);
	} while (more && !(flags & (DPENUMSESSIONS_ASYNC | DPENUMSESSIONS_STOPASYNC)));
	return result;
}

// opened gives the game what the session has now.
static void opened(const Request *r, DPSESSIONDESC2 *d)
{
	if (r->result != DP_OK || !r->items || !can_write(d, sizeof *d))
		return;
	memcpy(&d->guidInstance, r->items->guid, sizeof d->guidInstance);
	d->dwReserved1 = r->items->word[0];
	d->dwReserved2 = r->items->word[1];
}

static HRESULT WINAPI open_session(IDirectPlay4 *self, DPSESSIONDESC2 *d, DWORD flags)
{
	Request r;

	begin_request(&r, self, METHOD_OPEN);
	give_desc(&r, d);
	r.number[0] = flags;
	ask(&r);
	opened(&r, d);
	return end_request(&r);
}

static HRESULT WINAPI secure_open(IDirectPlay4 *self, const DPSESSIONDESC2 *d, DWORD flags, const DPSECURITYDESC *security,
	const DPCREDENTIALS *credentials)
{
	Request r;

	begin_request(&r, self, METHOD_SECURE_OPEN);
	give_desc(&r, d);
	r.number[0] = flags;
	r.number[1] = security || credentials;
	if ((security && !(can_read(security, sizeof *security) && security->dwSize == sizeof *security)) ||
	    (credentials && !(can_read(credentials, sizeof *credentials) && credentials->dwSize == sizeof *credentials)))
		r.unreadable = 1;
	ask(&r);
	opened(&r, (DPSESSIONDESC2 *)d);
	return end_request(&r);
}

static HRESULT WINAPI get_session_desc(IDirectPlay4 *self, void *buffer, DWORD *size)
{
	return get(self, METHOD_GET_SESSION_DESC, 0, 0, buffer, size);
}

static HRESULT WINAPI set_session_desc(IDirectPlay4 *self, DPSESSIONDESC2 *d, DWORD flags)
{
	Request r;

	begin_request(&r, self, METHOD_SET_SESSION_DESC);
	give_desc(&r, d);
	r.number[0] = flags;
	ask(&r);
	return end_request(&r);
}

static HRESULT caps(IDirectPlay4 *self, uint32_t method, DPID player, DPCAPS *c, DWORD flags)
{
	Request r;

	begin_request(&r, self, method);
	r.number[0] = player;
	r.number[1] = flags;
	r.number[2] = can_write(c, sizeof *c);
	r.number[3] = r.number[2] && c->dwSize != sizeof *c;
	if (ask(&r) == DP_OK && r.items && r.items->size == sizeof *c)
		memcpy(c, r.items->block, sizeof *c);
	return end_request(&r);
}

static HRESULT WINAPI get_caps(IDirectPlay4 *self, DPCAPS *c, DWORD flags)
{
	return caps(self, METHOD_GET_CAPS, 0, c, flags);
}

static HRESULT WINAPI get_player_caps(IDirectPlay4 *self, DPID player, DPCAPS *c, DWORD flags)
{
	return caps(self, METHOD_GET_PLAYER_CAPS, player, c, flags);
}

static HRESULT WINAPI receive(IDirectPlay4 *self, DPID *from, DPID *to, DWORD flags, void *buffer, DWORD *size)
{
	const Object *o = object_of(self);

	if (!o->connected)
		return DPERR_UNINITIALIZED;
	return receive_message(o->queue, ((Face *)self)->wide, from, to, flags, buffer, size);
}

static HRESULT WINAPI send_ex(IDirectPlay4 *self, DPID from, DPID to, DWORD flags, void *data, DWORD size, DWORD priority,
	DWORD timeout, void *context, DWORD *id)
{
	return send_message(self, true, from, to, flags, data, size, priority, timeout, context, id);
}

static HRESULT WINAPI send_one(IDirectPlay4 *self, DPID from, DPID to, DWORD flags, void *data, DWORD size)
{
	return send_message(self, false, from, to, flags, data, size, 0, 0, NULL, NULL);
}

static HRESULT WINAPI send_chat_message(IDirectPlay4 *self, DPID from, DPID to, DWORD flags, DPCHAT *chat)
{
	Request r;

	begin_request(&r, self, METHOD_SEND_CHAT_MESSAGE);
	r.number[0] = from;
	r.number[1] = to;
	r.number[2] = flags;
	if (can_read(chat, sizeof *chat))
		give_text(&r, &r.block[0], chat->lpszMessage, r.wide);
	ask(&r);
	return end_request(&r);
}

static HRESULT WINAPI get_message_count(IDirectPlay4 *self, DPID player, DWORD *count)
{
	const Object *o = object_of(self);
	Request r;
	uint32_t known;

	if (o->connected && can_write(count, sizeof *count) && count_for(o->queue, player, &known)) {
		*count = known;
		return DP_OK;
	}
	begin_request(&r, self, METHOD_GET_MESSAGE_COUNT);
	r.number[0] = player;
	give_place(&r, 1, count);
	if (ask(&r) == DP_OK)
		*count = r.answer[0];
	return end_request(&r);
}

static HRESULT WINAPI get_message_queue(IDirectPlay4 *self, DPID from, DPID to, DWORD flags, DWORD *messages, DWORD *octets)
{
	Request r;

	begin_request(&r, self, METHOD_GET_MESSAGE_QUEUE);
	r.number[0] = from;
	r.number[1] = to;
	r.number[2] = flags;
	give_place(&r, 3, messages);
	give_place(&r, 4, octets);
	if (ask(&r) == DP_OK) {
		if (messages)
			*messages = r.answer[0];
		if (octets)
			*octets = r.answer[1];
	}
	return end_request(&r);
}

static HRESULT WINAPI cancel_message(IDirectPlay4 *self, DWORD id, DWORD flags)
{
	return call(self, METHOD_CANCEL_MESSAGE, 2, id, flags);
}

static HRESULT WINAPI cancel_priority(IDirectPlay4 *self, DWORD low, DWORD high, DWORD flags)
{
	return call(self, METHOD_CANCEL_PRIORITY, 3, low, high, flags);
}

const IDirectPlay4Vtbl directplay4_vtbl = {
	query,
	addref,
	release,
	// IDirectPlay2
	add_player_to_group,
	close_session,
	create_group,
	create_player,
	delete_player_from_group,
	destroy_group,
	destroy_player,
	enum_group_players,
	enum_groups,
	enum_players,
	enum_sessions,
	get_caps,
	get_group_data,
	get_group_name,
	get_message_count,
	get_player_address,
	get_player_caps,
	get_player_data,
	get_player_name,
	get_session_desc,
	initialize,
	open_session,
	receive,
	send_one,
	set_group_data,
	set_group_name,
	set_player_data,
	set_player_name,
	set_session_desc,
	// IDirectPlay3
	add_group_to_group,
	create_group_in_group,
	delete_group_from_group,
	enum_connections,
	enum_groups_in_group,
	get_group_connection_settings,
	initialize_connection,
	secure_open,
	send_chat_message,
	set_group_connection_settings,
	start_session,
	get_group_flags,
	get_group_parent,
	get_player_account,
	get_player_flags,
	// IDirectPlay4
	get_group_owner,
	set_group_owner,
	send_ex,
	get_message_queue,
	cancel_message,
	cancel_priority,
};
