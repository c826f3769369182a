// IDirectPlayLobby 1 to 3: each has the methods of the one before, and then its own. A process has one lobby, which all objects
// speak for.
#include <string.h>

#include "lobby.h"
#include "shell.h"

static bool wide(IDirectPlayLobby3 *self)
{
	return ((Face *)self)->wide;
}

static HRESULT WINAPI query(IDirectPlayLobby3 *self, REFIID iid, void **out)
{
	return face_query(self, iid, out);
}

static ULONG WINAPI addref(IDirectPlayLobby3 *self)
{
	return face_addref(self);
}

static ULONG WINAPI release(IDirectPlayLobby3 *self)
{
	return face_release(self);
}

static HRESULT WINAPI connect_ex(IDirectPlayLobby3 *self, DWORD flags, REFIID iid, void **out, IUnknown *outer)
{
	Request r;
	Object *o;
	HRESULT result;

	if (!can_write(out, sizeof *out))
		return DPERR_INVALIDPARAMS;
	*out = NULL;
	if (outer)
		return CLASS_E_NOAGGREGATION;
	if (!can_read(iid, sizeof *iid))
		return DPERR_INVALIDPARAMS;
	if (!has_interface(directplay_interfaces, iid)) // before others hear that we are there
		return E_NOINTERFACE;
	begin_request(&r, self, METHOD_LOBBY_CONNECT);
	r.number[0] = flags;
	if (ask(&r) != DP_OK)
		return end_request(&r);
	o = object_new(directplay_interfaces, r.answer[0], r.queue);
	if (!o)
		return DPERR_OUTOFMEMORY;
	o->connected = 1;
	result = object_query(o, iid, out);
	object_discard(o);
	return result;
}

static HRESULT WINAPI connect_play(IDirectPlayLobby3 *self, DWORD flags, IDirectPlay2 **out, IUnknown *outer)
{
	return connect_ex(self, flags, wide(self) ? &IID_IDirectPlay2 : &IID_IDirectPlay2A, (void **)out, outer);
}

static HRESULT WINAPI create_address(IDirectPlayLobby3 *self, REFGUID provider, REFGUID type, const void *data, DWORD data_size,
	void *address, DWORD *size)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_CREATE_ADDRESS);
	give_guid(&r, 0, provider);
	give_guid(&r, 1, type);
	if (data_size)
		give_part(&r, &r.block[2], data, data_size);
	give_buffer(&r, 0, address, size);
	ask(&r);
	take_buffer(&r, 0, address, size);
	return end_request(&r);
}

// MOST_ELEMENTS are more than an address of the largest size has.
enum { MOST_ELEMENTS = 1024 };

// give_elements copies the elements of an address.
static void give_elements(Request *r, const DPCOMPOUNDADDRESSELEMENT *from, DWORD count)
{
	Element *to = NULL;
	DWORD i;

	if (count <= MOST_ELEMENTS && can_read(from, count * sizeof *from))
		to = request_room(r, count * sizeof *to);
	if (!to) {
		r->unreadable = 1;
		return;
	}
	memset(to, 0, count * sizeof *to);
	for (i = 0; i < count; i++) {
		memcpy(to[i].type, &from[i].guidDataType, sizeof to[i].type);
		if (from[i].dwDataSize)
			give_part(r, &to[i].data, from[i].lpData, from[i].dwDataSize);
	}
	r->block[0] = (Octets){to, count};
}

static HRESULT WINAPI create_compound_address(IDirectPlayLobby3 *self, const DPCOMPOUNDADDRESSELEMENT *elements, DWORD count,
	void *address, DWORD *size)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_CREATE_COMPOUND_ADDRESS);
	give_elements(&r, elements, count);
	give_buffer(&r, 0, address, size);
	ask(&r);
	take_buffer(&r, 0, address, size);
	return end_request(&r);
}

static HRESULT WINAPI enum_address(IDirectPlayLobby3 *self, LPDPENUMADDRESSCALLBACK callback, const void *address, DWORD size,
	void *context)
{
	Request r;
	const Item *item;

	begin_request(&r, self, METHOD_LOBBY_ENUM_ADDRESS);
	r.number[0] = can_call(callback);
	give_part(&r, &r.block[0], address, size);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback((GUID *)item->guid, item->size, item->block, context))
				break;
		}
	}
	return end_request(&r);
}

static HRESULT WINAPI enum_address_types(IDirectPlayLobby3 *self, LPDPLENUMADDRESSTYPESCALLBACK callback, REFGUID provider,
	void *context, DWORD flags)
{
	Request r;
	const Item *item;

	begin_request(&r, self, METHOD_LOBBY_ENUM_ADDRESS_TYPES);
	r.number[0] = flags;
	r.number[1] = can_call(callback);
	give_guid(&r, 0, provider);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback((GUID *)item->guid, context, 0))
				break;
		}
	}
	return end_request(&r);
}

