/* Commands around the session: the provider, finding sessions, joining, creating, describing, leaving. */
#include "client.h"
#include <string.h>

#define MAX_SESSIONS 256

/* What the last enum found: join takes a session by its name too. */
static struct found {
	GUID instance;
	WCHAR name[64];
} found[MAX_SESSIONS];
static int nfound;

static HRESULT compound_address(WCHAR *host, void **address, DWORD *size)
{
	IDirectPlayLobby3 *lobby;
	GUID provider = DPSPGUID_TCPIP;
	DPCOMPOUNDADDRESSELEMENT part[2];
	HRESULT hr = CoCreateInstance(&CLSID_DirectPlayLobby, NULL, CLSCTX_INPROC_SERVER, &IID_IDirectPlayLobby3, (void **)&lobby);
	if (FAILED(hr))
		return hr;
	part[0].guidDataType = DPAID_ServiceProvider;
	part[0].dwDataSize = sizeof provider;
	part[0].lpData = &provider;
	part[1].guidDataType = DPAID_INetW;
	part[1].dwDataSize = (lstrlenW(host) + 1) * sizeof *host;
	part[1].lpData = host;
	*size = 0;
	hr = IDirectPlayLobby_CreateCompoundAddress(lobby, part, 2, NULL, size);
	if (hr == DPERR_BUFFERTOOSMALL) {
		*address = word_memory(*size);
		hr = IDirectPlayLobby_CreateCompoundAddress(lobby, part, 2, *address, size);
	}
	IDirectPlayLobby_Release(lobby);
	return hr;
}

static HRESULT create_object(void)
{
	if (dp)
		return DP_OK;
	return CoCreateInstance(&CLSID_DirectPlay, NULL, CLSCTX_INPROC_SERVER, &IID_IDirectPlay4, (void **)&dp);
}

/* open-provider tcpip [address=HOST]. Without an address DirectPlay looks for sessions by broadcast. */
HRESULT cmd_open_provider(const struct args *a)
{
	const char *host = option(a, "address");
	void *address = NULL;
	DWORD size;
	HRESULT hr;
	if (strcmp(a->word[0], "tcpip"))
		return DPERR_UNAVAILABLE;
	hr = create_object();
	if (SUCCEEDED(hr))
		hr = compound_address(wide(host ? host : ""), &address, &size);
	if (FAILED(hr))
		return hr;
	json_number("address_size", size);
	return IDirectPlayX_InitializeConnection(dp, address, 0);
}

static BOOL CALLBACK provider_found(LPCGUID sp, void *connection, DWORD size, LPCDPNAME name, DWORD flags, void *context)
{
	(void)connection, (void)context, (void)flags;
	json_open(NULL, '{');
	json_guid("guid", sp);
	json_wide("name", name->lpszShortName);
	json_number("address_size", size);
	json_close('}');
	return TRUE;
}

/* providers: what service providers there are. */
HRESULT cmd_providers(const struct args *a)
{
	HRESULT hr = create_object();
	(void)a;
	if (FAILED(hr))
		return hr;
	json_open("providers", '[');
	hr = IDirectPlayX_EnumConnections(dp, NULL, provider_found, NULL, DPCONNECTION_DIRECTPLAY);
	json_close(']');
	return hr;
}

/* caps [guaranteed] [player=ID] */
HRESULT cmd_caps(const struct args *a)
{
	DPCAPS caps = {.dwSize = sizeof caps};
	DWORD flags = option(a, "guaranteed") ? DPGETCAPS_GUARANTEED : 0;
	const char *player = option(a, "player");
	HRESULT hr = player ? IDirectPlayX_GetPlayerCaps(dp, number(player), &caps, flags) : IDirectPlayX_GetCaps(dp, &caps, flags);
	json_word("flags", caps.dwFlags);
	json_number("max_buffer", caps.dwMaxBufferSize);
	json_number("max_players", caps.dwMaxPlayers);
	json_number("max_local_players", caps.dwMaxLocalPlayers);
	json_number("header", caps.dwHeaderLength);
	json_number("timeout", caps.dwTimeout);
	json_number("latency", caps.dwLatency);
	return hr;
}

void json_session(const DPSESSIONDESC2 *d)
{
	json_guid("instance", &d->guidInstance);
	json_guid("application", &d->guidApplication);
	json_wide("name", d->lpszSessionName);
	json_wide("password", d->lpszPassword);
	json_word("flags", d->dwFlags);
	json_number("max_players", d->dwMaxPlayers);
	json_number("players", d->dwCurrentPlayers);
	json_word("reserved1", d->dwReserved1);
	json_word("reserved2", d->dwReserved2);
	json_open("user", '[');
	json_number(NULL, d->dwUser1);
	json_number(NULL, d->dwUser2);
	json_number(NULL, d->dwUser3);
	json_number(NULL, d->dwUser4);
	json_close(']');
}

