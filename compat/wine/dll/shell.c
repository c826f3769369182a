// What a dplayx.dll does in the process that loads it, whatever the session: each command is a process of its own, prints what it
// found, and ends with 0 if that is right.
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "every.h"

// takes expects a message with an octet.
static void takes(IDirectPlay4 *dp, char octet)
{
	char got[256];
	DPID from, to;
	DWORD size = sizeof got;

	must(IDirectPlayX_Receive(dp, &from, &to, DPRECEIVE_ALL, got, &size), "Receive");
	if (size != 1 || got[0] != octet)
		fail("another message", size);
}

static void drain(IDirectPlay4 *dp)
{
	char got[1024];
	DPID from, to;
	DWORD size = sizeof got;

	while (IDirectPlayX_Receive(dp, &from, &to, DPRECEIVE_ALL, got, &size) != DPERR_NOMESSAGES)
		size = sizeof got;
}

static void play(void)
{
	DPID player[2];
	IDirectPlay4 *dp = new_session(player);

	drain(dp);
	must(IDirectPlayX_Send(dp, player[0], player[1], DPSEND_GUARANTEED, (void *)"Z", 1), "Send");
	takes(dp, 'Z');
	must(IDirectPlayX_Close(dp), "Close");
	if (IDirectPlayX_Release(dp) != 0)
		fail("Release", 1);
}

// now returns seconds.
static double now(void)
{
	LARGE_INTEGER frequency, count;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&count);
	return (double)count.QuadPart / (double)frequency.QuadPart;
}

// empty measures what a game that polls pays for each poll: the least of ten runs.
static void empty(void)
{
	enum { RUNS = 10, POLLS = 100000 };
	DPID player[2], from, to;
	IDirectPlay4 *dp = new_session(player);
	char got[64];
	DWORD size, count;
	double receive = 1e9, counted = 1e9;
	int i, j;

	drain(dp);
	for (i = 0; i < RUNS; i++) {
		double begin = now();

		for (j = 0; j < POLLS; j++) {
			size = sizeof got;
			if (IDirectPlayX_Receive(dp, &from, &to, DPRECEIVE_ALL, got, &size) != DPERR_NOMESSAGES)
				fail("a message", size);
		}
		receive = min(receive, (now() - begin) / POLLS);
		begin = now();
		for (j = 0; j < POLLS; j++)
			must(IDirectPlayX_GetMessageCount(dp, 0, &count), "GetMessageCount");
		counted = min(counted, (now() - begin) / POLLS);
	}
	printf("Receive %.0f ns\nGetMessageCount %.0f ns\n", receive * 1e9, counted * 1e9);
}

// words are what the processor rounds by: of the x87, and of SSE.
typedef struct words {
	unsigned short x87;
	unsigned int sse;
} words;

static words get_words(void)
{
	words w;

	__asm__ volatile("fnstcw %0" : "=m"(w.x87));
	__asm__ volatile("stmxcsr %0" : "=m"(w.sse));
	w.sse &= ~0x3fu; // what happened so far
	return w;
}

// The words that games of the time set: 24 bits, and what is tiny is nothing.
static void set_words(void)
{
	static const words w = {0x007f, 0x9fc0};

	__asm__ volatile("fldcw %0" : : "m"(w.x87));
	__asm__ volatile("ldmxcsr %0" : : "m"(w.sse));
}

static BOOL CALLBACK one_connection(const GUID *g, void *address, DWORD size, const DPNAME *name, DWORD flags, void *context)
{
	(void)g, (void)address, (void)size, (void)name, (void)flags, (void)context;
	return FALSE;
}

static BOOL CALLBACK one_search(const DPSESSIONDESC2 *d, DWORD *timeout, DWORD flags, void *context)
{
	(void)d, (void)timeout, (void)flags, (void)context;
	return FALSE;
}

static BOOL CALLBACK count_players(DPID id, DWORD type, const DPNAME *name, DWORD flags, void *context)
{
	(void)id, (void)type, (void)name, (void)flags;
	++*(int *)context;
	return TRUE;
}