static HRESULT WINAPI enum_local_applications(IDirectPlayLobby3 *self, LPDPLENUMLOCALAPPLICATIONSCALLBACK callback, void *context,
	DWORD flags)
{
	Request r;
	const Item *item;

	begin_request(&r, self, METHOD_LOBBY_ENUM_LOCAL_APPLICATIONS);
	r.number[0] = flags;
	r.number[1] = can_call(callback);
	if (ask(&r) == DP_OK) {
		for (item = r.items; item; item = item->next) {
			if (!callback(item->block, context, 0))
				break;
		}
	}
	return end_request(&r);
}

static HRESULT WINAPI get_connection_settings(IDirectPlayLobby3 *self, DWORD application, void *data, DWORD *size)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_GET_CONNECTION_SETTINGS);
	r.number[0] = application;
	give_buffer(&r, 1, data, size);
	ask(&r);
	take_buffer(&r, 1, data, size);
	return end_request(&r);
}

// message asks for the first message, or for its size alone.
static HRESULT message(Request *r, IDirectPlayLobby3 *self, DWORD flags, DWORD application, void *data, DWORD *size)
{
	begin_request(r, self, METHOD_LOBBY_RECEIVE_LOBBY_MESSAGE);
	r->number[0] = flags;
	r->number[1] = application;
	give_buffer(r, 2, data, size);
	return ask(r);
}

static HRESULT WINAPI receive_lobby_message(IDirectPlayLobby3 *self, DWORD flags, DWORD application, DWORD *message_flags,
	void *data, DWORD *size)
{
	Request r;
	HRESULT result;

	if (!can_write(message_flags, sizeof *message_flags) || !can_write(size, sizeof *size))
		return DPERR_INVALIDPARAMS;
	if (data) { // a message that was taken and could not be written would be lost
		result = message(&r, self, flags, application, NULL, size);
		end_request(&r);
		if (result == DPERR_BUFFERTOOSMALL && r.number[2 + BUFFER_SIZE] <= *size && !can_write(data, r.number[2 + BUFFER_SIZE]))
			return DPERR_INVALIDPARAMS;
	}
	result = message(&r, self, flags, application, data, size);
	if (result == DP_OK || result == DPERR_BUFFERTOOSMALL)
		*message_flags = r.answer[0];
	take_buffer(&r, 2, data, size);
	return end_request(&r);
}

// give_settings copies connection settings. They do without an address and a player.
static void give_settings(Request *r, const DPLCONNECTION *c)
{
	if (!can_read(c, sizeof c->dwSize))
		return;
	r->number[SETTINGS_WRONG_SIZE] = c->dwSize != sizeof *c;
	r->number[SETTINGS_GIVEN] = r->number[SETTINGS_WRONG_SIZE] || can_read(c, sizeof *c);
	if (!r->number[SETTINGS_GIVEN] || r->number[SETTINGS_WRONG_SIZE])
		return;
	r->number[SETTINGS_FLAGS] = c->dwFlags;
	give_desc(r, c->lpSessionDesc);
	give_name(r, c->lpPlayerName);
	give_guid(r, SETTINGS_PROVIDER, &c->guidSP);
	if (c->lpAddress)
		give_part(r, &r->block[SETTINGS_ADDRESS], c->lpAddress, c->dwAddressSize);
}

static HRESULT WINAPI run_application(IDirectPlayLobby3 *self, DWORD flags, DWORD *application, DPLCONNECTION *settings,
	HANDLE event)
{
	Request r;

	if (!can_write(application, sizeof *application))
		return DPERR_INVALIDPARAMS;
	begin_request(&r, self, METHOD_LOBBY_RUN_APPLICATION);
	r.number[0] = flags;
	r.number[1] = (uintptr_t)event;
	give_settings(&r, settings);
	if (ask(&r) == DP_OK)
		*application = r.answer[0];
	return end_request(&r);
}

static HRESULT WINAPI set_connection_settings(IDirectPlayLobby3 *self, DWORD flags, DWORD application, DPLCONNECTION *settings)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_SET_CONNECTION_SETTINGS);
	r.number[0] = flags;
	r.number[1] = application;
	give_settings(&r, settings);
	ask(&r);
	return end_request(&r);
}

static HRESULT WINAPI send_lobby_message(IDirectPlayLobby3 *self, DWORD flags, DWORD application, void *data, DWORD size)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_SEND_LOBBY_MESSAGE);
	r.number[0] = flags;
	r.number[1] = application;
	if (size)
		give_part(&r, &r.block[0], data, size);
	ask(&r);
	return end_request(&r);
}

static HRESULT WINAPI set_lobby_message_event(IDirectPlayLobby3 *self, DWORD flags, DWORD application, HANDLE event)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_SET_LOBBY_MESSAGE_EVENT);
	r.number[0] = flags;
	r.number[1] = application;
	r.number[2] = (uintptr_t)event;
	ask(&r);
	return end_request(&r);
}

// Description2 is DPAPPLICATIONDESC2, which mingw's header does not have.
typedef struct Description2 {
	DPAPPLICATIONDESC first;
	void *launcher;
} Description2;

