// Loads DirectPlay in one of the ways that games do, and says which DLL that was and how hosting went; or, loaded by its name,
// how it went to join a session and to talk with one who answers:
//	loads import|load|old|create|join
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdio.h>
#include <string.h>

// {bdcfe03e-f0ec-415b-8211-6f86d8197fe1}: the application of the tests
DEFINE_GUID(APPLICATION, 0xbdcfe03e, 0xf0ec, 0x415b, 0x82, 0x11, 0x6f, 0x86, 0xd8, 0x19, 0x7f, 0xe1);

typedef HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *);

static IDirectPlay4 *from(create create)
{
	GUID provider = DPSPGUID_TCPIP;
	IDirectPlay *one;
	IDirectPlay4 *four;

	if (!create || FAILED(create(&provider, &one, NULL)) ||
	    FAILED(IDirectPlay_QueryInterface(one, &IID_IDirectPlay4A, (void **)&four)))
		return NULL;
	IDirectPlay_Release(one);
	return four;
}

static IDirectPlay4 *by_instance(void)
{
	struct {
		DPADDRESS total;
		DWORD size;
		DPADDRESS provider;
		GUID tcp;
		DPADDRESS inet;
		char host[4];
	} address = {{DPAID_TotalSize, sizeof(DWORD)}, sizeof address, {DPAID_ServiceProvider, sizeof(GUID)}, DPSPGUID_TCPIP, {DPAID_INet, 4}, ""};
	IDirectPlay4 *dp;

	CoInitialize(NULL);
	if (FAILED(CoCreateInstance(&CLSID_DirectPlay, NULL, CLSCTX_INPROC_SERVER, &IID_IDirectPlay4A, (void **)&dp)) ||
	    FAILED(IDirectPlayX_InitializeConnection(dp, &address, 0)))
		return NULL;
	return dp;
}

// first_found notes a session, and ends the search.
static BOOL PASCAL first_found(const DPSESSIONDESC2 *d, DWORD *timeout, DWORD flags, void *instance)
{
	(void)timeout;
	if (!(flags & DPESC_TIMEDOUT))
		*(GUID *)instance = d->guidInstance;
	return FALSE;
}

// join goes into a session, says something to all, and waits for what a player says.
static HRESULT join(IDirectPlay4 *dp, DPSESSIONDESC2 *d)
{
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = (char *)"Ann", .lpszLongNameA = (char *)"Ann"};
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
	DPID me, from, to;
	HRESULT result;
	char heard[512];

	if (FAILED(result = IDirectPlayX_EnumSessions(dp, d, 0, first_found, &d->guidInstance, 0)) ||
	    FAILED(result = IDirectPlayX_Open(dp, d, DPOPEN_JOIN)) ||
	    FAILED(result = IDirectPlayX_CreatePlayer(dp, &me, &name, event, NULL, 0, 0)) ||
	    FAILED(result = IDirectPlayX_Send(dp, me, DPID_ALLPLAYERS, DPSEND_GUARANTEED, (void *)"Ann has moved", 13)))
		return result;
	while (WaitForSingleObject(event, 120000) == WAIT_OBJECT_0) {
		DWORD size = sizeof heard;

		for (; SUCCEEDED(IDirectPlayX_Receive(dp, &from, &to, DPRECEIVE_ALL, heard, &size)); size = sizeof heard)
			if (from != DPID_SYSMSG)
				return DP_OK;
	}
	return DPERR_NOMESSAGES;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "", *library = "dplayx.dll";
	DPSESSIONDESC2 d = {.dwSize = sizeof d, .guidApplication = APPLICATION, .dwMaxPlayers = 9, .lpszSessionNameA = (char *)"loads"};
	char path[MAX_PATH] = "none";
	IDirectPlay4 *dp = NULL;
	HRESULT opened;

#ifdef IMPORTS
	if (!strcmp(how, "import"))
		dp = from(DirectPlayCreate);
#endif
	if (!strcmp(how, "old"))
		library = "dplay.dll";
	if (!strcmp(how, "load") || !strcmp(how, "old") || !strcmp(how, "join"))
		dp = from((void *)GetProcAddress(LoadLibraryA(library), "DirectPlayCreate"));
	if (!strcmp(how, "create"))
		dp = by_instance();
	if (!dp) {
		printf("%s: no object\n", how);
		return 1;
	}
	opened = strcmp(how, "join") ? IDirectPlayX_Open(dp, &d, DPOPEN_CREATE) : join(dp, &d);
	GetModuleFileNameA(GetModuleHandleA(library), path, sizeof path);
	printf("%s: %s: 0x%08lx\n", how, path, (unsigned long)opened);
	IDirectPlayX_Release(dp);
	return 0;
}
