// A game that a launcher starts: it goes into the session of its connection settings without asking anybody, talks to the
// launcher and to the other player, and ends. A line of text for each thing that happened, each after "game: ".
#include "lobby.h"

static const char me[] = "game";

// A game is what it has at hand.
struct game {
	IDirectPlayLobby2 *lobby;
	IDirectPlay3 *play;
	DPLCONNECTION *settings;
	HANDLE lobby_event, play_event;
	DPID player;
	BOOL hosts;
};

static void create_lobby(struct game *g)
{
	IDirectPlayLobby *first;
	HRESULT(WINAPI *create)(GUID *, IDirectPlayLobby **, IUnknown *, void *, DWORD) = (void *)GetProcAddress(
		LoadLibraryA("dplayx.dll"), SIDE("DirectPlayLobbyCreateW", "DirectPlayLobbyCreateA"));
	want(me, "DirectPlayLobbyCreate", create ? create(NULL, &first, NULL, NULL, 0) : E_NOTIMPL, DP_OK);
	want(me, "QueryInterface of the lobby", IDirectPlayLobby_QueryInterface(first,
		SIDE(&IID_IDirectPlayLobby2, &IID_IDirectPlayLobby2A), (void **)&g->lobby), DP_OK);
	IDirectPlayLobby_Release(first);
	g->lobby_event = CreateEvent(NULL, FALSE, FALSE, NULL);
	want(me, "SetLobbyMessageEvent", IDirectPlayLobby_SetLobbyMessageEvent(g->lobby, 0, 0, g->lobby_event), DP_OK);
}

// read_settings takes the settings with more room than they need, and changes them, as games do.
static void read_settings(struct game *g)
{
	DWORD size = 0;
	want(me, "GetConnectionSettings for its size", IDirectPlayLobby_GetConnectionSettings(g->lobby, 0, NULL, &size),
	     DPERR_BUFFERTOOSMALL);
	size += 0x80;
	DPLCONNECTION *c = g->settings = malloc(size);
	want(me, "GetConnectionSettings", IDirectPlayLobby_GetConnectionSettings(g->lobby, 0, c, &size), DP_OK);
	g->hosts = c->dwFlags & DPLCONNECTION_CREATESESSION;
	say("game: settings flags %lu player " TEXT_FORMAT " password " TEXT_FORMAT " address of %lu octets",
	    (unsigned long)c->dwFlags,
	    SIDE(c->lpPlayerName->lpszShortName, c->lpPlayerName->lpszShortNameA),
	    SIDE(c->lpSessionDesc->lpszPassword, c->lpSessionDesc->lpszPasswordA), (unsigned long)c->dwAddressSize);
	if (g->hosts) {
		c->lpSessionDesc->dwFlags |= DPSESSION_KEEPALIVE | DPSESSION_MIGRATEHOST;
		c->lpSessionDesc->dwMaxPlayers = 8;
	}
	want(me, "SetConnectionSettings", IDirectPlayLobby_SetConnectionSettings(g->lobby, 0, 0, c), DP_OK);
}

// connect goes into the session: a host by Connect, as games of DirectX 5 do, others by ConnectEx.
static void connect_play(struct game *g)
{
	if (g->hosts) {
		IDirectPlay2 *second;
		want(me, "Connect", IDirectPlayLobby_Connect(g->lobby, 0, &second, NULL), DP_OK);
		want(me, "QueryInterface", IDirectPlayX_QueryInterface(second, SIDE(&IID_IDirectPlay3, &IID_IDirectPlay3A),
			(void **)&g->play), DP_OK);
		IDirectPlayX_Release(second);
		return;
	}
	IDirectPlayLobby3 *third;
	want(me, "QueryInterface of the lobby", IDirectPlayLobby_QueryInterface(g->lobby,
		SIDE(&IID_IDirectPlayLobby3, &IID_IDirectPlayLobby3A), (void **)&third), DP_OK);
	want(me, "ConnectEx", IDirectPlayLobby_ConnectEx(third, 0, SIDE(&IID_IDirectPlay3, &IID_IDirectPlay3A), (void **)&g->play,
		NULL), DP_OK);
	IDirectPlayLobby_Release(third);
}

