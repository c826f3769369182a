// IDirectPlay, the interface of DirectX 1 and 2. What it has in common with the later ones is done by their methods, which ask
// the face alone for what they need.
#include <string.h>

#include "shell.h"

// What the headers of DirectX 1 had, and later ones have not.
#define DPSEND_TRYONCE 0x00000004
enum { CAPS_OF_1 = 28 }; // DPCAPS up to dwLatency

static HRESULT WINAPI query(IDirectPlay *self, REFIID iid, void **out)
{
	return face_query(self, iid, out);
}

static ULONG WINAPI addref(IDirectPlay *self)
{
	return face_addref(self);
}

static ULONG WINAPI release(IDirectPlay *self)
{
	return face_release(self);
}

static HRESULT WINAPI add_player_to_group(IDirectPlay *self, DPID group, DPID player)
{
	return call(self, METHOD_ADD_PLAYER_TO_GROUP, 2, group, player);
}

static HRESULT WINAPI close_session(IDirectPlay *self)
{
	return call(self, METHOD_CLOSE, 0);
}

// make is CreatePlayer and CreateGroup. The event that a game gets is its own from then on: it may wait for it in a thread that
// knows nothing of DestroyPlayer, so that nobody but the game can tell when to close it.
static HRESULT make(IDirectPlay *self, uint32_t method, DPID *id, const char *friendly, const char *formal, HANDLE *event)
{
	HANDLE made = NULL;
	Request r;

	begin_request(&r, self, method);
	if (event && !can_write(event, sizeof *event))
		r.unreadable = 1;
	else if (event)
		made = CreateEventW(NULL, FALSE, FALSE, NULL);
	r.number[0] = (uintptr_t)made;
	give_place(&r, 1, id);
	give_text(&r, &r.block[0], friendly, false);
	give_text(&r, &r.block[1], formal, false);
	if (ask(&r) == DP_OK) {
		*id = r.answer[0];
		if (event)
			*event = made;
	} else if (made) {
		CloseHandle(made);
	}
	return end_request(&r);
}

static HRESULT WINAPI create_player(IDirectPlay *self, DPID *id, char *friendly, char *formal, HANDLE *event)
{
	return make(self, METHOD_DIRECTPLAY1_CREATE_PLAYER, id, friendly, formal, event);
}

static HRESULT WINAPI create_group(IDirectPlay *self, DPID *id, char *friendly, char *formal)
{
	return make(self, METHOD_DIRECTPLAY1_CREATE_GROUP, id, friendly, formal, NULL);
}

static HRESULT WINAPI delete_player_from_group(IDirectPlay *self, DPID group, DPID player)
{
	return call(self, METHOD_DELETE_PLAYER_FROM_GROUP, 2, group, player);
}

static HRESULT WINAPI destroy_player(IDirectPlay *self, DPID player)
{
	return call(self, METHOD_DESTROY_PLAYER, 1, player);
}

static HRESULT WINAPI destroy_group(IDirectPlay *self, DPID group)
{
	return call(self, METHOD_DESTROY_GROUP, 1, group);
}

static HRESULT WINAPI enable_new_players(IDirectPlay *self, BOOL enable)
{
	return call(self, METHOD_DIRECTPLAY1_ENABLE_NEW_PLAYERS, 1, (DWORD)enable);
}

// enumerate tells a callback of players and groups. Of is a group, or the number of a session.
static HRESULT enumerate(IDirectPlay *self, uint32_t method, DWORD of, LPDPENUMPLAYERSCALLBACK callback, void *context,
	DWORD flags)
{
	Request r;
	const Item *item;

	begin_request(&r, self, method);
	r.number[0] = of;
	r.number[1] = flags;
	r.number[2] = can_call(callback);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback(item->word[0], item->block, item->more, item->word[1], context))
				break;
		}
	}
	return end_request(&r);
}