static void give_application(Request *r, const DPAPPLICATIONDESC *d)
{
	Application *a;

	if (!can_read(d, sizeof d->dwSize) || !(a = request_room(r, sizeof *a)))
		return;
	memset(a, 0, sizeof *a);
	a->wrong_size = d->dwSize != sizeof *d && d->dwSize != sizeof(Description2);
	if (!a->wrong_size && !can_read(d, d->dwSize))
		return;
	r->block[0] = (Octets){a, sizeof *a};
	if (a->wrong_size)
		return;
	a->flags = d->dwFlags;
	memcpy(a->guid, &d->guidApplication, sizeof a->guid);
	give_text(r, &a->name, d->lpszApplicationName, r->wide);
	give_text(r, &a->file, d->lpszFilename, r->wide);
	give_text(r, &a->command_line, d->lpszCommandLine, r->wide);
	give_text(r, &a->path, d->lpszPath, r->wide);
	give_text(r, &a->current_directory, d->lpszCurrentDirectory, r->wide);
	give_text(r, &a->narrow_description, d->lpszDescriptionA, false);
	give_text(r, &a->wide_description, d->lpszDescriptionW, true);
	if (d->dwSize == sizeof(Description2))
		give_text(r, &a->launcher, ((const Description2 *)d)->launcher, r->wide);
}

static HRESULT WINAPI register_application(IDirectPlayLobby3 *self, DWORD flags, DPAPPLICATIONDESC *d)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_REGISTER_APPLICATION);
	r.number[0] = flags;
	give_application(&r, d);
	ask(&r);
	return end_request(&r);
}

static HRESULT WINAPI unregister_application(IDirectPlayLobby3 *self, DWORD flags, REFGUID application)
{
	Request r;

	begin_request(&r, self, METHOD_LOBBY_UNREGISTER_APPLICATION);
	r.number[0] = flags;
	give_guid(&r, 0, application);
	ask(&r);
	return end_request(&r);
}

static HRESULT WINAPI wait_for_connection_settings(IDirectPlayLobby3 *self, DWORD flags)
{
	return call(self, METHOD_LOBBY_WAIT_FOR_CONNECTION_SETTINGS, 1, flags);
}

static const IDirectPlayLobby3Vtbl lobby_vtbl = {
	.QueryInterface = query, .AddRef = addref, .Release = release,
	.Connect = connect_play, .CreateAddress = create_address, .EnumAddress = enum_address, .EnumAddressTypes = enum_address_types,
	.EnumLocalApplications = enum_local_applications, .GetConnectionSettings = get_connection_settings,
	.ReceiveLobbyMessage = receive_lobby_message, .RunApplication = run_application, .SendLobbyMessage = send_lobby_message,
	.SetConnectionSettings = set_connection_settings, .SetLobbyMessageEvent = set_lobby_message_event,
	.CreateCompoundAddress = create_compound_address,
	.ConnectEx = connect_ex, .RegisterApplication = register_application, .UnregisterApplication = unregister_application,
	.WaitForConnectionSettings = wait_for_connection_settings,
};

static const Interface lobby_interfaces[FACES] = {
	{&IID_IUnknown, &lobby_vtbl, false},
	{&IID_IDirectPlayLobby, &lobby_vtbl, true},
	{&IID_IDirectPlayLobbyA, &lobby_vtbl, false},
	{&IID_IDirectPlayLobby2, &lobby_vtbl, true},
	{&IID_IDirectPlayLobby2A, &lobby_vtbl, false},
	{&IID_IDirectPlayLobby3, &lobby_vtbl, true},
	{&IID_IDirectPlayLobby3A, &lobby_vtbl, false},
};

HRESULT create_lobby(REFIID iid, void **out)
{
	Object *o = object_new(lobby_interfaces, 0, NULL);
	HRESULT result;

	if (!o)
		return DPERR_OUTOFMEMORY;
	result = object_query(o, iid, out);
	object_discard(o);
	return result;
}

// create_first_lobby checks what the functions that make a lobby are given: what is not of use has to be missing.
static HRESULT create_first_lobby(REFIID iid, const GUID *provider, void **out, IUnknown *outer, const void *data, DWORD size)
{
	if (!can_write(out, sizeof *out))
		return DPERR_INVALIDPARAMS;
	*out = NULL;
	if (outer)
		return CLASS_E_NOAGGREGATION;
	if (provider || data || size)
		return DPERR_INVALIDPARAMS;
	return create_lobby(iid, out);
}

HRESULT WINAPI DirectPlayLobbyCreateA(GUID *provider, IDirectPlayLobbyA **out, IUnknown *outer, void *data, DWORD size)
{
	return create_first_lobby(&IID_IDirectPlayLobbyA, provider, (void **)out, outer, data, size);
}

HRESULT WINAPI DirectPlayLobbyCreateW(GUID *provider, IDirectPlayLobby **out, IUnknown *outer, void *data, DWORD size)
{
	return create_first_lobby(&IID_IDirectPlayLobby, provider, (void **)out, outer, data, size);
}
