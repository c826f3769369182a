// Good arguments of each kind, and what can be wrong inside of them.
#include "hostile.h"
#include <stddef.h>
#include <string.h>

struct world world;

// The things that good arguments point at.
static struct {
	GUID guid[2];
	DWORD number[3], size;
	void *place;
	unsigned char buffer[16 * ROOM], data[16];
	DPNAME name;
	DPSESSIONDESC2 session, connection_session;
	DPSESSIONDESC first_session;
	char text[5], formal[1];
	HANDLE handle;
	DWORD formal_size;
	DPCAPS caps;
	unsigned char address[64];
	DPCHAT chat;
	DPLCONNECTION connection;
	DPAPPLICATIONDESC application;
	DPCOMPOUNDADDRESSELEMENT element;
	DPSECURITYDESC security;
	DPCREDENTIALS credentials;
} good;

static const GUID game = {0x77aa1c02, 0x3fd1, 0x4f0e, {0x8d, 0x2b, 0x6a, 0x01, 0x93, 0xc4, 0x55, 0xe0}};

#define TEXT_OF(s) (world.wide ? (void *)L##s : (void *)s)

// append_chunk appends a chunk of an address.
static DWORD append_chunk(DWORD at, const GUID *type, const void *data, DWORD size)
{
	memcpy(good.address + at, type, sizeof *type);
	memcpy(good.address + at + 16, &size, 4);
	memcpy(good.address + at + 20, data, size);
	return at + 20 + size;
}

static void make_address(void)
{
	DWORD total = 24 + 36;
	append_chunk(append_chunk(0, &DPAID_TotalSize, &total, 4), &DPAID_ServiceProvider, &DPSPGUID_TCPIP, 16);
}

static void make_session(DPSESSIONDESC2 *d)
{
	*d = (DPSESSIONDESC2){.dwSize = sizeof *d, .guidApplication = game, .dwMaxPlayers = 8};
	d->lpszSessionNameA = TEXT_OF("hostile");
	d->lpszPasswordA = TEXT_OF("");
}

static void make_all(DWORD need)
{
	memset(&good, 0, offsetof(typeof(good), buffer));
	memset(good.data, 0xD1, sizeof good.data);
	good.guid[0] = good.guid[1] = DPSPGUID_TCPIP;
	good.size = need ? need : 64;
	good.name = (DPNAME){.dwSize = sizeof good.name};
	good.name.lpszShortNameA = TEXT_OF("short");
	good.name.lpszLongNameA = TEXT_OF("long");
	make_session(&good.session);
	make_session(&good.connection_session);
	good.first_session = (DPSESSIONDESC){.dwSize = sizeof good.first_session, .guidSession = game, .dwMaxPlayers = 8};
	memcpy(good.text, "text", sizeof good.text);
	good.formal_size = sizeof good.formal;
	make_address();
	good.caps = (DPCAPS){.dwSize = sizeof good.caps};
	good.chat = (DPCHAT){.dwSize = sizeof good.chat};
	good.chat.lpszMessageA = TEXT_OF("chat");
	good.connection = (DPLCONNECTION){.dwSize = sizeof good.connection, .dwFlags = DPLCONNECTION_CREATESESSION,
		.lpSessionDesc = &good.connection_session, .lpPlayerName = &good.name, .guidSP = DPSPGUID_TCPIP,
		.lpAddress = good.address, .dwAddressSize = 60};
	good.application = (DPAPPLICATIONDESC){.dwSize = sizeof good.application, .guidApplication = game};
	good.application.lpszApplicationNameA = TEXT_OF("hostile");
	good.application.lpszFilenameA = good.application.lpszCommandLineA = TEXT_OF("none.exe");
	good.application.lpszPathA = good.application.lpszCurrentDirectoryA = TEXT_OF("C:\\none");
	good.application.lpszDescriptionA = (void *)"a description";
	good.application.lpszDescriptionW = (void *)L"a description";
	good.element = (DPCOMPOUNDADDRESSELEMENT){DPAID_ServiceProvider, 16, good.guid};
	good.security = (DPSECURITYDESC){.dwSize = sizeof good.security};
	good.credentials = (DPCREDENTIALS){.dwSize = sizeof good.credentials};
}

