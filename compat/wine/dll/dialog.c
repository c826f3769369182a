/*
 * A game that does not ask its player for an address: Microsoft's provider shows a dialog for that, ours looks where the
 * configuration says. For each way not to say where, this says how long the first search took, whether one in the background
 * keeps the game waiting, and what was found:
 *
 *     dialog [ADDRESS]
 *
 * ADDRESS is for the last way, which says where.
 */
#define CINTERFACE
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <cguid.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DEFINE_GUID(GAME, 0xbdcfe03e, 0xf0ec, 0x415b, 0x82, 0x11, 0x6f, 0x86, 0xd8, 0x19, 0x7f, 0xe1);

enum { TIMEOUT = 1000, POLLS = 20 };

static HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *);

static void must(const char *what, HRESULT result)
{
	if (result == DP_OK)
		return;
	printf("FAILED %s: %08lx\n", what, (unsigned long)result);
	exit(1);
}

static IDirectPlay4 *new_object(GUID provider)
{
	IDirectPlay4 *dp4;
	IDirectPlay *dp;

	must("DirectPlayCreate", create(&provider, &dp, NULL));
	must("QueryInterface", IDirectPlay_QueryInterface(dp, &IID_IDirectPlay4A, (void **)&dp4));
	IDirectPlay_Release(dp);
	return dp4;
}

/* append appends a chunk to an address. */
static DWORD append(char *address, DWORD at, const GUID *type, const void *data, DWORD size)
{
	memcpy(address + at, type, sizeof *type);
	memcpy(address + at + 16, &size, sizeof size);
	memcpy(address + at + 20, data, size);
	return at + 20 + size;
}

/* with_address returns an object with the address of TCP/IP and another chunk, if type is not NULL. */
static IDirectPlay4 *with_address(const GUID *type, const void *data, DWORD size)
{
	DWORD total = 24 + 36 + (type ? 20 + size : 0), at;
	IDirectPlay4 *dp = new_object(GUID_NULL);
	char address[256];

	at = append(address, 0, &DPAID_TotalSize, &total, sizeof total);
	at = append(address, at, &DPAID_ServiceProvider, &DPSPGUID_TCPIP, sizeof DPSPGUID_TCPIP);
	if (type)
		append(address, at, type, data, size);
	must("InitializeConnection", IDirectPlayX_InitializeConnection(dp, address, 0));
	return dp;
}

/* offered returns an object with the connection that EnumConnections offers for TCP/IP. */
static BOOL CALLBACK offer(const GUID *provider, void *connection, DWORD size, const DPNAME *name, DWORD flags, void *context)
{
	(void)size, (void)name, (void)flags;
	if (!IsEqualGUID(provider, &DPSPGUID_TCPIP))
		return TRUE;
	must("InitializeConnection", IDirectPlayX_InitializeConnection((IDirectPlay4 *)context, connection, 0));
	return FALSE;
}

static IDirectPlay4 *offered(void)
{
	IDirectPlay4 *dp = new_object(GUID_NULL);

	must("EnumConnections", IDirectPlayX_EnumConnections(dp, &GAME, offer, dp, 0));
	return dp;
}

/* found are the names of what the searches of an object found: a busy machine answers the second one. */
static char found[8][64];
static int found_count;

static BOOL CALLBACK session(const DPSESSIONDESC2 *d, DWORD *timeout, DWORD flags, void *context)
{
	int i;

	(void)timeout, (void)context;
	if (flags & DPESC_TIMEDOUT || found_count == 8)
		return FALSE;
	for (i = 0; i < found_count; i++) {
		if (strcmp(found[i], d->lpszSessionNameA) == 0)
			return TRUE;
	}
	snprintf(found[found_count++], sizeof found[0], "%s", d->lpszSessionNameA);
	return TRUE;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static DWORD search(IDirectPlay4 *dp, DWORD timeout, DWORD flags)
{
	DPSESSIONDESC2 asked = {.dwSize = sizeof asked, .guidApplication = GAME};
	DWORD begin = GetTickCount();

	must("EnumSessions", IDirectPlayX_EnumSessions(dp, &asked, timeout, session, NULL, flags));
	return GetTickCount() - begin;
}

static void look(const char *way, IDirectPlay4 *dp)
{
	DWORD first, fastest = TIMEOUT, begin;
	int i;

	found_count = 0;
	first = search(dp, TIMEOUT, DPENUMSESSIONS_AVAILABLE);
	search(dp, TIMEOUT, DPENUMSESSIONS_AVAILABLE);
	for (i = 0; i < POLLS; i++) { /* as in a menu; one that waits for the network would do so each time */
		DWORD took = search(dp, 0, DPENUMSESSIONS_AVAILABLE | DPENUMSESSIONS_ASYNC);

		fastest = took < fastest ? took : fastest;
		Sleep(50);
	}
	qsort(found, found_count, sizeof found[0], by_name);
	printf("%s:", way);
	for (i = 0; i < found_count; i++)
		printf(" %s", found[i]);
	begin = GetTickCount();
	IDirectPlayX_Release(dp);
	printf("; %s, polls %s, ends %s\n", first < 60 * TIMEOUT ? "in time" : "LATE", fastest < TIMEOUT / 10 ? "at once" : "LATE",
		GetTickCount() - begin < 60 * TIMEOUT ? "at once" : "LATE");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	HMODULE dll = LoadLibraryA("dplayx.dll");

	create = (void *)GetProcAddress(dll, "DirectPlayCreate");
	if (!create)
		return 2;
	look("provider", new_object(DPSPGUID_TCPIP));
	look("offer", offered());
	look("no name", with_address(NULL, NULL, 0));
	look("empty name", with_address(&DPAID_INet, "", 1));
	look("empty wide name", with_address(&DPAID_INetW, L"", 2));
	look("everybody", with_address(&DPAID_INet, "255.255.255.255", 16));
	if (argc > 1)
		look("name", with_address(&DPAID_INet, argv[1], (DWORD)strlen(argv[1]) + 1));
	printf("done\n");
	return 0;
}
