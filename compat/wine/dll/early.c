// A DLL that calls DirectPlay from its DllMain, which no DLL may.
#include <windows.h>
#include <dplay.h>

static const GUID none; // no provider yet

__declspec(dllexport) HRESULT early;

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, void *reserved)
{
	HRESULT(WINAPI *create)(const GUID *, IDirectPlay **, IUnknown *);
	IDirectPlay *made;

	(void)self, (void)reserved;
	if (reason == DLL_PROCESS_ATTACH) {
		create = (void *)GetProcAddress(LoadLibraryA("dplayx.dll"), "DirectPlayCreate");
		early = create ? create(&none, &made, NULL) : E_FAIL;
	}
	return TRUE;
}
