/* A DirectPlay 4 program that does what it is told: a command a line from standard input, or from the file
 * that is its argument, and a line of JSON for every result and for everything that DirectPlay delivers.
 *
 * Written from the public API (dplay.h) to hold this project's hosts and peers against implementations of
 * others. It runs under Wine and on Windows:
 *
 *     i686-w64-mingw32-gcc -o client.exe *.c -ldplayx -ldxguid -lole32 -luuid
 *
 * No command can block for ever: one that overruns its limit ends the program, with an event that says so. */
#include "client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLL 20 /* milliseconds: not every implementation sets the event for every message */

IDirectPlay4 *dp;
DPID first_player;
HANDLE message_event;

static command cmd_wait, cmd_expect, cmd_hex_limit, cmd_quit;
static BOOL quitting;

enum { NO_OBJECT = 1 }; /* may run before open-provider */

static const struct command_row {
	const char *name;
	command *run;
	const char *words;   /* that it needs, a letter each: see good_word */
	const char *options; /* that it knows: key=letter for one with a value */
	int flags;
	DWORD limit; /* milliseconds; 0: the limit of the program */
} commands[] = {
	{"open-provider", cmd_open_provider, "s", "address=s", NO_OBJECT, 120000},
	{"providers", cmd_providers, "", "", NO_OBJECT, 120000},
	{"caps", cmd_caps, "", "guaranteed player=i", 0, 120000},
	{"enum", cmd_enum, "g", "flags=n password=s timeout=n", 0, 120000},
	{"join", cmd_join, "s", "password=s", 0, 120000}, /* Wine waits 30 s for one answer and 60 s for another */
	{"host", cmd_host, "gs", "flags=n max=n password=s", 0, 120000},
	{"session", cmd_session, "", "", 0, 120000},
	{"set-session", cmd_set_session, "", "name=s password=s flags=n max=n user1=n", 0, 120000},
	{"close", cmd_close, "", "", 0, 120000},
	{"create-player", cmd_create_player, "ss", "data=h flags=n", 0, 120000},
	{"destroy-player", cmd_destroy_player, "i", "", 0, 120000},
	{"players", cmd_players, "", "flags=n group=i", 0, 120000},
	{"player-data", cmd_player_data, "i", "local", 0, 120000},
	{"set-player-name", cmd_set_player_name, "iss", "local guaranteed", 0, 120000},
	{"set-player-data", cmd_set_player_data, "ih", "local guaranteed", 0, 120000},
	{"create-group", cmd_create_group, "ss", "data=h flags=n parent=i", 0, 120000},
	{"destroy-group", cmd_destroy_group, "i", "", 0, 120000},
	{"groups", cmd_groups, "", "flags=n", 0, 120000},
	{"add-to-group", cmd_add_to_group, "ii", "", 0, 120000},
	{"remove-from-group", cmd_remove_from_group, "ii", "", 0, 120000},
	{"set-group-name", cmd_set_group_name, "iss", "local guaranteed", 0, 120000},
	{"set-group-data", cmd_set_group_data, "ih", "local guaranteed", 0, 120000},
	{"send", cmd_send, "ih", "guaranteed from=i", 0, 120000},
	{"send-size", cmd_send_size, "inn", "guaranteed from=i", 0, 120000},
	{"chat", cmd_chat, "is", "guaranteed from=i", 0, 120000},
	{"queue", cmd_queue, "", "", 0, 120000},
	{"wait", cmd_wait, "n", "", NO_OBJECT, 0},
	{"expect", cmd_expect, "s", "timeout=n count=n", NO_OBJECT, 0},
	{"hex-limit", cmd_hex_limit, "n", "", NO_OBJECT, 120000},
	{"quit", cmd_quit, "", "", NO_OBJECT, 120000},
};

/* ---- the watchdog ---- */

static DWORD life = 30 * 60 * 1000; /* milliseconds that the program may live; --life changes it */
static volatile LONG busy_since, busy_limit; /* busy_limit 0: not busy */
static char busy_with[32];

