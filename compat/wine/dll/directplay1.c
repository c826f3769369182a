/*
 * A game of DirectX 1: it loads a DLL by its name, and plays by IDirectPlay alone.
 *
 *     directplay1 dplayx.dll|dplay.dll host|join|visit [later]
 *
 * host and join are two machines of one session, and do everything that the interface has; with "later" they play the same by
 * IDirectPlay4A, for a game of each kind to meet the other. With "both" instead, one process has a host by the one DLL and who
 * joins by the other. visit joins whatever session there is, greets its players and leaves.
 * Each step that went well is a line "ok STEP". The first that did not ends the program with status 1.
 */
#define CINTERFACE
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DEFINE_GUID(GAME, 0xbdcfe03e, 0xf0ec, 0x415b, 0x82, 0x11, 0x6f, 0x86, 0xd8, 0x19, 0x7f, 0xe1);

/* What the headers of DirectX 1 had, and later ones have not. */
#define DPOPEN_OPENSESSION DPOPEN_JOIN
#define DPOPEN_CREATESESSION DPOPEN_CREATE
#define DPSEND_TRYONCE 4
#define DPENUMSESSIONS_PREVIOUS 4
#define DPSYS_DELETEGROUP 0x20
#define DPCAPS_GUARANTEED 4

typedef struct {
	DWORD dwType;
	DWORD dwPlayerType;
	DPID dpId;
	char szLongName[DPLONGNAMELEN];
	char szShortName[DPSHORTNAMELEN];
	DWORD dwCurrentPlayers;
} DPMSG_ADDPLAYER;

typedef struct {
	DWORD dwType;
	DPID dpId;
} DPMSG_DELETEPLAYER;

enum { PATIENCE = 300000, LARGE = 60000, ROOM = 70000 };

static const char *room_name = "Old room";
static bool later;
static IDirectPlay *dp;
static IDirectPlay4 *dp4; /* the same object */
static DPID self;
static HANDLE event;
static unsigned char buffer[ROOM];
static DWORD size;

static void ok(const char *step, ...)
{
	va_list rest;

	va_start(rest, step);
	printf("ok ");
	vprintf(step, rest);
	printf("\n");
	fflush(stdout);
	va_end(rest);
}

static void check(bool holds, const char *what, int line)
{
	if (holds)
		return;
	printf("FAILED line %d: %s\n", line, what);
	fflush(stdout);
	exit(1);
}

static void answers(HRESULT got, HRESULT want, const char *what, int line)
{
	if (got == want)
		return;
	printf("FAILED line %d: %s gave %08lx, not %08lx\n", line, what, (unsigned long)got, (unsigned long)want);
	fflush(stdout);
	exit(1);
}

#define CHECK(holds) check(holds, #holds, __LINE__)
#define IS(call, want) answers(call, want, #call, __LINE__)
#define DO(call) IS(call, DP_OK)

/* Loading. */

static HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *);

static BOOL CALLBACK provider(GUID *guid, char *name, DWORD major, DWORD minor, void *context)
{
	(void)minor;
	CHECK(major >= 1);
	if (IsEqualGUID(guid, &DPSPGUID_TCPIP)) {
		CHECK(strstr(name, "TCP/IP"));
		++*(int *)context;
	}
	return TRUE;
}

static void load(const char *name)
{
	HRESULT(WINAPI * enumerate)(LPDPENUMDPCALLBACKA, void *);
	HMODULE dll = LoadLibraryA(name);
	int found = 0;

	CHECK(dll != NULL);
	create = (void *)GetProcAddress(dll, "DirectPlayCreate");
	CHECK(create && (void *)create == (void *)GetProcAddress(dll, (char *)1));
	enumerate = (void *)GetProcAddress(dll, "DirectPlayEnumerate");
	CHECK(enumerate != NULL);
	DO(enumerate(provider, &found));
	enumerate = (void *)GetProcAddress(dll, (char *)2);
	CHECK(enumerate != NULL);
	DO(enumerate(provider, &found));
	CHECK(found == 2);
	IS(enumerate(NULL, NULL), DPERR_INVALIDPARAMS);
	ok("loaded %s", name);
}