static HRESULT WINAPI enum_group_players(IDirectPlay *self, DPID group, LPDPENUMPLAYERSCALLBACK callback, void *context,
	DWORD flags)
{
	return enumerate(self, METHOD_DIRECTPLAY1_ENUM_GROUP_PLAYERS, group, callback, context, flags);
}

static HRESULT WINAPI enum_groups(IDirectPlay *self, DWORD session, LPDPENUMPLAYERSCALLBACK callback, void *context, DWORD flags)
{
	return enumerate(self, METHOD_DIRECTPLAY1_ENUM_GROUPS, session, callback, context, flags);
}

static HRESULT WINAPI enum_players(IDirectPlay *self, DWORD session, LPDPENUMPLAYERSCALLBACK callback, void *context, DWORD flags)
{
	return enumerate(self, METHOD_DIRECTPLAY1_ENUM_PLAYERS, session, callback, context, flags);
}

// give_session copies a description. One that cannot be read, or says another size, is none.
static void give_session(Request *r, const DPSESSIONDESC *d)
{
	if (can_read(d, sizeof *d) && d->dwSize == sizeof *d)
		give_octets(r, 0, d, sizeof *d);
}

// search makes one search and tells of what was found. More says whether the game wants another one, of what length.
static HRESULT search(IDirectPlay *self, const DPSESSIONDESC *asked, DWORD *timeout, LPDPENUMSESSIONSCALLBACK callback,
	void *context, DWORD flags, bool *more)
{
	Request r;
	const Item *item;

	*more = false;
	begin_request(&r, self, METHOD_DIRECTPLAY1_ENUM_SESSIONS);
	give_session(&r, asked);
	r.number[0] = *timeout;
	r.number[1] = flags;
	r.number[2] = can_call(callback);
	if (ask(&r) != DP_OK || !r.number[2])
		return end_request(&r);
	for (item = r.items; item; item = item->next) {
		if (!callback(item->block, context, timeout, 0))
			return end_request(&r);
	}
	*more = callback(NULL, context, timeout, DPESC_TIMEDOUT);
	return end_request(&r);
}

static HRESULT WINAPI enum_sessions(IDirectPlay *self, DPSESSIONDESC *asked, DWORD timeout, LPDPENUMSESSIONSCALLBACK callback,
	void *context, DWORD flags)
{
	HRESULT result;
	bool more;

	do {
		result = search(self, asked, &timeout, callback, context, flags, &more);
	} while (more && !(flags & (DPENUMSESSIONS_ASYNC | DPENUMSESSIONS_STOPASYNC)));
	return result;
}

// caps takes DPCAPS as DirectX 3 has it, and as DirectX 1 had it.
static HRESULT caps(IDirectPlay *self, uint32_t method, DPID player, DPCAPS *c)
{
	DWORD size = can_read(c, sizeof c->dwSize) ? c->dwSize : 0;
	Request r;

	begin_request(&r, self, method);
	r.number[0] = player;
	r.number[1] = (size == CAPS_OF_1 || size == sizeof *c) && can_write(c, size);
	if (ask(&r) == DP_OK && r.items && r.items->size == sizeof *c) {
		memcpy(c, r.items->block, size);
		c->dwSize = size;
	}
	return end_request(&r);
}

static HRESULT WINAPI get_caps(IDirectPlay *self, DPCAPS *c)
{
	return caps(self, METHOD_DIRECTPLAY1_GET_CAPS, 0, c);
}

static HRESULT WINAPI get_message_count(IDirectPlay *self, DPID player, DWORD *count)
{
	return directplay4_vtbl.GetMessageCount((IDirectPlay4 *)self, player, count);
}

static HRESULT WINAPI get_player_caps(IDirectPlay *self, DPID player, DPCAPS *c)
{
	return caps(self, METHOD_DIRECTPLAY1_GET_PLAYER_CAPS, player, c);
}