// The callbacks want no more of anything. With stdcall each cleans up its own arguments, so there is one for each number of them.
static BOOL CALLBACK each_player(DPID id, DWORD type, LPCDPNAME n, DWORD flags, LPVOID context)
{
	(void)id, (void)type, (void)n, (void)flags, (void)context;
	return FALSE;
}

static BOOL CALLBACK each_session(LPCDPSESSIONDESC2 d, LPDWORD timeout, DWORD flags, LPVOID context)
{
	(void)d, (void)timeout, (void)flags, (void)context;
	return FALSE;
}

static BOOL CALLBACK each_connection(LPCGUID provider, LPVOID c, DWORD size, LPCDPNAME n, DWORD flags, LPVOID context)
{
	(void)provider, (void)c, (void)size, (void)n, (void)flags, (void)context;
	return FALSE;
}

static BOOL CALLBACK each_of_three(const void *what, LPVOID context, DWORD flags)
{
	(void)what, (void)context, (void)flags;
	return FALSE;
}

static uintptr_t callback(const char *method)
{
	if (!strcmp(method, "EnumSessions") || !strcmp(method, "EnumAddress"))
		return (uintptr_t)each_session; // both have four arguments
	if (!strcmp(method, "EnumConnections"))
		return (uintptr_t)each_connection;
	if (!strcmp(method, "EnumAddressTypes") || !strcmp(method, "EnumLocalApplications"))
		return (uintptr_t)each_of_three;
	return (uintptr_t)each_player;
}

#define READ(thing) (struct argument){(uintptr_t)&(thing), sizeof(thing), FALSE}
#define WRITTEN(thing) (struct argument){(uintptr_t)&(thing), sizeof(thing), TRUE}
#define VALUE(number) (struct argument){.value = (number)}

static struct argument argument(const struct method *m, char kind, int *numbers, int *guids)
{
	switch (kind) {
	case 'g': return READ(good.guid[(*guids)++]);
	case 'o': return WRITTEN(good.place);
	case 'i': return WRITTEN(good.number[(*numbers)++]);
	case 'q': return WRITTEN(good.size);
	case 'b': return (struct argument){(uintptr_t)good.buffer, good.size, TRUE};
	case 'd': return READ(good.data);
	case 'z': return VALUE(*m->name == 'E' ? 60 : sizeof good.data);
	case 'n': return READ(good.name);
	case 's': return READ(good.session);
	case 'D': return READ(good.first_session);
	case '8': return READ(good.text);
	case 'H': return WRITTEN(good.handle);
	case 'E': return VALUE(TRUE);
	case 'B': return WRITTEN(good.formal);
	case 'Q': return WRITTEN(good.formal_size);
	case 'c': return (struct argument){callback(m->name), 1, FALSE};
	case 'k': return WRITTEN(good.caps);
	case 'a': return (struct argument){(uintptr_t)good.address, 60, FALSE};
	case 't': return READ(good.chat);
	case 'l': return READ(good.connection);
	case 'r': return READ(good.application);
	case 'e': return READ(good.element);
	case 'y': return VALUE(1);
	case 'v': return READ(good.security);
	case 'w': return READ(good.credentials);
	case 'P': return VALUE(world.player);
	case 'T': return VALUE(world.other);
	case 'G': return VALUE(world.group);
	case 'F': return VALUE(DPRECEIVE_ALL | DPRECEIVE_PEEK);
	case 'x': return VALUE((uintptr_t)-1 / 3); // nobody follows it
	}
	return VALUE(0);
}

int good_arguments(const struct method *m, DWORD need, struct argument a[MAX_ARGUMENTS])
{
	int count, numbers = 0, guids = 0;
	make_all(need);
	for (count = 0; m->arguments[count]; count++)
		a[count] = argument(m, m->arguments[count], &numbers, &guids);
	if (!strcmp(m->name, "QueryInterface"))
		good.guid[0] = IID_IUnknown;
	if (!strcmp(m->name, "ConnectEx"))
		good.guid[0] = IID_IDirectPlay4A;
	if (!strcmp(m->name, "CreateAddress"))
		good.guid[1] = DPAID_INet;
	return count;
}