static DWORD WINAPI watchdog(void *unused)
{
	(void)unused;
	for (;;) {
		DWORD limit = busy_limit, now = GetTickCount();
		if (limit && now - (DWORD)busy_since > limit) {
			json_fatal("overrun", busy_with);
			TerminateProcess(GetCurrentProcess(), 3);
		}
		if (now - start_tick > life) {
			json_fatal("overrun", "the life of the program");
			TerminateProcess(GetCurrentProcess(), 3);
		}
		Sleep(50);
	}
	return 0;
}

static LONG WINAPI crashed(EXCEPTION_POINTERS *e)
{
	char detail[80];
	snprintf(detail, sizeof detail, "exception 0x%08lx at 0x%08lx", e->ExceptionRecord->ExceptionCode,
		(DWORD)(DWORD_PTR)e->ExceptionRecord->ExceptionAddress);
	json_fatal("crash", detail);
	TerminateProcess(GetCurrentProcess(), 4);
	return EXCEPTION_EXECUTE_HANDLER;
}

/* ---- input: a thread reads, the main thread takes one line at a time ---- */

static HANDLE input, line_ready, line_taken;
static char line[MAX_LINE];
static BOOL line_end; /* there is no further line */
static BOOL line_cut; /* it was longer than MAX_LINE */

static DWORD WINAPI read_lines(void *unused)
{
	static char block[65536];
	DWORD n = 0, i, used = 0;
	(void)unused;
	while (ReadFile(input, block, sizeof block, &n, NULL) && n) {
		for (i = 0; i < n; i++) {
			if (block[i] != '\n') {
				if (used < MAX_LINE - 1)
					line[used++] = block[i];
				else
					line_cut = TRUE;
				continue;
			}
			line[used] = 0;
			used = 0;
			SetEvent(line_ready);
			WaitForSingleObject(line_taken, INFINITE);
		}
	}
	line[used] = 0;
	line_end = TRUE;
	SetEvent(line_ready);
	return 0;
}

/* ---- commands that concern only this program ---- */

/* Delivers messages for some milliseconds, or until so many events of a name were written. */
static BOOL pump_for(DWORD ms, const char *event, DWORD until)
{
	DWORD start = GetTickCount();
	for (;;) {
		DWORD gone = GetTickCount() - start;
		pump();
		if (event && events_seen(event) >= until)
			return TRUE;
		if (gone >= ms)
			return FALSE;
		WaitForSingleObject(message_event, ms - gone < POLL ? ms - gone : POLL);
	}
}

/* A command's result line is begun before it runs. While these run events come, so theirs has to wait: they
 * note their fields and begin it anew. */
static DWORD sequence;

static void begin_result(const char *name)
{
	json_begin("result", name);
	json_number("seq", sequence);
}

/* wait MS: events keep coming without it; it is for scripts. */
static HRESULT cmd_wait(const struct args *a)
{
	DWORD ms = number(a->word[0]);
	pump_for(ms, NULL, 0);
	begin_result("wait");
	return DP_OK;
}

/* expect EVENT [count=N] [timeout=MS]: until so many (1) such events were written since the start. */
static HRESULT cmd_expect(const struct args *a)
{
	DWORD ms = option(a, "timeout") ? number(option(a, "timeout")) : 10000;
	DWORD until = option(a, "count") ? number(option(a, "count")) : 1;
	BOOL there = pump_for(ms, a->word[0], until);
	begin_result("expect");
	json_number("count", events_seen(a->word[0]));
	return there ? DP_OK : DPERR_TIMEOUT;
}

/* hex-limit N: data of more octets is given by size and checksum alone. */
static HRESULT cmd_hex_limit(const struct args *a)
{
	json_hex_limit = number(a->word[0]);
	return DP_OK;
}