static BOOL CALLBACK session_found(const DPSESSIONDESC2 *d, DWORD *timeout, DWORD flags, void *context)
{
	(void)timeout, (void)context;
	if (flags & DPESC_TIMEDOUT)
		return FALSE; /* enough: otherwise it would ask again */
	json_open(NULL, '{');
	json_session(d);
	json_close('}');
	if (nfound < MAX_SESSIONS) {
		struct found *f = &found[nfound++];
		f->instance = d->guidInstance;
		f->name[0] = 0;
		if (d->lpszSessionName)
			lstrcpynW(f->name, d->lpszSessionName, sizeof f->name / sizeof *f->name);
	}
	return TRUE;
}

/* enum APPLICATION [flags=N] [password=P] [timeout=MS] */
HRESULT cmd_enum(const struct args *a)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d};
	const char *flags = option(a, "flags"), *timeout = option(a, "timeout");
	HRESULT hr;
	guid(a->word[0], &d.guidApplication);
	d.lpszPassword = wide(option(a, "password"));
	nfound = 0;
	json_open("sessions", '[');
	hr = IDirectPlayX_EnumSessions(dp, &d, timeout ? number(timeout) : 0, session_found, NULL, flags ? number(flags) : 0);
	json_close(']');
	return hr;
}

/* join INSTANCE|NAME [password=P]. A name has to be that of a session of the last enum; an instance need not. */
HRESULT cmd_join(const struct args *a)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d};
	if (!guid(a->word[0], &d.guidInstance)) {
		const WCHAR *name = wide(a->word[0]);
		int i = 0;
		while (i < nfound && name && lstrcmpW(found[i].name, name))
			i++;
		if (i == nfound || !name) {
			json_text("error", "the last enum found no session of that name");
			return DPERR_NOSESSIONS;
		}
		d.guidInstance = found[i].instance;
	}
	json_guid("instance", &d.guidInstance);
	d.lpszPassword = wide(option(a, "password"));
	return IDirectPlayX_Open(dp, &d, DPOPEN_JOIN);
}

/* host APPLICATION NAME [flags=N] [max=N] [password=P] */
HRESULT cmd_host(const struct args *a)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d};
	const char *flags = option(a, "flags"), *max = option(a, "max");
	guid(a->word[0], &d.guidApplication);
	d.lpszSessionName = wide(a->word[1]);
	d.lpszPassword = wide(option(a, "password"));
	d.dwFlags = flags ? number(flags) : 0;
	d.dwMaxPlayers = max ? number(max) : 0;
	return IDirectPlayX_Open(dp, &d, DPOPEN_CREATE);
}

static HRESULT get_session(DPSESSIONDESC2 **d)
{
	DWORD size = 0;
	HRESULT hr = IDirectPlayX_GetSessionDesc(dp, NULL, &size);
	if (hr != DPERR_BUFFERTOOSMALL)
		return hr;
	*d = word_memory(size);
	return IDirectPlayX_GetSessionDesc(dp, *d, &size);
}

/* session: the description of the session that we are in. */
HRESULT cmd_session(const struct args *a)
{
	DPSESSIONDESC2 *d = NULL;
	HRESULT hr = get_session(&d);
	(void)a;
	if (SUCCEEDED(hr) && d) {
		json_open("session", '{');
		json_session(d);
		json_close('}');
	}
	return hr;
}

/* set-session [name=N] [password=P] [flags=N] [max=N] [user1=N]: changes what is given, keeps the rest. */
HRESULT cmd_set_session(const struct args *a)
{
	DPSESSIONDESC2 *d = NULL;
	HRESULT hr = get_session(&d);
	if (FAILED(hr) || !d)
		return hr;
	if (option(a, "name"))
		d->lpszSessionName = wide(option(a, "name"));
	if (option(a, "password"))
		d->lpszPassword = wide(option(a, "password"));
	if (option(a, "flags"))
		d->dwFlags = number(option(a, "flags"));
	if (option(a, "max"))
		d->dwMaxPlayers = number(option(a, "max"));
	if (option(a, "user1"))
		d->dwUser1 = number(option(a, "user1"));
	return IDirectPlayX_SetSessionDesc(dp, d, 0);
}

/* close: leaves the session; the provider stays open. */
HRESULT cmd_close(const struct args *a)
{
	(void)a;
	first_player = 0;
	return IDirectPlayX_Close(dp);
}
