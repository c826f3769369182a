// A DLL that calls back when its process ends.
#include <windows.h>

static void (*end)(void);

__declspec(dllexport) void at_end(void (*call)(void))
{
	end = call;
}

BOOL WINAPI DllMain(HINSTANCE self, DWORD reason, void *reserved)
{
	(void)self, (void)reserved;
	if (reason == DLL_PROCESS_DETACH && end)
		end();
	return TRUE;
}
