// How threads of Go wait for each other under Wine. There an event or a timer of Windows is in another process, Wine's server: a
// call that sets one or waits for it goes there and back, and Go's scheduler makes several for each message of a game. Here they
// are memory of ours, with a lock and a condition variable, for which Wine has what Linux has.
//
// The linker takes what is in this file for functions of kernel32, also for Go's runtime. What is no gate, and all where there
// is no Wine, is handed on to kernel32. No gate leaves the DLL: what a game gets is made by CreateEventW.
#include <windows.h>

#include <stdbool.h>

// A Gate is an event that resets itself, or a timer of one thread.
typedef struct Gate {
	volatile LONG used;
	SRWLOCK lock;
	CONDITION_VARIABLE opened;
	bool timer, open;
	LONGLONG due; // of a timer: how long it takes, in -100 ns
} Gate;

// A thread of Go has three. If there are none left, kernel32 makes events.
static Gate gates[512];

// NAP is how long a timer takes at least, in 100 ns: Go's scheduler looks around every 20 microseconds while anything goes on,
// which takes time from what goes on.
enum { NAP = 1000 };

static LONG(WINAPI *delay)(BOOLEAN, const LARGE_INTEGER *);

// wine is whether there is Wine: elsewhere gates are of no use.
static bool wine(void)
{
	static volatile LONG known; // 1: no, 2: yes

	if (!known) {
		HMODULE ntdll = GetModuleHandleA("ntdll.dll");

		delay = (LONG(WINAPI *)(BOOLEAN, const LARGE_INTEGER *))(void *)GetProcAddress(ntdll, "NtDelayExecution");
		known = delay && GetProcAddress(ntdll, "wine_get_version") ? 2 : 1;
	}
	return known == 2;
}

// timers is whether timers may be gates. Where there are packets for them, as in later ones than Wine 10, Go has its network wait
// for them too.
static bool timers(void)
{
	static volatile LONG known; // 1: no, 2: yes

	if (!known)
		known = GetProcAddress(GetModuleHandleA("ntdll.dll"), "NtCreateWaitCompletionPacket") ? 1 : 2;
	return known == 2;
}

// gate returns the gate that a handle is, or NULL.
static Gate *gate(HANDLE h)
{
	uintptr_t at = (uintptr_t)h - (uintptr_t)gates;

	return at < sizeof gates ? (Gate *)h : NULL;
}

static HANDLE new_gate(bool timer)
{
	size_t i;

	for (i = 0; i < sizeof gates / sizeof *gates; i++) {
		Gate *g = &gates[i];

		if (g->used || InterlockedExchange(&g->used, 1))
			continue;
		g->timer = timer;
		g->open = false;
		return g;
	}
	return NULL;
}

static DWORD wait_at(Gate *g, DWORD ms)
{
	bool open;

	if (g->timer) {
		LARGE_INTEGER due = {.QuadPart = g->due < -NAP ? g->due : -NAP};

		delay(FALSE, &due);
		return WAIT_OBJECT_0;
	}
	AcquireSRWLockExclusive(&g->lock);
	while (!g->open && SleepConditionVariableSRW(&g->opened, &g->lock, ms, 0))
		;
	open = g->open;
	g->open = false;
	ReleaseSRWLockExclusive(&g->lock);
	return open ? WAIT_OBJECT_0 : WAIT_TIMEOUT;
}

static void open_gate(Gate *g)
{
	AcquireSRWLockExclusive(&g->lock);
	g->open = true;
	WakeConditionVariable(&g->opened);
	ReleaseSRWLockExclusive(&g->lock);
}

static void *real(void *volatile *known, const char *name)
{
	if (!*known)
		*known = (void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), name);
	return *known;
}

// A REAL is the function of kernel32 that a STAND_IN stands in for.
#define REAL(type, name, arguments) ((type(WINAPI *) arguments)real(&real_##name, #name))

// A STAND_IN is a function of kernel32 for the linker, by its name and the octets of its arguments: itself, and where calls of
// imported functions look for it.
#ifdef __i386__
#define LABEL(name, octets) "_" #name "@" #octets
#define PLACE(name, octets) "__imp__" #name "@" #octets
#else
#define LABEL(name, octets) #name
#define PLACE(name, octets) "__imp_" #name
#endif
#define STAND_IN(type, name, octets, arguments) \
	static void *volatile real_##name; \
	type WINAPI our_##name arguments __asm__(LABEL(name, octets)); \
	extern void *const place_##name __asm__(PLACE(name, octets)); \
	void *const place_##name = (void *)our_##name; \
	type WINAPI our_##name arguments

STAND_IN(HANDLE, CreateEventA, 16, (SECURITY_ATTRIBUTES *security, BOOL manual, BOOL initial, const char *name))
{
	HANDLE h = !security && !manual && !initial && !name && wine() ? new_gate(false) : NULL;

	return h ? h : REAL(HANDLE, CreateEventA, (SECURITY_ATTRIBUTES *, BOOL, BOOL, const char *))(security, manual, initial, name);
}

STAND_IN(HANDLE, CreateWaitableTimerExW, 16, (SECURITY_ATTRIBUTES *security, const wchar_t *name, DWORD flags, DWORD access))
{
	HANDLE h = !security && !name && wine() && timers() ? new_gate(true) : NULL;

	if (h)
		return h;
	return REAL(HANDLE, CreateWaitableTimerExW, (SECURITY_ATTRIBUTES *, const wchar_t *, DWORD, DWORD))(security, name, flags, access);
}

STAND_IN(BOOL, SetEvent, 4, (HANDLE h))
{
	Gate *g = gate(h);

	if (!g)
		return REAL(BOOL, SetEvent, (HANDLE))(h);
	open_gate(g);
	return TRUE;
}

STAND_IN(BOOL, SetWaitableTimer, 24, (HANDLE h, const LARGE_INTEGER *due, LONG period, void *done, void *with, BOOL resume))
{
	Gate *g = gate(h);

	if (!g)
		return REAL(BOOL, SetWaitableTimer, (HANDLE, const LARGE_INTEGER *, LONG, void *, void *, BOOL))
			(h, due, period, done, with, resume);
	g->due = due->QuadPart;
	return TRUE;
}

STAND_IN(DWORD, WaitForSingleObject, 8, (HANDLE h, DWORD ms))
{
	Gate *g = gate(h);

	return g ? wait_at(g, ms) : REAL(DWORD, WaitForSingleObject, (HANDLE, DWORD))(h, ms);
}

// Go waits for two events, the second of which tells that the machine slept, which makes it look at the time.
STAND_IN(DWORD, WaitForMultipleObjects, 16, (DWORD count, const HANDLE *all, BOOL every, DWORD ms))
{
	Gate *g = count ? gate(*all) : NULL;

	return g ? wait_at(g, ms) : REAL(DWORD, WaitForMultipleObjects, (DWORD, const HANDLE *, BOOL, DWORD))(count, all, every, ms);
}

STAND_IN(BOOL, CloseHandle, 4, (HANDLE h))
{
	Gate *g = gate(h);

	if (!g)
		return REAL(BOOL, CloseHandle, (HANDLE))(h);
	g->used = 0;
	return TRUE;
}