/* quit: closes the session, lets DirectPlay go and ends the program. */
static HRESULT cmd_quit(const struct args *a)
{
	(void)a;
	quitting = TRUE;
	if (dp) {
		IDirectPlayX_Close(dp);
		IDirectPlayX_Release(dp);
		dp = NULL;
	}
	return DP_OK;
}

/* ---- running commands ---- */

static void refuse(const char *name, const char *why)
{
	begin_result(name);
	json_bool("ok", FALSE);
	json_text("error", why);
	json_end();
}

static const char *why_not(const struct command_row *c, char *words, struct args *a)
{
	const char *wrong;
	int i;
	if (line_cut)
		return "the line is too long";
	if (!c)
		return "no such command";
	wrong = split(words, c->options, a);
	if (wrong)
		return wrong;
	if (a->n < (int)strlen(c->words))
		return "words are missing";
	if (a->n > (int)strlen(c->words))
		return "too many words, or an option that the command does not know";
	for (i = 0; i < a->n; i++)
		good_word(c->words[i], a->word[i]);
	if (bad_word[0])
		return bad_word;
	if (!dp && !(c->flags & NO_OBJECT))
		return "open-provider comes first";
	return NULL;
}

static void execute(char *text)
{
	const struct command_row *c = commands, *end = commands + sizeof commands / sizeof *commands;
	struct args a;
	const char *name = first_word(&text), *why;
	DWORD start = GetTickCount();
	HRESULT hr;
	if (!*name || *name == '#')
		return;
	sequence++;
	while (c < end && strcmp(c->name, name))
		c++;
	why = why_not(c < end ? c : NULL, text, &a);
	if (why) {
		refuse(name, why);
		release_words();
		return;
	}
	lstrcpynA(busy_with, c->name, sizeof busy_with);
	busy_since = start;
	busy_limit = c->limit;
	begin_result(c->name);
	hr = c->run(&a);
	busy_limit = 0;
	json_bool("ok", SUCCEEDED(hr));
	json_hresult(hr);
	json_number("ms", GetTickCount() - start);
	json_end();
	release_words();
}

static void run(void)
{
	HANDLE either[2] = {line_ready, message_event};
	while (!quitting) {
		DWORD got = WaitForMultipleObjects(2, either, FALSE, POLL);
		pump();
		if (got != WAIT_OBJECT_0)
			continue;
		if (line_end && !*line)
			strcpy(line, "quit");
		execute(line);
		if (line_end && !quitting)
			execute(strcpy(line, "quit"));
		line_cut = FALSE;
		SetEvent(line_taken);
	}
}

static void ready(void)
{
	const char *(CDECL *version)(void) = (void *)GetProcAddress(GetModuleHandleA("ntdll.dll"), "wine_get_version");
	json_begin("event", "ready");
	json_number("pid", GetCurrentProcessId());
	json_text("wine", version ? version() : ""); /* empty on Windows */
	json_end();
}

int main(int argc, char **argv)
{
	start_tick = GetTickCount();
	SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);
	SetUnhandledExceptionFilter(crashed);
	if (argc > 2 && !strcmp(argv[1], "--life")) {
		life = strtoul(argv[2], NULL, 0) * 1000;
		argc -= 2;
		argv += 2;
	}
	input = argc > 1 ? CreateFileA(argv[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL) : GetStdHandle(STD_INPUT_HANDLE);
	if (input == INVALID_HANDLE_VALUE || argc > 2) {
		json_fatal("usage", "client [--life SECONDS] [SCRIPT]");
		return 2;
	}
	if (FAILED(CoInitialize(NULL))) {
		json_fatal("failed", "CoInitialize");
		return 2;
	}
	message_event = CreateEventA(NULL, FALSE, FALSE, NULL);
	line_ready = CreateEventA(NULL, FALSE, FALSE, NULL);
	line_taken = CreateEventA(NULL, FALSE, FALSE, NULL);
	CreateThread(NULL, 0, watchdog, NULL, 0, NULL);
	ready();
	CreateThread(NULL, 0, read_lines, NULL, 0, NULL);
	run();
	CoUninitialize();
	return 0;
}
