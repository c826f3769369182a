// A game that gives every method of IDirectPlay, IDirectPlay4 and IDirectPlayLobby3 what no game should: bad pointers, bad
// numbers, bad things behind good pointers. It says a line for each argument of a method with the codes that came back, by what
// was wrong:
//
//     hosting Receive 3 b none 8877001e 1 bad 80070057 16 odd 00000000 2
//
// and then makes calls at random, by a seed.
//
//     hostile a|w SEED CALLS
#include "hostile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// PATIENCE is how long a call may take, in ms.
enum { PATIENCE = 120000, KINDS_OF_CODES = 12 };

static const char *const class_names[CLASSES] = {"none", "bad", "odd", "spoilt", "wild"};

// The answers to what was done to an argument.
struct answers {
	HRESULT code[CLASSES][KINDS_OF_CODES];
	int count[CLASSES][KINDS_OF_CODES];
};

// A stage is where calls are made: an object in a state. reset brings it back there after a call that succeeded.
struct stage {
	const char *name;
	const struct method *methods;
	int method_count;
	void *object;
	void (*reset)(struct stage *s, const struct method *m, const struct argument *a);
};

// What is being called, for whoever finds the process dead or standing still.
static const char *volatile calling = "nothing";
static volatile LONG calls;

static DWORD WINAPI watch(void *unused)
{
	(void)unused;
	for (LONG before = -1; calls != before; Sleep(PATIENCE))
		before = calls;
	printf("stands still in %s after %ld calls\n", calling, (long)calls);
	fflush(stdout);
	TerminateProcess(GetCurrentProcess(), 5);
	return 0;
}

static LONG WINAPI died(EXCEPTION_POINTERS *e)
{
	printf("died in %s after %ld calls: 0x%08lx at %p\n", calling, (long)calls, (unsigned long)e->ExceptionRecord->ExceptionCode,
	       e->ExceptionRecord->ExceptionAddress);
	fflush(stdout);
	TerminateProcess(GetCurrentProcess(), 6);
	return 0;
}

static void must(const char *what, HRESULT code)
{
	if (code == DP_OK)
		return;
	printf("%s: 0x%08lx\n", what, (unsigned long)code);
	fflush(stdout);
	ExitProcess(2);
}

static HRESULT counted_call(struct stage *s, const struct method *m, int count, const struct argument *a)
{
	calling = m->name;
	HRESULT code = call(s->object, m, count, a);
	calls++;
	if (code == DP_OK)
		s->reset(s, m, a);
	return code;
}

// room_needed asks for the size of what a method gives to a buffer.
static DWORD room_needed(struct stage *s, const struct method *m)
{
	struct argument a[MAX_ARGUMENTS];
	const char *b = strchr(m->arguments, 'b');
	int count = good_arguments(m, 0, a);
	if (!b)
		return 0;
	a[b - m->arguments].value = 0;
	DWORD *size = (DWORD *)a[b - m->arguments + 1].value;
	*size = 0;
	return counted_call(s, m, count, a) == DPERR_BUFFERTOOSMALL ? *size : 0;
}

static void note(struct answers *all, enum class class, HRESULT code)
{
	for (int i = 0; i < KINDS_OF_CODES; i++) {
		if (all->count[class][i] && all->code[class][i] != code)
			continue;
		all->code[class][i] = code;
		all->count[class][i]++;
		return;
	}
}

// attack has every variant of one argument, with all the others good.
static void attack(struct stage *s, const struct method *m, int at, DWORD need, struct answers *all)
{
	struct argument a[MAX_ARGUMENTS];
	for (int i = 0; i < VARIANTS; i++) {
		int count = good_arguments(m, need, a);
		enum class class = WILD;
		if (a[at].size)
			a[at].value = (uintptr_t)hostile_pointer(i, (void *)a[at].value, a[at].size, a[at].written, &class);
		else
			a[at].value = hostile_number(i);
		if (m->arguments[at] == 'c' && class == ODD)
			continue; // no code is there
		note(all, class, counted_call(s, m, count, a));
	}
	for (int i = 0;; i++) {
		int count = good_arguments(m, need, a);
		if (!spoil(m->arguments[at], i))
			return;
		note(all, SPOILT, counted_call(s, m, count, a));
	}
}