/* There is one object, whichever interface asks. */
static void make(void)
{
	GUID tcp = DPSPGUID_TCPIP, none = {0};
	IUnknown *a, *b;
	IDirectPlay *again;

	DO(create(&none, &dp, NULL));
	IS(IDirectPlay_EnumPlayers(dp, 0, NULL, NULL, 0), DPERR_UNINITIALIZED);
	IS(IDirectPlay_Initialize(dp, NULL), DPERR_INVALIDPARAMS);
	DO(IDirectPlay_Initialize(dp, &tcp));
	CHECK(IDirectPlay_Release(dp) == 0);

	DO(create(&tcp, &dp, NULL));
	IS(IDirectPlay_Initialize(dp, &tcp), DPERR_ALREADYINITIALIZED);
	DO(IDirectPlay_QueryInterface(dp, &IID_IDirectPlay4A, (void **)&dp4));
	DO(IDirectPlayX_QueryInterface(dp4, &IID_IDirectPlay, (void **)&again));
	CHECK(again == dp);
	IDirectPlay_Release(again);
	DO(IDirectPlay_QueryInterface(dp, &IID_IUnknown, (void **)&a));
	DO(IDirectPlayX_QueryInterface(dp4, &IID_IUnknown, (void **)&b));
	CHECK(a == b);
	IUnknown_Release(a);
	IUnknown_Release(b);
	ok("made");
}

static void capabilities(void)
{
	DPCAPS c;

	memset(&c, 0x5A, sizeof c);
	c.dwSize = sizeof c;
	DO(IDirectPlay_GetCaps(dp, &c));
	CHECK(c.dwSize == sizeof c && c.dwFlags & DPCAPS_GUARANTEED && c.dwMaxBufferSize > 1024 && c.dwMaxPlayers > 1);
	memset(&c, 0x5A, sizeof c);
	c.dwSize = 28; /* that of DirectX 1 */
	DO(IDirectPlay_GetCaps(dp, &c));
	CHECK(c.dwSize == 28 && c.dwMaxBufferSize > 1024 && c.dwMaxLocalPlayers == 0x5A5A5A5A);
	c.dwSize = 29;
	IS(IDirectPlay_GetCaps(dp, &c), DPERR_INVALIDPARAMS);
	ok("capabilities");
}

/* Messages. */

/* take waits for a message. */
static DPID take(DPID *to)
{
	DWORD begin = GetTickCount();
	DPID from;

	while (GetTickCount() - begin < PATIENCE) {
		HRESULT r;

		size = sizeof buffer;
		r = later ? IDirectPlayX_Receive(dp4, &from, to, DPRECEIVE_ALL, buffer, &size)
		          : IDirectPlay_Receive(dp, &from, to, DPRECEIVE_ALL, buffer, &size);
		if (r == DP_OK)
			return from;
		answers(r, DPERR_NOMESSAGES, "Receive", __LINE__);
		WaitForSingleObject(event, 1000);
	}
	CHECK(!"a message comes");
	return 0;
}

/* hear waits for a message of a player, and lets a game of a later version pass over what the system says. */
static DPID hear(void)
{
	DPID from, to;

	do {
		from = take(&to);
	} while (later && from == DPID_SYSMSG);
	CHECK(to == self);
	return from;
}

/* told waits for a system message, which no game of a later version does. */
static void told(DWORD type, DWORD length)
{
	DPID to;

	if (later)
		return;
	CHECK(take(&to) == DPID_SYSMSG);
	CHECK(to == self);
	if (*(DWORD *)buffer != type || size != length) {
		printf("FAILED: message %lx of %lu octets, not %lx of %lu\n", *(DWORD *)buffer, size, type, length);
		exit(1);
	}
}

static void say(DPID to, DWORD flags, const void *data, DWORD length)
{
	if (later)
		DO(IDirectPlayX_Send(dp4, self, to, flags & ~DPSEND_TRYONCE, (void *)data, length));
	else
		DO(IDirectPlay_Send(dp, self, to, flags, (void *)data, length));
}

/* pattern fills a message so that each octet is known. */
static void pattern(unsigned char *p)
{
	int i;

	for (i = 0; i < LARGE; i++)
		p[i] = (unsigned char)(i * 7 + i / 256);
}

static void large(DPID to)
{
	static unsigned char all[LARGE];

	pattern(all);
	say(to, DPSEND_GUARANTEED, all, LARGE);
}

static void hear_large(DPID whose)
{
	static unsigned char all[LARGE];

	pattern(all);
	CHECK(hear() == whose);
	CHECK(size == LARGE && memcmp(buffer, all, LARGE) == 0);
}

static void hear_text(DPID whose, const char *text)
{
	CHECK(hear() == whose);
	CHECK(size == strlen(text) && memcmp(buffer, text, size) == 0);
}

