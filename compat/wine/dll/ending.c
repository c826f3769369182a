// A game that ends with an open session, by ExitProcess:
//
//	ending playing           another thread is in methods
//	ending opening MOMENT    another thread opens the session since so many microseconds
//
// It says so from a DLL that hears of the end, when there are no other threads any more.
#include <stdlib.h>
#include <string.h>

#include "session.h"

static IDirectPlay4 *playing;
static DPID player[2];

// late calls methods while the process ends.
static void late(void)
{
	static const char done[] = "ending: done\n";
	char got[64];
	DPID from, to;
	DWORD size = sizeof got;

	if (playing) {
		IDirectPlayX_Send(playing, player[0], player[1], DPSEND_GUARANTEED, (void *)"Z", 1);
		IDirectPlayX_Receive(playing, &from, &to, DPRECEIVE_ALL, got, &size);
		IDirectPlayX_Close(playing);
		IDirectPlayX_Release(playing);
	}
	WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), done, sizeof done - 1, &size, NULL); // stdio has ended
}

static DWORD WINAPI play(void *begun)
{
	DPNAME name = {.dwSize = sizeof name, .lpszShortNameA = (char *)"thread"};
	DPID id;

	SetEvent(begun);
	for (;;) {
		IDirectPlayX_CreatePlayer(playing, &id, &name, NULL, NULL, 0, 0);
		IDirectPlayX_Send(playing, id, player[0], DPSEND_GUARANTEED, (void *)"A", 1);
		IDirectPlayX_DestroyPlayer(playing, id);
	}
	return 0;
}

static DWORD WINAPI open_session(void *begun)
{
	SetEvent(begun);
	new_session(player);
	Sleep(INFINITE);
	return 0;
}

// begin_thread returns when the thread runs: Wine may crash with one that is younger, whoever made it.
static void begin_thread(LPTHREAD_START_ROUTINE start)
{
	HANDLE begun = CreateEventA(NULL, FALSE, FALSE, NULL);

	if (!CreateThread(NULL, 0, start, begun, 0, NULL))
		fail("CreateThread", GetLastError());
	WaitForSingleObject(begun, INFINITE);
}

static double now(void)
{
	LARGE_INTEGER frequency, count;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&count);
	return (double)count.QuadPart / (double)frequency.QuadPart;
}

int main(int argc, char **argv)
{
	void (*at_end)(void (*)(void)) = (void *)GetProcAddress(LoadLibraryA("ender.dll"), "at_end");

	if (!at_end)
		fail("ender.dll", GetLastError());
	at_end(late);
	if (argc == 2 && !strcmp(argv[1], "playing")) {
		playing = new_session(player);
		begin_thread(play);
	} else if (argc == 3 && !strcmp(argv[1], "opening")) {
		double end = now() + atoi(argv[2]) / 1e6;

		begin_thread(open_session);
		while (now() < end)
			Sleep(0);
	} else {
		fail("no such command", 0);
	}
	ExitProcess(0);
}
