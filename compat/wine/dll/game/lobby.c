/* What a game does that a lobby started: it takes what the lobby says of the session, changes some of it, and lets the lobby
 * object connect. */
#include "game.h"
#include <stdlib.h>

#define MORE 0x80 /* octets that the game takes beyond what it was told */

typedef HRESULT WINAPI create_lobby(GUID *, IDirectPlayLobby **, IUnknown *, void *, DWORD);

static IDirectPlayLobby2A *lobby(void)
{
	HMODULE dplayx = LoadLibraryA("dplayx.dll");
	create_lobby *make = (create_lobby *)(void *)GetProcAddress(dplayx, "DirectPlayLobbyCreateA");
	IDirectPlayLobby *first;
	IDirectPlayLobby2A *second;
	must("dplayx.dll", make != NULL);
	must("DirectPlayLobbyCreate", CALL(LOBBY_CREATE, make(NULL, &first, NULL, NULL, 0)) == DP_OK);
	CALL(QUERY_INTERFACE, IDirectPlayLobby_QueryInterface(first, &IID_IDirectPlayLobby2A, (void **)&second));
	must("IDirectPlayLobby2A", hr == DP_OK);
	IDirectPlayLobby_Release(first);
	return second;
}

static void tell_settings(const DPLCONNECTION *c)
{
	event("settings");
	json_word("flags", c->dwFlags);
	json_guid("instance", &c->lpSessionDesc->guidInstance);
	json_text("session", c->lpSessionDesc->lpszSessionNameA ? c->lpSessionDesc->lpszSessionNameA : "");
	json_text("player", c->lpPlayerName && c->lpPlayerName->lpszShortNameA ? c->lpPlayerName->lpszShortNameA : "");
	json_number("address_size", c->dwAddressSize);
	json_end();
}

static DPLCONNECTION *settings(IDirectPlayLobby2A *l)
{
	DPLCONNECTION *c;
	DWORD size = 0;
	CALL(GET_CONNECTION_SETTINGS, IDirectPlayLobby_GetConnectionSettings(l, 0, NULL, &size));
	must("the size of the settings", hr == DPERR_BUFFERTOOSMALL);
	size += MORE;
	c = malloc(size);
	CALL(GET_CONNECTION_SETTINGS, IDirectPlayLobby_GetConnectionSettings(l, 0, c, &size));
	must("GetConnectionSettings", hr == DP_OK);
	tell_settings(c);
	return c;
}

/* Room for the structure alone: whether its strings fit DirectPlay says. */
static void small_description(void)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d}, *whole;
	DWORD size = sizeof d;
	CALL(GET_SESSION_DESC, IDirectPlayX_GetSessionDesc(game, &d, &size));
	event("description");
	json_hresult(hr);
	json_number("size", size);
	json_number("structure", sizeof d);
	whole = session_description();
	json_guid("instance", &whole->guidInstance);
	json_word("flags", whole->dwFlags);
	json_number("max_players", whole->dwMaxPlayers);
	json_text("name", whole->lpszSessionNameA ? whole->lpszSessionNameA : "");
	json_end();
	free(whole);
}

void lobby_session(void)
{
	IDirectPlayLobby2A *l = lobby();
	DPLCONNECTION *c = settings(l);
	IDirectPlay2A *second;
	c->lpSessionDesc->dwFlags = options.flags;
	c->lpSessionDesc->dwMaxPlayers = MAX_PLAYERS;
	must("SetConnectionSettings", CALL(SET_CONNECTION_SETTINGS, IDirectPlayLobby_SetConnectionSettings(l, 0, 0, c)) == DP_OK);
	must("Connect", CALL(CONNECT, IDirectPlayLobby_Connect(l, 0, (IDirectPlay2 **)&second, NULL)) == DP_OK);
	CALL(QUERY_INTERFACE, IDirectPlayX_QueryInterface(second, &IID_IDirectPlay3A, (void **)&game));
	must("IDirectPlay3A", hr == DP_OK);
	IDirectPlayX_Release(second);
	small_description();
	heard.host = (c->dwFlags & DPLCONNECTION_CREATESESSION) != 0;
	if (c->lpPlayerName && c->lpPlayerName->lpszShortNameA)
		options.name = c->lpPlayerName->lpszShortNameA;
	IDirectPlayLobby_Release(l);
}