/* Players. */

static void player(const char *friendly, const char *formal)
{
	DPNAME name = {sizeof name, 0, {NULL}, {NULL}};

	if (later) {
		name.lpszShortNameA = (char *)friendly;
		name.lpszLongNameA = (char *)formal;
		event = CreateEventA(NULL, FALSE, FALSE, NULL);
		DO(IDirectPlayX_CreatePlayer(dp4, &self, &name, event, NULL, 0, 0));
	} else {
		DO(IDirectPlay_CreatePlayer(dp, &self, (char *)friendly, (char *)formal, &event));
		CHECK(event && WaitForSingleObject(event, 0) == WAIT_TIMEOUT);
	}
	CHECK(self != 0);
}

/* Met is whom an enumeration told of. */
struct met {
	int count;
	DPID other;
	char friendly[DPSHORTNAMELEN], formal[DPLONGNAMELEN];
};

static BOOL CALLBACK met(DPID id, char *friendly, char *formal, DWORD flags, void *context)
{
	struct met *m = context;

	m->count++;
	if (flags & DPENUMPLAYERS_REMOTE) {
		m->other = id;
		strcpy(m->friendly, friendly); /* as games do */
		strcpy(m->formal, formal);
	}
	return TRUE;
}

static DPID other(const char *friendly, const char *formal)
{
	struct met m = {0};
	char a[DPSHORTNAMELEN], b[DPLONGNAMELEN];
	DWORD na = sizeof a, nb = 1;

	DO(IDirectPlay_EnumPlayers(dp, 0, met, &m, 0));
	CHECK(m.count >= 2 && m.other);
	if (friendly) {
		CHECK(strcmp(m.friendly, friendly) == 0 && strcmp(m.formal, formal) == 0);
		IS(IDirectPlay_GetPlayerName(dp, m.other, a, &na, b, &nb), DPERR_BUFFERTOOSMALL);
		CHECK(na == strlen(friendly) + 1 && nb == strlen(formal) + 1);
		DO(IDirectPlay_GetPlayerName(dp, m.other, a, &na, b, &nb));
		CHECK(strcmp(a, friendly) == 0 && strcmp(b, formal) == 0);
	}
	ok("met %s, %s", m.friendly, m.formal);
	return m.other;
}

/* Sessions. */

static void describe(DPSESSIONDESC *d, DWORD flags)
{
	memset(d, 0, sizeof *d);
	d->dwSize = sizeof *d;
	d->guidSession = GAME;
	d->dwFlags = flags;
}

static void host_session(void)
{
	DPSESSIONDESC2 d2 = {.dwSize = sizeof d2, .dwFlags = DPSESSION_MIGRATEHOST | DPSESSION_KEEPALIVE, .guidApplication = GAME,
		.dwMaxPlayers = 5};
	DPSESSIONDESC d;

	if (later) {
		d2.lpszSessionNameA = (char *)room_name;
		memcpy(&d2.dwUser1, "level 3", 4); /* DWORD_PTRs, on 64-bit machines */
		memcpy(&d2.dwUser2, "l 3", 4);
		DO(IDirectPlayX_Open(dp4, &d2, DPOPEN_CREATE));
		return;
	}
	describe(&d, DPOPEN_CREATESESSION);
	d.dwMaxPlayers = 5;
	strcpy(d.szSessionName, room_name);
	strcpy(d.szUserField, "level 3");
	DO(IDirectPlay_Open(dp, &d));
	CHECK(d.dwSession != 0);
	IS(IDirectPlay_Open(dp, &d), DPERR_ALREADYINITIALIZED);
	IS(IDirectPlay_SaveSession(dp, "again"), DPERR_UNSUPPORTED);
}

struct found {
	bool found, timed_out;
	DPSESSIONDESC d;
	GUID instance;
};

static BOOL CALLBACK session(DPSESSIONDESC *d, void *context, DWORD *timeout, DWORD flags)
{
	struct found *f = context;

	if (flags & DPESC_TIMEDOUT) {
		CHECK(d == NULL && *timeout > 0);
		f->timed_out = true;
		return FALSE;
	}
	CHECK(d->dwSize == sizeof *d);
	f->found = true;
	f->d = *d;
	return TRUE;
}

static BOOL CALLBACK session2(const DPSESSIONDESC2 *d, DWORD *timeout, DWORD flags, void *context)
{
	struct found *f = context;

	(void)timeout;
	if (flags & DPESC_TIMEDOUT)
		return FALSE;
	f->found = true;
	f->instance = d->guidInstance;
	return TRUE;
}