// A change is a DWORD or a pointer in a thing that is made wrong.
static const struct change {
	char kind;
	void *at;
	enum { NUMBER, POINTER, TEXTS, WIDE_TEXT } what; // a wild pointer and no text's end are two changes
	DWORD number;
} changes[] = {
#define SIZES(kind, thing) {kind, &(thing).dwSize, NUMBER, 0}, {kind, &(thing).dwSize, NUMBER, 1}, \
	{kind, &(thing).dwSize, NUMBER, sizeof(thing) - 1}, {kind, &(thing).dwSize, NUMBER, 0xFFFFFFFF}
#define TEXT_IN(kind, place) {kind, &(place), POINTER, 1}, {kind, &(place), POINTER, 0xFFFFFFF0}, {kind, &(place), TEXTS, 0}
	TEXT_IN('n', good.name.lpszShortNameA), TEXT_IN('n', good.name.lpszLongNameA),
	SIZES('s', good.session), TEXT_IN('s', good.session.lpszSessionNameA), TEXT_IN('s', good.session.lpszPasswordA),
	SIZES('D', good.first_session),
	SIZES('k', good.caps),
	{'a', good.address + 20, NUMBER, 0}, {'a', good.address + 20, NUMBER, 23}, {'a', good.address + 20, NUMBER, 0xFFFFFFFF},
	{'a', good.address + 20, NUMBER, 1 << 20}, {'a', good.address + 40, NUMBER, 0xFFFFFFFF}, {'a', good.address + 40, NUMBER, 17},
	SIZES('t', good.chat), {'t', &good.chat.lpszMessageA, POINTER, 0}, TEXT_IN('t', good.chat.lpszMessageA),
	SIZES('l', good.connection), {'l', &good.connection.lpSessionDesc, POINTER, 0},
	{'l', &good.connection.lpSessionDesc, POINTER, 1}, {'l', &good.connection.lpPlayerName, POINTER, 1},
	{'l', &good.connection.lpAddress, POINTER, 1}, {'l', &good.connection.dwAddressSize, NUMBER, 0xFFFFFFFF},
	{'l', &good.connection_session.dwSize, NUMBER, 0}, TEXT_IN('l', good.connection_session.lpszSessionNameA),
	TEXT_IN('l', good.connection_session.lpszPasswordA), TEXT_IN('l', good.name.lpszShortNameA),
	SIZES('r', good.application), TEXT_IN('r', good.application.lpszApplicationNameA),
	TEXT_IN('r', good.application.lpszFilenameA), TEXT_IN('r', good.application.lpszCommandLineA),
	TEXT_IN('r', good.application.lpszPathA), TEXT_IN('r', good.application.lpszCurrentDirectoryA),
	{'r', &good.application.lpszDescriptionA, POINTER, 1}, {'r', &good.application.lpszDescriptionW, POINTER, 1},
	{'r', &good.application.lpszDescriptionW, WIDE_TEXT, 0},
	{'e', &good.element.lpData, POINTER, 0}, {'e', &good.element.lpData, POINTER, 1},
	{'e', &good.element.dwDataSize, NUMBER, 0xFFFFFFFF}, {'e', &good.element.dwDataSize, NUMBER, 1 << 20},
	SIZES('v', good.security), TEXT_IN('v', good.security.lpszSSPIProviderA), TEXT_IN('v', good.security.lpszCAPIProviderA),
	SIZES('w', good.credentials), TEXT_IN('w', good.credentials.lpszUsernameA), TEXT_IN('w', good.credentials.lpszPasswordA),
};

BOOL spoil(char kind, int pass)
{
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		const struct change *c = changes + i;
		if (c->kind != kind || pass--)
			continue;
		void *p = (void *)(intptr_t)(int32_t)c->number;
		if (c->what == TEXTS || c->what == WIDE_TEXT)
			p = hostile_unended(world.wide || c->what == WIDE_TEXT);
		memcpy(c->at, c->what == NUMBER ? (const void *)&c->number : &p, c->what == NUMBER ? sizeof c->number : sizeof p);
		return TRUE;
	}
	return FALSE;
}