static void tell(const struct stage *s, const struct method *m, int at, const struct answers *all)
{
	printf("%s %s %d %c", s->name, m->name, at, m->arguments[at]);
	for (int class = 0; class < CLASSES; class++)
		for (int i = 0; i < KINDS_OF_CODES && all->count[class][i]; i++)
			printf(" %s %08lx %d", class_names[class], (unsigned long)all->code[class][i], all->count[class][i]);
	printf("\n");
	fflush(stdout);
}

static void attack_all(struct stage *s)
{
	for (int i = 0; i < s->method_count; i++) {
		const struct method *m = s->methods + i;
		for (int at = 0; m->arguments[at]; at++) {
			if (strchr("xm", m->arguments[at]))
				continue; // anything is right
			struct answers all = {0};
			attack(s, m, at, room_needed(s, m), &all); // the message that waits may be another one now
			tell(s, m, at, &all);
		}
	}
}

// random_call makes a call of which any argument may be anything.
static void random_call(struct stage *s, uint32_t (*draw)(uint32_t below))
{
	const struct method *m = s->methods + draw(s->method_count);
	struct argument a[MAX_ARGUMENTS];
	int count = good_arguments(m, draw(ROOM), a);
	if (!*m->arguments || !strcmp(m->name, "Connect") || !strcmp(m->name, "ConnectEx"))
		return; // IUnknown, Close, and what may look for a session
	for (int i = 0; i < count; i++) {
		enum class class;
		uint32_t how = draw(8);
		if (strchr("xm", m->arguments[i]) || how > 3)
			continue;
		if (how == 3)
			spoil(m->arguments[i], draw(16));
		else if (a[i].size && m->arguments[i] == 'c')
			a[i].value = (uintptr_t)hostile_pointer(draw(12), NULL, 0, FALSE, &class);
		else if (a[i].size)
			a[i].value = (uintptr_t)hostile_pointer(draw(VARIANTS), (void *)a[i].value, a[i].size, a[i].written, &class);
		else
			a[i].value = how ? hostile_number(draw(VARIANTS)) : draw(64);
	}
	counted_call(s, m, count, a);
}

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * below) >> 32);
}

// entry returns a function of our DLL.
static void *entry(const char *name)
{
	FARPROC p = GetProcAddress(LoadLibraryA("dplayx.dll"), name);
	must(name, p ? DP_OK : E_NOTIMPL);
	return (void *)p;
}

// placed returns what a method put where an argument of that kind points.
static void *placed(const struct method *m, const struct argument *a, char kind)
{
	void *p;
	memcpy(&p, (void *)a[strchr(m->arguments, kind) - m->arguments].value, sizeof p);
	return p;
}

static void release_placed(const struct method *m, const struct argument *a)
{
	if (strchr(m->arguments, 'o'))
		IUnknown_Release((IUnknown *)placed(m, a, 'o'));
}

static IDirectPlay4 *create_play(GUID provider)
{
	IDirectPlay *first;
	IDirectPlay4 *play;
	HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *) = entry("DirectPlayCreate");
	must("DirectPlayCreate", create(&provider, &first, NULL));
	must("QueryInterface", IDirectPlayX_QueryInterface(first, world.wide ? &IID_IDirectPlay4 : &IID_IDirectPlay4A,
		(void **)&play));
	IDirectPlayX_Release(first);
	return play;
}

static void reset_new(struct stage *s, const struct method *m, const struct argument *a)
{
	release_placed(m, a);
	IUnknown_Release((IUnknown *)s->object);
	s->object = create_play(IID_NULL);
}

