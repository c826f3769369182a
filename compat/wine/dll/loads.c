// Loads DirectPlay in one of the ways that games do, and says which DLL that was and how hosting went:
//	loads import|load|old|create
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdio.h>
#include <string.h>

// {7a3c0e2e-4a5f-4a9d-9a53-6d1c55a1d003}: the application of this test
DEFINE_GUID(APPLICATION, 0x7a3c0e2e, 0x4a5f, 0x4a9d, 0x9a, 0x53, 0x6d, 0x1c, 0x55, 0xa1, 0xd0, 0x03);

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
	if (!strcmp(how, "load") || !strcmp(how, "old"))
		dp = from((void *)GetProcAddress(LoadLibraryA(library), "DirectPlayCreate"));
	if (!strcmp(how, "create"))
		dp = by_instance();
	if (!dp) {
		printf("%s: no object\n", how);
		return 1;
	}
	opened = IDirectPlayX_Open(dp, &d, DPOPEN_CREATE);
	GetModuleFileNameA(GetModuleHandleA(library), path, sizeof path);
	printf("%s: %s: 0x%08lx\n", how, path, (unsigned long)opened);
	IDirectPlayX_Release(dp);
	return 0;
}