// every calls every method of an object, first with arguments that mean something, then with none.
static void every(IDirectPlay4 *dp, const DPID player[2], uintptr_t off, void (*before)(void), void (*after)(int method))
{
	enum { CLOSE = 4, ENUM_SESSIONS = 13, RECEIVE = 25 };
	static const uintptr_t nothing[10];
	char data[256] = "data";
	DWORD size, flags;
	DPID group, other;
	int players = 0, method;
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = (char *)"short"};
	DPCAPS caps = {.dwSize = sizeof caps};
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .guidApplication = APPLICATION, .lpszSessionNameA = (char *)"another"};
	const uintptr_t p = (uintptr_t)data, s = (uintptr_t)&size, n = (uintptr_t)&name, count = (uintptr_t)&players;
	const struct {
		int method;
		uintptr_t with[9];
	} calls[] = {
		{5, {(uintptr_t)&group, n, p, 4, 0}},               // CreateGroup
		{6, {(uintptr_t)&other, n, 0, p, 4, 0}},            // CreatePlayer
		{11, {0, (uintptr_t)count_players, count, 0}},      // EnumGroups
		{12, {0, (uintptr_t)count_players, count, 0}},      // EnumPlayers
		{ENUM_SESSIONS, {(uintptr_t)&d, 50, (uintptr_t)one_search, 0, 0}},
		{14, {(uintptr_t)&caps, 0}},                        // GetCaps
		{17, {0, (uintptr_t)&flags}},                       // GetMessageCount
		{18, {player[0], p, s}},                            // GetPlayerAddress
		{19, {player[0], (uintptr_t)&caps, 0}},             // GetPlayerCaps
		{20, {player[0], p, s, 0}},                         // GetPlayerData
		{21, {player[0], p, s}},                            // GetPlayerName
		{22, {p, s}},                                       // GetSessionDesc
		{RECEIVE, {(uintptr_t)&other, (uintptr_t)&flags, 0, p, s}},
		{26, {player[0], player[1], 1, p, 4}},              // Send
		{29, {player[0], p, 4, 0}},                         // SetPlayerData
		{30, {player[0], n, 0}},                            // SetPlayerName
		{31, {(uintptr_t)&d, 0}},                           // SetSessionDesc
		{35, {0, (uintptr_t)one_connection, 0, 0}},         // EnumConnections
		{46, {player[0], (uintptr_t)&flags}},               // GetPlayerFlags
		{49, {player[0], player[1], 1, p, 4, 0, 0, 0, s}},  // SendEx
		{50, {0, 0, 0, s, s}},                              // GetMessageQueue
	};
	size_t i;

	for (i = 0; i < sizeof calls / sizeof *calls; i++) {
		HRESULT result;

		size = sizeof data;
		before();
		result = call_off(dp, calls[i].method, calls[i].with, off);
		after(calls[i].method);
		if (FAILED(result) && calls[i].method != ENUM_SESSIONS && calls[i].method != RECEIVE) // nobody searches from within
			fail("a method", calls[i].method << 16 | (result & 0xffff));
	}
	if (players != 4)
		fail("players and groups that were told of", players);
	for (method = FIRST_METHOD; method < METHODS; method++) {
		if (method == CLOSE)
			continue; // at the end
		before();
		call_off(dp, method, nothing, off);
		after(method);
	}
	before();
	must(call_off(dp, CLOSE, nothing, off), "Close");
	after(CLOSE);
}

static words before_call;

static void words_before(void)
{
	set_words();
	before_call = get_words();
}

static void words_after(int method)
{
	words w = get_words();

	if (w.x87 != before_call.x87)
		fail("another x87 word", method << 16 | w.x87);
	if (w.sse != before_call.sse)
		fail("another MXCSR", w.sse);
}

// kept calls every method with the words that a game set.
static void kept(void)
{
	DPID player[2];
	IDirectPlay4 *dp;

	words_before();
	if (before_call.x87 != 0x007f || before_call.sse != 0x9fc0)
		fail("words that cannot be set", before_call.x87);
	dp = new_session(player);
	words_after(0);
	every(dp, player, 0, words_before, words_after);
	IDirectPlayX_Release(dp);
	words_after(2);
}

static void nothing_before(void)
{
}

static void nothing_after(int method)
{
	(void)method;
}

// stacks calls every method with stacks that are off, as they are in programs of 32 bits.
static void stacks(void)
{
	uintptr_t off;

	for (off = 0; off < 16; off += 4) {
		DPID player[2];
		IDirectPlay4 *dp = new_session(player);

		every(dp, player, off, nothing_before, nothing_after);
		IDirectPlayX_Release(dp);
	}
}

// loads loads and frees the DLL a hundred times, and plays in between.
static void loads(void)
{
	int i;

	for (i = 0; i < 100; i++) {
		HMODULE library = LoadLibraryA("dplayx.dll");

		if (!library || !GetProcAddress(library, "DirectPlayCreate"))
			fail("LoadLibrary", GetLastError());
		if (i % 25 == 0)
			play();
		FreeLibrary(library);
	}
	play();
}

enum { THREADS = 20, ROUNDS = 100, PATIENCE = 120 };

static IDirectPlay4 *shared;

