/* A game: from its first call of DirectPlay to its last one. */
#include "game.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 180000 /* milliseconds without progress, after which the game is taken to hang */

IDirectPlay3A *game;
HRESULT hr;
DPID me;
const GUID application = {0xbdcfe03e, 0xf0ec, 0x415b, {0x82, 0x11, 0x6f, 0x86, 0xd8, 0x19, 0x7f, 0xe1}};

struct options options = {
	.role = "join", .name = "player", .session = "game", .password = "", .provider = "words", .leave = "release",
	.players = 2, .flags = DPSESSION_KEEPALIVE | DPSESSION_NODATAMESSAGES,
	.locked = DPSESSION_KEEPALIVE | DPSESSION_NODATAMESSAGES | DPSESSION_JOINDISABLED | DPSESSION_NEWPLAYERSDISABLED,
	.search = DPENUMSESSIONS_AVAILABLE | DPENUMSESSIONS_ASYNC, .turns = 200, .turn = 50,
};

/* ---- the watch: no call may hang unnoticed ---- */

static volatile LONG alive_at;

void still_alive(void) { alive_at = GetTickCount(); }

static DWORD WINAPI watch(void *unused)
{
	(void)unused;
	for (;;) {
		if (GetTickCount() - (DWORD)alive_at > PATIENCE) {
			json_fatal("hangs", "no progress");
			TerminateProcess(GetCurrentProcess(), 3);
		}
		Sleep(100);
	}
	return 0;
}

static LONG WINAPI crashed(EXCEPTION_POINTERS *e)
{
	char detail[80];
	snprintf(detail, sizeof detail, "exception 0x%08lx at %p", e->ExceptionRecord->ExceptionCode,
		e->ExceptionRecord->ExceptionAddress);
	json_fatal("crash", detail);
	TerminateProcess(GetCurrentProcess(), 4);
	return EXCEPTION_EXECUTE_HANDLER;
}

void event(const char *name) { json_begin("event", name); }

void must(const char *what, BOOL ok)
{
	if (ok)
		return;
	event("fails");
	json_text("what", what);
	json_hresult(hr);
	json_end();
	ExitProcess(1);
}

/* ---- arguments ---- */

static void take_large(const char *sizes)
{
	DWORD i;
	for (i = 0; i < 4 && *sizes; i++) {
		char *end;
		options.large[i] = strtoul(sizes, &end, 0);
		sizes = *end ? end + 1 : end;
	}
}

static BOOL take_text(const char *key, const char *value)
{
	const struct {
		const char *key, **into;
	} texts[] = {{"role", &options.role}, {"name", &options.name}, {"session", &options.session}, {"password", &options.password},
		{"wrong", &options.wrong}, {"provider", &options.provider}, {"leave", &options.leave}};
	size_t i;
	for (i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(key, texts[i].key)) {
			*texts[i].into = value;
			return TRUE;
		}
	return FALSE;
}

static BOOL take_number(const char *key, const char *value)
{
	const struct {
		const char *key;
		DWORD *into;
	} numbers[] = {{"players", &options.players}, {"flags", &options.flags}, {"locked", &options.locked},
		{"search", &options.search}, {"turns", &options.turns}, {"turn", &options.turn}, {"group", (DWORD *)&options.group},
		{"takes-over", (DWORD *)&options.takes_over}, {"status", &options.status}};
	size_t i;
	for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(key, numbers[i].key)) {
			*numbers[i].into = strtoul(value, NULL, 0);
			return TRUE;
		}
	return FALSE;
}

static BOOL take_options(int argc, char **argv)
{
	int i;
	for (i = 1; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		if (!value)
			return FALSE;
		*value++ = 0;
		if (!strcmp(argv[i], "large"))
			take_large(value);
		else if (!take_text(argv[i], value) && !take_number(argv[i], value))
			return FALSE;
	}
	return options.turns <= MAX_TURNS && options.players <= MAX_PLAYERS;
}

/* ---- leaving ---- */

/* Who ever was there is sent something: DPERR_INVALIDPLAYER is what a game takes a player for lost by. */
static void try_others(void)
{
	DWORD i, word = FAREWELL;
	json_open("last", '[');
	for (i = 0; i < nothers; i++) {
		json_open(NULL, '{');
		json_word("id", others[i].id);
		CALL(SEND, IDirectPlayX_Send(game, me, others[i].id, DPSEND_GUARANTEED, &word, sizeof word));
		json_hresult(hr);
		json_close('}');
	}
	json_close(']');
}

static void tell(void)
{
	event("end");
	json_bool("lost", heard.lost);
	json_bool("host", heard.host);
	json_received();
	json_turns();
	json_others();
	if (options.group)
		json_group();
	try_others();
}

/* A host closes its session, and destroys its player only then. A joiner lets go of the object, and that is all. */
void leave(void)
{
	tell();
	if (!strcmp(options.leave, "close")) {
		CALL(CLOSE, IDirectPlayX_Close(game));
		json_word("close", hr);
		CALL(DESTROY_PLAYER, IDirectPlayX_DestroyPlayer(game, me));
		json_word("destroy_player", hr);
		Sleep(2000);
	}
	CALL(RELEASE, IDirectPlayX_Release(game));
	json_number("references", hr);
	json_calls();
	json_end();
}

int main(int argc, char **argv)
{
	start_tick = GetTickCount();
	still_alive();
	SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
	SetUnhandledExceptionFilter(crashed);
	if (!take_options(argc, argv)) {
		json_fatal("usage", "game KEY=VALUE ...");
		return 2;
	}
	must("CoInitialize", SUCCEEDED(hr = CoInitialize(NULL)));
	CreateThread(NULL, 0, watch, NULL, 0, NULL);
	calls_start();
	if (!strcmp(options.role, "lobby")) {
		lobby_session();
	} else {
		choose_provider();
		if (!strcmp(options.role, "host"))
			host_session();
		else
			join_session();
	}
	enter_session();
	wait_in_menu();
	play();
	large_messages();
	finish();
	leave();
	CoUninitialize();
	return 0;
}
