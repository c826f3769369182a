// What programs share that host a session by a dplayx.dll. They print what went wrong, and end with 1.
#ifndef SESSION_H
#define SESSION_H

#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdio.h>

// {7a3c0e2e-4a5f-4a9d-9a53-6d1c55a1d002}: the application of this test
DEFINE_GUID(APPLICATION, 0x7a3c0e2e, 0x4a5f, 0x4a9d, 0x9a, 0x53, 0x6d, 0x1c, 0x55, 0xa1, 0xd0, 0x02);

typedef HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *);

static void fail(const char *what, unsigned long code)
{
	printf("FAILED: %s: 0x%08lx\n", what, code);
	fflush(stdout);
	ExitProcess(1);
}

static void must(HRESULT result, const char *what)
{
	if (FAILED(result))
		fail(what, (unsigned long)result);
}

static IDirectPlay4 *new_object(void)
{
	HMODULE library = LoadLibraryA("dplayx.dll");
	create create = library ? (void *)GetProcAddress(library, "DirectPlayCreate") : NULL;
	IDirectPlay *one;
	IDirectPlay4 *four;
	GUID provider = DPSPGUID_TCPIP;

	if (!create)
		fail("LoadLibrary", GetLastError());
	must(create(&provider, &one, NULL), "DirectPlayCreate");
	must(IDirectPlay_QueryInterface(one, &IID_IDirectPlay4A, (void **)&four), "QueryInterface");
	IDirectPlay_Release(one);
	return four;
}

// new_session hosts a session with two players.
static IDirectPlay4 *new_session(DPID player[2])
{
	IDirectPlay4 *dp = new_object();
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .guidApplication = APPLICATION, .dwMaxPlayers = 99, .lpszSessionNameA = (char *)"shell"};
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = (char *)"short", .lpszLongNameA = (char *)"long"};
	int i;

	must(IDirectPlayX_Open(dp, &d, DPOPEN_CREATE), "Open");
	for (i = 0; i < 2; i++)
		must(IDirectPlayX_CreatePlayer(dp, &player[i], &name, NULL, NULL, 0, 0), "CreatePlayer");
	return dp;
}

#endif
