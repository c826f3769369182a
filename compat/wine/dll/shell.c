// What a dplayx.dll does in the process that loads it, whatever the session: each command is a process of its own, prints what it
// found, and ends with 0 if that is right.
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .guidApplication = APPLICATION, .dwMaxPlayers = 8, .lpszSessionNameA = (char *)"shell"};
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = (char *)"short", .lpszLongNameA = (char *)"long"};
	int i;

	must(IDirectPlayX_Open(dp, &d, DPOPEN_CREATE), "Open");
	for (i = 0; i < 2; i++)
		must(IDirectPlayX_CreatePlayer(dp, &player[i], &name, NULL, NULL, 0, 0), "CreatePlayer");
	return dp;
}

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

static const struct {
	const char *name;
	void (*run)(void);
} commands[] = {
	{"play", play},
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