static void reset_connected(struct stage *s, const struct method *m, const struct argument *a)
{
	release_placed(m, a);
	IUnknown_Release((IUnknown *)s->object);
	s->object = create_play(DPSPGUID_TCPIP);
}

static void reset_hosting(struct stage *s, const struct method *m, const struct argument *a)
{
	release_placed(m, a);
	DPID id;
	if (strncmp(m->name, "Create", 6))
		return;
	memcpy(&id, (void *)a[strchr(m->arguments, 'i') - m->arguments].value, sizeof id);
	if (!strcmp(m->name, "CreatePlayer"))
		must("DestroyPlayer", IDirectPlayX_DestroyPlayer((IDirectPlay4 *)s->object, id));
	else
		must("DestroyGroup", IDirectPlayX_DestroyGroup((IDirectPlay4 *)s->object, id));
}

static IDirectPlay *create_first(GUID provider)
{
	IDirectPlay *first;
	HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *) = entry("DirectPlayCreate");
	must("DirectPlayCreate", create(&provider, &first, NULL));
	return first;
}

static void reset_first_new(struct stage *s, const struct method *m, const struct argument *a)
{
	release_placed(m, a);
	IUnknown_Release((IUnknown *)s->object);
	s->object = create_first(IID_NULL);
}

static void reset_first_connected(struct stage *s, const struct method *m, const struct argument *a)
{
	release_placed(m, a);
	IUnknown_Release((IUnknown *)s->object);
	s->object = create_first(DPSPGUID_TCPIP);
}

static void reset_first_hosting(struct stage *s, const struct method *m, const struct argument *a)
{
	IDirectPlay *first = s->object;
	DPID id;
	release_placed(m, a);
	if (!strcmp(m->name, "EnableNewPlayers"))
		must("EnableNewPlayers", IDirectPlay_EnableNewPlayers(first, TRUE));
	if (strncmp(m->name, "Create", 6))
		return;
	memcpy(&id, (void *)a[0].value, sizeof id);
	if (!strcmp(m->name, "CreatePlayer"))
		must("DestroyPlayer", IDirectPlay_DestroyPlayer(first, id));
	else
		must("DestroyGroup", IDirectPlay_DestroyGroup(first, id));
}

// host opens a session with two players, of which one is in a group, and something to be received.
static IDirectPlay4 *host(void)
{
	IDirectPlay4 *play = create_play(DPSPGUID_TCPIP);
	struct argument a[MAX_ARGUMENTS];
	const struct method opens = {"Open", 0, "sf"};
	good_arguments(&opens, 0, a);
	must("Open", IDirectPlayX_Open(play, (DPSESSIONDESC2 *)a[0].value, DPOPEN_CREATE));
	must("CreatePlayer", IDirectPlayX_CreatePlayer(play, &world.player, NULL, NULL, (void *)"remote", 6, 0));
	must("CreatePlayer", IDirectPlayX_CreatePlayer(play, &world.other, NULL, NULL, NULL, 0, 0));
	must("CreateGroup", IDirectPlayX_CreateGroup(play, &world.group, NULL, (void *)"remote", 6, 0));
	must("AddPlayerToGroup", IDirectPlayX_AddPlayerToGroup(play, world.group, world.player));
	return play;
}

static void reset_lobby(struct stage *s, const struct method *m, const struct argument *a)
{
	IDirectPlayLobby3 *lobby = s->object;
	release_placed(m, a);
	if (!strcmp(m->name, "SetConnectionSettings") && !strcmp(s->name, "lobby"))
		must("WaitForConnectionSettings", IDirectPlayLobby_WaitForConnectionSettings(lobby, 0));
	if (!strcmp(m->name, "RegisterApplication"))
		must("UnregisterApplication", IDirectPlayLobby_UnregisterApplication(lobby, 0,
			&((DPAPPLICATIONDESC *)a[1].value)->guidApplication));
}

