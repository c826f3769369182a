/* Until the play begins: the provider, the session, the players, what they say to each other in the menu. */
#include "game.h"
#include <stdlib.h>
#include <string.h>

#define SEARCH 1000  /* milliseconds between two looks for sessions */
#define ENOUGH 600    /* looks, after which there is no session */
#define POLL 20      /* milliseconds between two looks for messages */
#define TALK 300     /* milliseconds between two menu messages */

typedef HRESULT WINAPI enumerate(LPDPENUMDPCALLBACKA, void *);
typedef HRESULT WINAPI create(GUID *, IDirectPlay **, IUnknown *);

/* ---- the provider ---- */

static GUID provider;
static BOOL chosen;
static DWORD nproviders;

/* A game goes by the words of the name or by the GUID. */
static BOOL CALLBACK provider_found(GUID *guid, char *name, DWORD major, DWORD minor, void *context)
{
	BOOL by_words = !strcmp(options.provider, "words");
	(void)major, (void)minor, (void)context;
	nproviders++;
	if (by_words ? strstr(name, "TCP/IP") != NULL : IsEqualGUID(guid, &DPSPGUID_TCPIP)) {
		provider = *guid;
		chosen = TRUE;
	}
	json_text(NULL, name);
	return TRUE;
}

void choose_provider(void)
{
	HMODULE dplayx = LoadLibraryA("dplayx.dll");
	enumerate *every = (enumerate *)(void *)GetProcAddress(dplayx, "DirectPlayEnumerateA");
	create *make = (create *)(void *)GetProcAddress(dplayx, "DirectPlayCreate");
	IDirectPlay *first;
	char path[MAX_PATH] = "";
	must("dplayx.dll", every && make);
	GetModuleFileNameA(dplayx, path, sizeof path);
	event("providers");
	json_text("dll", path);
	json_open("names", '[');
	CALL(ENUMERATE, every(provider_found, NULL));
	json_close(']');
	json_bool("chosen", chosen);
	json_end();
	must("a provider", hr == DP_OK && chosen);
	must("DirectPlayCreate", CALL(CREATE, make(&provider, &first, NULL)) == DP_OK);
	CALL(QUERY_INTERFACE, IDirectPlayX_QueryInterface(first, &IID_IDirectPlay3A, (void **)&game));
	must("IDirectPlay3A", hr == DP_OK);
	IDirectPlayX_Release(first);
}

/* ---- the session ---- */

static void tell_open(const DPSESSIONDESC2 *d)
{
	event("open");
	json_guid("instance", &d->guidInstance);
	json_hresult(hr);
	json_number("us", call_last());
	json_end();
}

void host_session(void)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .dwFlags = options.flags, .guidApplication = application, .dwMaxPlayers = MAX_PLAYERS};
	d.lpszSessionNameA = (char *)options.session;
	d.lpszPasswordA = (char *)options.password;
	CALL(OPEN, IDirectPlayX_Open(game, &d, DPOPEN_CREATE));
	tell_open(&d);
	must("Open", hr == DP_OK);
	heard.host = TRUE;
}

static GUID found;
static BOOL is_found;

static BOOL CALLBACK session_found(const DPSESSIONDESC2 *d, DWORD *timeout, DWORD flags, void *context)
{
	(void)timeout, (void)context;
	if (flags & DPESC_TIMEDOUT)
		return FALSE;
	if (is_found || strcmp(d->lpszSessionNameA, options.session))
		return TRUE;
	is_found = TRUE;
	found = d->guidInstance;
	event("session");
	json_text("name", d->lpszSessionNameA);
	json_guid("application", &d->guidApplication);
	json_word("flags", d->dwFlags);
	json_number("players", d->dwCurrentPlayers);
	json_number("max_players", d->dwMaxPlayers);
	json_end();
	return TRUE;
}

static void try_open(const char *password)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .guidInstance = found};
	d.lpszPasswordA = (char *)password;
	CALL(OPEN, IDirectPlayX_Open(game, &d, DPOPEN_JOIN | (options.status ? DPOPEN_RETURNSTATUS : 0)));
	tell_open(&d);
}