// A name is wanted if there is a place for its size. Both go into the game's buffers, or neither.
static HRESULT WINAPI get_player_name(IDirectPlay *self, DPID player, char *friendly, DWORD *friendly_size, char *formal,
	DWORD *formal_size)
{
	enum { FRIENDLY = 1, FORMAL = 5 };
	const Item *item;
	Request r;

	begin_request(&r, self, METHOD_DIRECTPLAY1_GET_PLAYER_NAME);
	r.number[0] = player;
	give_buffer(&r, FRIENDLY, friendly, friendly_size);
	give_buffer(&r, FORMAL, formal, formal_size);
	r.unreadable = (!r.number[FRIENDLY] && (friendly || friendly_size)) || (!r.number[FORMAL] && (formal || formal_size));
	if (ask(&r) == DP_OK && (item = r.items)) {
		if ((r.number[FRIENDLY] && !can_write(friendly, item->size)) || (r.number[FORMAL] && !can_write(formal, item->more_size))) {
			r.result = DPERR_INVALIDPARAMS;
			return end_request(&r);
		}
		if (r.number[FRIENDLY])
			memcpy(friendly, item->block, item->size);
		if (r.number[FORMAL])
			memcpy(formal, item->more, item->more_size);
	}
	if (r.result == DP_OK || r.result == DPERR_BUFFERTOOSMALL) {
		if (r.number[FRIENDLY])
			*friendly_size = (DWORD)r.number[FRIENDLY + BUFFER_SIZE];
		if (r.number[FORMAL])
			*formal_size = (DWORD)r.number[FORMAL + BUFFER_SIZE];
	}
	return end_request(&r);
}

static HRESULT WINAPI initialize(IDirectPlay *self, GUID *provider)
{
	return directplay4_vtbl.Initialize((IDirectPlay4 *)self, provider);
}

static HRESULT WINAPI open_session(IDirectPlay *self, DPSESSIONDESC *d)
{
	Request r;

	begin_request(&r, self, METHOD_DIRECTPLAY1_OPEN);
	give_session(&r, d);
	if (ask(&r) == DP_OK && can_write(d, sizeof *d)) {
		d->dwSession = r.answer[0];
		d->dwReserved1 = r.answer[1];
		d->dwReserved2 = r.answer[2];
	}
	return end_request(&r);
}

static HRESULT WINAPI receive(IDirectPlay *self, DPID *from, DPID *to, DWORD flags, void *buffer, DWORD *size)
{
	return directplay4_vtbl.Receive((IDirectPlay4 *)self, from, to, flags, buffer, size);
}

static HRESULT WINAPI save_session(IDirectPlay *self, char *name)
{
	(void)name; // none is saved
	return call(self, METHOD_DIRECTPLAY1_SAVE_SESSION, 0);
}

static HRESULT WINAPI send_one(IDirectPlay *self, DPID from, DPID to, DWORD flags, void *data, DWORD size)
{
	return directplay4_vtbl.Send((IDirectPlay4 *)self, from, to, flags & ~DPSEND_TRYONCE, data, size);
}

static HRESULT WINAPI set_player_name(IDirectPlay *self, DPID player, char *friendly, char *formal)
{
	Request r;

	begin_request(&r, self, METHOD_DIRECTPLAY1_SET_PLAYER_NAME);
	r.number[0] = player;
	give_text(&r, &r.block[0], friendly, false);
	give_text(&r, &r.block[1], formal, false);
	ask(&r);
	return end_request(&r);
}

const IDirectPlayVtbl directplay1_vtbl = {
	query,
	addref,
	release,
	add_player_to_group,
	close_session,
	create_player,
	create_group,
	delete_player_from_group,
	destroy_player,
	destroy_group,
	enable_new_players,
	enum_group_players,
	enum_groups,
	enum_players,
	enum_sessions,
	get_caps,
	get_message_count,
	get_player_caps,
	get_player_name,
	initialize,
	open_session,
	receive,
	save_session,
	send_one,
	set_player_name,
};
