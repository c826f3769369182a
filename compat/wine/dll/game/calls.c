/* How long calls take. A machine that is busy with other things stops any program for a while, in the middle of a call
 * too. A thread that does nothing but sleep for a millisecond at a time sees how long: what of a call falls into such a
 * stop is not the call's, so a call's own time is told as well, without it. */
#include "game.h"
#include <stdlib.h>

static const char *const names[CALLS] = {
	"DirectPlayEnumerate", "DirectPlayCreate", "QueryInterface", "EnumSessions", "Open", "CreatePlayer", "EnumPlayers",
	"SetSessionDesc", "Send", "Receive", "CreateGroup", "EnumGroups", "EnumGroupPlayers", "AddPlayerToGroup", "Close",
	"DestroyPlayer", "Release", "DirectPlayLobbyCreate", "GetConnectionSettings", "SetConnectionSettings", "Connect",
	"GetSessionDesc",
};

#define LATE 2000        /* microseconds beyond its millisecond by which the sleeper notices a stop */
#define STOPS 65536      /* of a run that are kept: more than any has */
#define WORTH_ASKING 5000 /* microseconds: shorter calls are no matter */

static LARGE_INTEGER frequency, origin;
static struct times whole[CALLS], own[CALLS];
static struct {
	DWORD from, to;
} stops[STOPS];
static volatile LONG nstops;
static enum call current;
static DWORD began, took;

/* A call that is worth asking about is looked at once the run is over: the sleeper is the last to know of a stop. */
static struct slow {
	enum call which;
	DWORD from, to;
} slow[4096];
static DWORD nslow;

DWORD microseconds(void)
{
	LARGE_INTEGER now;
	QueryPerformanceCounter(&now);
	return (DWORD)((now.QuadPart - origin.QuadPart) * 1000000 / frequency.QuadPart);
}

void time_add(struct times *t, DWORD us)
{
	if (t->n == t->room) {
		t->room = t->room ? t->room * 2 : 64;
		t->all = realloc(t->all, t->room * sizeof *t->all);
		if (!t->all)
			ExitProcess(5);
	}
	t->all[t->n++] = us;
}

static DWORD WINAPI sleeper(void *unused)
{
	DWORD last = microseconds();
	(void)unused;
	SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_NORMAL);
	for (;;) {
		DWORD now;
		Sleep(1);
		now = microseconds();
		if (now - last > LATE + 1000 && nstops < STOPS) {
			stops[nstops].from = last + 1000;
			stops[nstops].to = now;
			InterlockedIncrement(&nstops);
		}
		last = now;
	}
	return 0;
}

void calls_start(void)
{
	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&origin);
	CreateThread(NULL, 0, sleeper, NULL, 0, NULL);
}

void call_begin(enum call which)
{
	still_alive();
	current = which;
	began = microseconds();
}

HRESULT call_end(HRESULT result)
{
	DWORD now = microseconds();
	hr = result;
	took = now - began;
	time_add(&whole[current], took);
	if (took <= WORTH_ASKING || nslow == sizeof slow / sizeof *slow) {
		time_add(&own[current], took);
	} else {
		slow[nslow++] = (struct slow){current, began, now};
	}
	still_alive();
	return result;
}

DWORD call_last(void) { return took; }

/* What of a call does not fall into stops. */
static DWORD own_time(const struct slow *s)
{
	DWORD left = s->to - s->from;
	LONG i;
	for (i = 0; i < nstops; i++) {
		DWORD from = max(stops[i].from, s->from), to = min(stops[i].to, s->to);
		if (from < to)
			left -= min(to - from, left);
	}
	return left;
}

static int ascending(const void *a, const void *b)
{
	DWORD x = *(const DWORD *)a, y = *(const DWORD *)b;
	return x < y ? -1 : x > y;
}

void json_times(struct times *t)
{
	qsort(t->all, t->n, sizeof *t->all, ascending);
	json_number("n", t->n);
	json_number("median_us", t->n ? t->all[t->n / 2] : 0);
	json_number("worst_us", t->n ? t->all[t->n - 1] : 0);
}

void json_calls(void)
{
	int i;
	DWORD n;
	Sleep(5); /* the sleeper is to have noticed the last stop */
	for (n = 0; n < nslow; n++)
		time_add(&own[slow[n].which], own_time(&slow[n]));
	nslow = 0;
	json_open("calls", '{');
	for (i = 0; i < CALLS; i++) {
		if (!whole[i].n)
			continue;
		json_open(names[i], '{');
		json_times(&whole[i]);
		qsort(own[i].all, own[i].n, sizeof *own[i].all, ascending);
		json_number("own_worst_us", own[i].all[own[i].n - 1]);
		json_close('}');
	}
	json_close('}');
	json_number("stops", nstops);
}