/* The menu asks once a second, and is to stay alive meanwhile: EnumSessions returns at once with what was found so far. */
void join_session(void)
{
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .guidApplication = application};
	int looks;
	for (looks = 0; looks < ENOUGH && (!is_found || looks < 3); looks++) {
		CALL(ENUM_SESSIONS, IDirectPlayX_EnumSessions(game, &d, 0, session_found, NULL, options.search));
		must("EnumSessions", hr == DP_OK);
		Sleep(SEARCH);
	}
	must("a session", is_found);
	if (options.wrong) {
		try_open(options.wrong);
		must("refusal of a wrong password", hr != DP_OK);
	}
	try_open(options.password);
	must("Open", hr == DP_OK);
}

/* ---- the players ---- */

static BOOL CALLBACK player_found(DPID id, DWORD type, const DPNAME *name, DWORD flags, void *context)
{
	char short_name[64], long_name[64];
	(void)context, (void)type;
	lstrcpynA(short_name, name->lpszShortNameA ? name->lpszShortNameA : "", sizeof short_name);
	lstrcpynA(long_name, name->lpszLongNameA ? name->lpszLongNameA : "", sizeof long_name);
	json_open(NULL, '{');
	json_word("id", id);
	json_text("short", short_name);
	json_text("long", long_name);
	json_word("flags", flags);
	json_close('}');
	if (id != me)
		other_comes(id);
	return TRUE;
}

void enter_session(void)
{
	DPNAME name = {.dwSize = sizeof name};
	name.lpszShortNameA = name.lpszLongNameA = (char *)options.name;
	must("CreatePlayer", CALL(CREATE_PLAYER, IDirectPlayX_CreatePlayer(game, &me, &name, NULL, NULL, 0, 0)) == DP_OK);
	event("players");
	json_word("me", me);
	json_open("list", '[');
	CALL(ENUM_PLAYERS, IDirectPlayX_EnumPlayers(game, NULL, player_found, NULL, 0));
	json_close(']');
	json_end();
	must("EnumPlayers", hr == DP_OK);
	if (options.group && heard.host)
		make_group();
	else if (options.group)
		enter_group();
}

/* ---- waiting ---- */

static void talk(void)
{
	static DWORD said;
	struct player *newest = NULL;
	DWORD i;
	for (i = 0; i < nothers; i++)
		if (others[i].here)
			newest = &others[i];
	if (!newest)
		return;
	send_message(DPID_ALLPLAYERS, MENU, said, menu_size(said), TRUE);
	said++;
	send_message(newest->id, ASIDE, newest->told, menu_size(newest->told), TRUE);
	newest->told++;
}

DPSESSIONDESC2 *session_description(void)
{
	DPSESSIONDESC2 *d;
	DWORD size = 0;
	CALL(GET_SESSION_DESC, IDirectPlayX_GetSessionDesc(game, NULL, &size));
	must("the size of the description", hr == DPERR_BUFFERTOOSMALL);
	d = malloc(size);
	must("GetSessionDesc", CALL(GET_SESSION_DESC, IDirectPlayX_GetSessionDesc(game, d, &size)) == DP_OK);
	return d;
}

/* The host closes its session to newcomers, and says that the play begins. */
static void begin_play(void)
{
	if (options.locked) {
		DPSESSIONDESC2 *d = session_description();
		d->dwFlags = options.locked;
		must("SetSessionDesc", CALL(SET_SESSION_DESC, IDirectPlayX_SetSessionDesc(game, d, 0)) == DP_OK);
		free(d);
	}
	send_message(DPID_ALLPLAYERS, START, here() + 1, HEADER, TRUE);
	heard.start = TRUE;
	heard.players = here() + 1;
}

static BOOL begins(void)
{
	return heard.host && (options.takes_over || !strcmp(options.role, "host") || !strcmp(options.role, "lobby")) &&
		here() + 1 == options.players && (!options.group || group_complete());
}

static void tell_menu(void)
{
	static DWORD told;
	if (told == here() + 1)
		return;
	told = here() + 1;
	event("menu");
	json_number("players", told);
	json_end();
}

void wait_in_menu(void)
{
	DWORD talked = GetTickCount() - TALK, quiet = 0;
	for (;;) {
		receive_all();
		tell_menu();
		if (heard.start && here() + 1 >= heard.players)
			break;
		if (GetTickCount() - talked >= TALK) {
			talk();
			talked = GetTickCount();
			quiet = begins() ? quiet + 1 : 0;
		}
		if (quiet > 5) /* all have talked to each other */
			begin_play();
		Sleep(POLL);
	}
	if (options.group)
		talk_to_group();
}