// talker is one of many threads: it makes two players, of which one talks to the other.
static DWORD WINAPI talker(void *argument)
{
	int number = (int)(intptr_t)argument, i, count;
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = (char *)"thread"};
	DPID player, other, from, to;
	DWORD size;
	char data[64], got[256];

	must(IDirectPlayX_CreatePlayer(shared, &player, &name, NULL, NULL, 0, 0), "CreatePlayer");
	must(IDirectPlayX_CreatePlayer(shared, &other, &name, NULL, NULL, 0, 0), "CreatePlayer");
	for (i = 0; i < ROUNDS; i++) {
		int length = sprintf(data, "%d of %d", i, number);
		double begin = now();

		must(IDirectPlayX_Send(shared, player, other, DPSEND_GUARANTEED, data, length), "Send");
		for (;;) {
			from = player;
			to = other;
			size = sizeof got;
			if (!IDirectPlayX_Receive(shared, &from, &to, DPRECEIVE_TOPLAYER | DPRECEIVE_FROMPLAYER, got, &size))
				break;
			if (now() - begin > PATIENCE)
				fail("a message that was lost", i);
		}
		if (size != (DWORD)length || memcmp(got, data, size))
			fail("another message", i);
		count = 0;
		if (i % 20 == 0)
			must(IDirectPlayX_EnumPlayers(shared, NULL, (LPDPENUMPLAYERSCALLBACK2)count_players, &count, 0), "EnumPlayers");
		if (i % 20 == 0 && count < 4)
			fail("players", count);
	}
	must(IDirectPlayX_DestroyPlayer(shared, player), "DestroyPlayer");
	must(IDirectPlayX_DestroyPlayer(shared, other), "DestroyPlayer");
	return 0;
}

static void threads(void)
{
	DPID player[2];
	HANDLE all[THREADS];
	int i;

	shared = new_session(player);
	for (i = 0; i < THREADS; i++)
		all[i] = CreateThread(NULL, 0, talker, (void *)(intptr_t)i, 0, NULL);
	for (i = 0; i < THREADS; i++)
		WaitForSingleObject(all[i], INFINITE);
	IDirectPlayX_Release(shared);
}

// text gives a name by the face for 8-bit text, and takes it back by both. In it is every character of the code page's that
// Windows-1252 and the pages of Japan and Russia have between 0xA1 and 0xDF, by one octet each.
static void text(void)
{
	char given[64] = "", narrow[256];
	wchar_t wanted[64], wide[256];
	DPID player[2], id;
	IDirectPlay4 *dp = new_session(player), *other;
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = given};
	DWORD size = sizeof narrow;
	int i;

	for (i = 0; i < 63; i++)
		given[i] = (char)(0xA1 + i);
	MultiByteToWideChar(CP_ACP, 0, given, -1, wanted, 64);
	must(IDirectPlayX_CreatePlayer(dp, &id, &name, NULL, NULL, 0, 0), "CreatePlayer");
	must(IDirectPlayX_GetPlayerName(dp, id, narrow, &size), "GetPlayerName");
	if (strcmp(((DPNAME *)narrow)->lpszShortNameA, given))
		fail("another name with 8 bits", size);
	must(IDirectPlayX_QueryInterface(dp, &IID_IDirectPlay4, (void **)&other), "QueryInterface");
	size = sizeof wide;
	must(IDirectPlayX_GetPlayerName(other, id, wide, &size), "GetPlayerName");
	if (wcscmp(((DPNAME *)wide)->lpszShortName, wanted))
		fail("another name", ((DPNAME *)wide)->lpszShortName[0]);
	printf("code page %u\n", GetACP());
}

// early loads a DLL that calls DirectPlay at a time when our DLL cannot begin. What is called later works.
static void early(void)
{
	HMODULE library = LoadLibraryA("early.dll");
	HRESULT *result = library ? (void *)GetProcAddress(library, "early") : NULL;

	if (!result)
		fail("early.dll", GetLastError());
	if (*result != DPERR_GENERIC)
		fail("a call from DllMain", (unsigned long)*result);
	play();
}

static LONG CALLBACK meet(EXCEPTION_POINTERS *e)
{
	if (e->ExceptionRecord->ExceptionCode != EXCEPTION_ACCESS_VIOLATION)
		return EXCEPTION_CONTINUE_SEARCH;
	printf("handler: done\n");
	ExitProcess(0);
}

static DWORD WINAPI fault(void *argument)
{
	*(volatile int *)argument = 1;
	return 0;
}

// handler lets a thread fault: the game's own handler is to hear of it, not Go.
static void handler(void)
{
	DPID player[2];
	HANDLE thread;

	SetUnhandledExceptionFilter(meet);
	new_session(player);
	thread = CreateThread(NULL, 0, fault, (void *)16, 0, NULL);
	WaitForSingleObject(thread, INFINITE);
	fail("a fault that nobody met", 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} commands[] = {
	{"play", play}, {"empty", empty}, {"kept", kept}, {"stacks", stacks}, {"loads", loads}, {"threads", threads},
	{"handler", handler}, {"text", text}, {"early", early},
};

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IONBF, 0);
	for (i = 0; argc == 2 && i < sizeof commands / sizeof *commands; i++) {
		if (!strcmp(argv[1], commands[i].name)) {
			commands[i].run();
			printf("%s: done\n", argv[1]);
			return 0;
		}
	}
	fail("no such command", 0);
}