static void join_session(void)
{
	DPSESSIONDESC2 asked2 = {.dwSize = sizeof asked2, .guidApplication = GAME};
	DWORD begin = GetTickCount();
	struct found f = {0};
	DPSESSIONDESC asked;

	describe(&asked, 0);
	while (!f.found && GetTickCount() - begin < PATIENCE) {
		if (later) {
			DO(IDirectPlayX_EnumSessions(dp4, &asked2, 300, session2, &f, DPENUMSESSIONS_AVAILABLE));
		} else {
			f.timed_out = false;
			DO(IDirectPlay_EnumSessions(dp, &asked, 300, session, &f, DPENUMSESSIONS_AVAILABLE));
			CHECK(f.timed_out);
		}
	}
	CHECK(f.found);
	if (later) {
		asked2.guidInstance = f.instance;
		DO(IDirectPlayX_Open(dp4, &asked2, DPOPEN_JOIN));
		return;
	}
	ok("found %s, %s", f.d.szSessionName, f.d.szUserField);
	CHECK(IsEqualGUID(&f.d.guidSession, &GAME) && f.d.dwSession != 0 && f.d.dwCurrentPlayers == 1);
	f.d.dwFlags = DPOPEN_OPENSESSION;
	f.d.dwSession++;
	IS(IDirectPlay_Open(dp, &f.d), DPERR_NOSESSIONS);
	f.d.dwSession--;
	DO(IDirectPlay_Open(dp, &f.d));
}

/* leave ends the session, and finds nothing of it. */
static void leave(void)
{
	DWORD count;

	DO(IDirectPlay_DestroyPlayer(dp, self));
	IS(IDirectPlay_DestroyPlayer(dp, self), DPERR_INVALIDPLAYER);
	DO(IDirectPlay_Close(dp));
	IS(IDirectPlay_GetMessageCount(dp, self, &count), DPERR_INVALIDPLAYER);
	IS(IDirectPlay_EnumPlayers(dp, 0, met, NULL, 0), DPERR_NOSESSIONS);
	CHECK(IDirectPlayX_Release(dp4) == 0);
	CHECK(IDirectPlay_Release(dp) == 0);
	ok("left");
}

/* new_group makes a group with a player of the other machine. */
static DPID new_group(DPID member)
{
	DPNAME name = {sizeof name, 0, {NULL}, {NULL}};
	struct met m = {0};
	DPID group;

	name.lpszShortNameA = "Reds";
	if (later)
		DO(IDirectPlayX_CreateGroup(dp4, &group, &name, NULL, 0, 0));
	else
		DO(IDirectPlay_CreateGroup(dp, &group, "Reds", "The red ones"));
	DO(IDirectPlay_AddPlayerToGroup(dp, group, member));
	DO(IDirectPlay_EnumGroups(dp, 0, met, &m, 0));
	CHECK(m.count == 1);
	DO(IDirectPlay_EnumGroupPlayers(dp, group, met, &m, 0));
	CHECK(m.count == 2 && m.other == member);
	return group;
}

static void host(void)
{
	const DPMSG_ADDPLAYER *added = (void *)buffer;
	const DPMSG_DELETEPLAYER *gone = (void *)buffer;
	DPID joiner, group;

	host_session();
	player("Ann", "Ann of the north");
	ok("hosts");
	told(DPSYS_CREATEPLAYERORGROUP, sizeof *added);
	if (!later) {
		CHECK(added->dwPlayerType == DPPLAYERTYPE_PLAYER && added->dwCurrentPlayers == 2);
		CHECK(strcmp(added->szShortName, "Bob") == 0 && strcmp(added->szLongName, "Bob of the south") == 0);
	}
	joiner = hear();
	CHECK(size == 5 && memcmp(buffer, "hello", 5) == 0);
	CHECK(other("Bob", "Bob of the south") == joiner);
	large(joiner);
	hear_large(joiner);
	ok("60,000 octets both ways");

	group = new_group(joiner);
	told(DPSYS_CREATEPLAYERORGROUP, sizeof *added);
	told(DPSYS_ADDPLAYERTOGROUP, sizeof(DPMSG_ADDPLAYERTOGROUP));
	say(group, DPSEND_GUARANTEED, "reds", 4);
	hear_text(joiner, "in");
	DO(IDirectPlay_DeletePlayerFromGroup(dp, group, joiner));
	told(DPSYS_DELETEPLAYERFROMGROUP, sizeof(DPMSG_ADDPLAYERTOGROUP));
	DO(IDirectPlay_DestroyGroup(dp, group));
	told(DPSYS_DELETEGROUP, sizeof *gone);
	DO(IDirectPlay_EnableNewPlayers(dp, FALSE));
	DO(IDirectPlay_SetPlayerName(dp, self, "Anna", NULL));
	say(0, DPSEND_GUARANTEED, "bye", 3);
	ok("groups");
	told(DPSYS_DESTROYPLAYERORGROUP, sizeof *gone);
	if (!later)
		CHECK(gone->dpId == joiner);
	else
		hear_text(joiner, "bye");
	leave();
}