static IDirectPlayLobby3 *create_lobby(void)
{
	IDirectPlayLobby *first;
	IDirectPlayLobby3 *lobby;
	HRESULT(WINAPI *create)(GUID *, IDirectPlayLobby **, IUnknown *, void *, DWORD) =
		entry(world.wide ? "DirectPlayLobbyCreateW" : "DirectPlayLobbyCreateA");
	must("DirectPlayLobbyCreate", create(NULL, &first, NULL, NULL, 0));
	must("QueryInterface", IDirectPlayLobby_QueryInterface(first, world.wide ? &IID_IDirectPlayLobby3 : &IID_IDirectPlayLobby3A,
		(void **)&lobby));
	IDirectPlayLobby_Release(first);
	return lobby;
}

static void set_settings(IDirectPlayLobby3 *lobby)
{
	struct argument a[MAX_ARGUMENTS];
	const struct method sets = {"SetConnectionSettings", 0, "ful"};
	good_arguments(&sets, 0, a);
	must("SetConnectionSettings", IDirectPlayLobby_SetConnectionSettings(lobby, 0, 0, (DPLCONNECTION *)a[2].value));
}

// still_plays says whether the session has come through: a message goes from one player to another.
static void still_plays(IDirectPlay4 *play)
{
	unsigned char buffer[16 * ROOM];
	DPID from, to, first, second;
	DWORD size = sizeof buffer;
	must("CreatePlayer", IDirectPlayX_CreatePlayer(play, &first, NULL, NULL, NULL, 0, 0));
	must("CreatePlayer", IDirectPlayX_CreatePlayer(play, &second, NULL, NULL, NULL, 0, 0));
	must("Send", IDirectPlayX_Send(play, first, second, 0, (void *)"still", 5));
	while (IDirectPlayX_Receive(play, &from, &to, DPRECEIVE_ALL, buffer, &size) == DP_OK) {
		if (from == first && to == second && size == 5 && !memcmp(buffer, "still", 5))
			printf("still plays\n");
		size = sizeof buffer;
	}
}

int main(int count, char **arguments)
{
	if (count != 4)
		return 2;
	world.wide = arguments[1][0] == 'w';
	seed = strtoul(arguments[2], NULL, 0);
	hostile_start();
	SetUnhandledExceptionFilter(died);
	CreateThread(NULL, 0, watch, NULL, 0, NULL);
	IDirectPlay4 *play = host();
	IDirectPlayLobby3 *lobby = create_lobby();
	IDirectPlay *first;
	must("QueryInterface", IDirectPlayX_QueryInterface(play, &IID_IDirectPlay, (void **)&first));
	struct stage stages[] = {
		{"new1", first_methods, FIRST_METHODS, create_first(IID_NULL), reset_first_new},
		{"connected1", first_methods, FIRST_METHODS, create_first(DPSPGUID_TCPIP), reset_first_connected},
		{"hosting1", first_methods, FIRST_METHODS, first, reset_first_hosting},
		{"new", play_methods, PLAY_METHODS, create_play(IID_NULL), reset_new},
		{"connected", play_methods, PLAY_METHODS, create_play(DPSPGUID_TCPIP), reset_connected},
		{"hosting", play_methods, PLAY_METHODS, play, reset_hosting},
		{"lobby", lobby_methods, LOBBY_METHODS, lobby, reset_lobby},
		{"lobbied", lobby_methods, LOBBY_METHODS, lobby, reset_lobby},
	};
	enum { STAGES = sizeof stages / sizeof *stages };
	for (int i = 0; i < STAGES; i++) {
		if (!strcmp(stages[i].name, "lobbied"))
			set_settings(lobby);
		attack_all(stages + i);
	}
	printf("calls %ld\n", (long)calls);
	for (long left = strtol(arguments[3], NULL, 0); left > 0; left--)
		random_call(stages + draw(STAGES), draw);
	still_plays(play);
	IDirectPlay_Release(first);
	IDirectPlayX_Release(play);
	IDirectPlayLobby_Release(lobby);
	printf("end\n");
	return 0;
}