static void show_session(struct game *g)
{
	DWORD size = 0;
	want(me, "GetSessionDesc for its size", IDirectPlayX_GetSessionDesc(g->play, NULL, &size), DPERR_BUFFERTOOSMALL);
	DPSESSIONDESC2 *d = malloc(size);
	want(me, "GetSessionDesc", IDirectPlayX_GetSessionDesc(g->play, d, &size), DP_OK);
	char text[40];
	say("game: session %s " TEXT_FORMAT, guid_text(&d->guidInstance, text), SIDE(d->lpszSessionName, d->lpszSessionNameA));
	free(d);
}

static void create_player(struct game *g)
{
	g->play_event = CreateEvent(NULL, FALSE, FALSE, NULL);
	want(me, "CreatePlayer", IDirectPlayX_CreatePlayer(g->play, &g->player, g->settings->lpPlayerName, g->play_event, NULL, 0, 0),
	     DP_OK);
}

// ask asks the launcher whether it answers, and waits for its answer.
static void ask(struct game *g)
{
	DPLMSG_GETPROPERTY m = {.dwType = DPLSYS_GETPROPERTY, .dwRequestID = 7, .guidPropertyTag = DPLPROPERTY_MessagesSupported};
	want(me, "SendLobbyMessage", IDirectPlayLobby_SendLobbyMessage(g->lobby, DPLMSG_STANDARD, 0, &m, sizeof m), DP_OK);
	want_event(me, "the launcher's answer", g->lobby_event);
	DPLMSG_GETPROPERTYRESPONSE r;
	DWORD flags = 0, size = sizeof r;
	want(me, "ReceiveLobbyMessage", IDirectPlayLobby_ReceiveLobbyMessage(g->lobby, 0, 0, &flags, &r, &size), DP_OK);
	say("game: the launcher answers type %lu flags %lu request %lu: %lu", (unsigned long)r.dwType, (unsigned long)flags,
	    (unsigned long)r.dwRequestID, (unsigned long)r.dwPropertyData[0]);
	size = sizeof r;
	want(me, "ReceiveLobbyMessage of none", IDirectPlayLobby_ReceiveLobbyMessage(g->lobby, 0, 0, &flags, &r, &size),
	     DPERR_NOMESSAGES);
	want(me, "SendLobbyMessage of its own", IDirectPlayLobby_SendLobbyMessage(g->lobby, 0, 0, "words", 5), DP_OK);
}

// said takes what a player said: the host answers, the other one has its answer. It returns whether that was the last.
static BOOL said(struct game *g, DPID from, const char *data, DWORD size)
{
	say("game: heard %.*s", (int)size, data);
	if (!g->hosts)
		return TRUE;
	want(me, "Send", IDirectPlayX_Send(g->play, g->player, from, DPSEND_GUARANTEED, (void *)"welcome", 7), DP_OK);
	return FALSE;
}

// play talks until the other player left, or has answered.
static void play(struct game *g)
{
	if (!g->hosts)
		want(me, "Send", IDirectPlayX_Send(g->play, g->player, DPID_ALLPLAYERS, DPSEND_GUARANTEED, (void *)"hello", 5), DP_OK);
	for (BOOL last = FALSE; !last;) {
		char message[4096];
		DPID from = 0, to = 0;
		DWORD size = sizeof message;
		HRESULT code = IDirectPlayX_Receive(g->play, &from, &to, DPRECEIVE_ALL, message, &size);
		if (code == DPERR_NOMESSAGES) {
			want_event(me, "a message of the other player", g->play_event);
			continue;
		}
		want(me, "Receive", code, DP_OK);
		DWORD kind = ((DPMSG_GENERIC *)message)->dwType;
		if (from != DPID_SYSMSG)
			last = said(g, from, message, size);
		else if (kind == DPSYS_CREATEPLAYERORGROUP)
			say("game: " TEXT_FORMAT " came", SIDE(((DPMSG_CREATEPLAYERORGROUP *)message)->dpnName.lpszShortName,
			    ((DPMSG_CREATEPLAYERORGROUP *)message)->dpnName.lpszShortNameA));
		else
			last = kind == DPSYS_DESTROYPLAYERORGROUP;
	}
}

int CDECL _tmain(void)
{
	struct game g = {0};
	say("game: run as %s", GetCommandLineA());
	create_lobby(&g);
	read_settings(&g);
	connect_play(&g);
	show_session(&g);
	create_player(&g);
	ask(&g);
	play(&g);
	want(me, "Close", IDirectPlayX_Close(g.play), DP_OK);
	want(me, "Release", IDirectPlayX_Release(g.play), 0);
	want(me, "Release of the lobby", IDirectPlayLobby_Release(g.lobby), 0);
	free(g.settings);
	say("game: end");
	return 0;
}