static void join(bool host_is_later)
{
	const DPMSG_ADDPLAYERTOGROUP *member = (void *)buffer;
	const DPMSG_DELETEPLAYER *gone = (void *)buffer;
	char name[DPSHORTNAMELEN];
	DWORD length = sizeof name;
	DPID host, group = 0;

	join_session();
	player("Bob", "Bob of the south");
	ok("joined");
	host = other("Ann", "Ann of the north");
	say(host, DPSEND_GUARANTEED | DPSEND_TRYONCE, "hello", 5);
	hear_large(host);
	large(host);
	ok("60,000 octets both ways");

	told(DPSYS_CREATEPLAYERORGROUP, sizeof(DPMSG_ADDPLAYER));
	told(DPSYS_ADDPLAYERTOGROUP, sizeof *member);
	if (!later) {
		CHECK(member->dpIdPlayer == self);
		group = member->dpIdGroup;
	}
	hear_text(host, "reds");
	say(host, DPSEND_GUARANTEED, "in", 2);
	told(DPSYS_DELETEPLAYERFROMGROUP, sizeof *member);
	told(DPSYS_DELETEGROUP, sizeof *gone);
	if (!later)
		CHECK(gone->dpId == group);
	hear_text(host, "bye");
	DO(IDirectPlay_GetPlayerName(dp, host, name, &length, NULL, NULL));
	CHECK(strcmp(name, "Anna") == 0);
	IS(IDirectPlay_EnableNewPlayers(dp, TRUE), DPERR_ACCESSDENIED);
	ok("groups");
	if (host_is_later)
		say(host, DPSEND_GUARANTEED, "bye", 3);
	leave();
}

/* A side is one of two objects of a process. */
struct side {
	IDirectPlay *dp;
	IDirectPlay4 *dp4;
	HANDLE event;
};

/* change_sides has the other object play, as one of its players. */
static void change_sides(struct side *other_side, DPID player)
{
	struct side was = {dp, dp4, event};

	dp = other_side->dp;
	dp4 = other_side->dp4;
	event = other_side->event;
	self = player;
	*other_side = was;
}

/* both has a game whose libraries load one DLL each: they play with each other. */
static void both(void)
{
	struct side host_side;
	DPID ann, bob;

	load("dplay.dll");
	make();
	host_session();
	player("Ann", "Ann of the north");
	host_side = (struct side){dp, dp4, event};
	ann = self;
	load("dplayx.dll");
	make();
	join_session();
	player("Bob", "Bob of the south");
	bob = self;
	large(ann);

	change_sides(&host_side, ann);
	told(DPSYS_CREATEPLAYERORGROUP, sizeof(DPMSG_ADDPLAYER));
	hear_large(bob);
	say(bob, DPSEND_GUARANTEED, "back", 4);
	change_sides(&host_side, bob);
	hear_text(ann, "back");
	leave();
	change_sides(&host_side, ann);
	told(DPSYS_DESTROYPLAYERORGROUP, sizeof(DPMSG_DELETEPLAYER));
	leave();
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "both") == 0) {
		both();
		ok("done");
		return 0;
	}
	CHECK(argc >= 3);
	later = argc > 3 && strcmp(argv[3], "later") == 0;
	load(argv[1]);
	make();
	capabilities();
	if (strcmp(argv[2], "host") == 0) {
		host();
	} else if (strcmp(argv[2], "join") == 0) {
		join(argc > 3 && strcmp(argv[3], "to-later") == 0);
	} else if (strcmp(argv[2], "visit") == 0) {
		join_session();
		player("Bob", "Bob of the south");
		other(NULL, NULL);
		say(0, DPSEND_GUARANTEED, "hello", 5);
		leave();
	} else {
		CHECK(!"a role");
	}
	ok("done");
	return 0;
}
