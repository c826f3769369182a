// Requests on their way to Go and back.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "datagrams.h"
#include "shell.h"

// spare is how many workers may wait for requests: one takes a request, another one is there for the next.
enum { SPARE = 2 };

// START is how long a call waits for Go to begin, in ms. It cannot while the caller is in the DllMain of another DLL.
enum { START = 10000 };

static SRWLOCK lock = SRWLOCK_INIT;
static CONDITION_VARIABLE work = CONDITION_VARIABLE_INIT;
static CONDITION_VARIABLE answered = CONDITION_VARIABLE_INIT;
static Request *first, **last = &first;
static unsigned waiting;
static bool begun; // Go has

bool ending(void)
{
	static BOOLEAN(WINAPI * volatile in_shutdown)(void);

	if (!in_shutdown) {
		HMODULE ntdll = GetModuleHandleA("ntdll.dll");
		in_shutdown = (BOOLEAN(WINAPI *)(void))(void *)GetProcAddress(ntdll, "RtlDllShutdownInProgress");
	}
	return in_shutdown && in_shutdown();
}

// take_back takes a request out of the list. The lock is held.
static void take_back(Request *r)
{
	Request **at;

	for (at = &first; *at != r; at = &(*at)->next)
		;
	*at = r->next;
	if (!r->next)
		last = at;
	r->result = DPERR_GENERIC;
}

HRESULT ask(Request *r)
{
	if (ending())
		return r->result = DPERR_GENERIC;
	r->next = NULL;
	r->done = 0;
	AcquireSRWLockExclusive(&lock);
	*last = r;
	last = &r->next;
	ReleaseSRWLockExclusive(&lock);
	WakeConditionVariable(&work); // whoever wakes takes the lock
	AcquireSRWLockExclusive(&lock);
	while (!r->done) {
		if (SleepConditionVariableSRW(&answered, &lock, begun ? INFINITE : START, 0) || begun)
			continue;
		take_back(r);
		break;
	}
	ReleaseSRWLockExclusive(&lock);
	return r->result;
}

// wait_for_work waits for a request, and sends datagrams meanwhile. The lock is held.
static void wait_for_work(void)
{
	waiting++;
	while (!first) {
		if (is_posted()) {
			ReleaseSRWLockExclusive(&lock);
			send_posted();
			AcquireSRWLockExclusive(&lock);
		} else {
			SleepConditionVariableSRW(&work, &lock, INFINITE, 0);
		}
	}
	waiting--;
}

void wake_worker(void)
{
	AcquireSRWLockExclusive(&lock);
	WakeConditionVariable(&work);
	ReleaseSRWLockExclusive(&lock);
}

Request *next_request(Request *finished)
{
	Request *r = NULL;

	AcquireSRWLockExclusive(&lock);
	begun = true;
	if (finished) {
		finished->done = 1;
		ReleaseSRWLockExclusive(&lock);
		WakeAllConditionVariable(&answered);
		AcquireSRWLockExclusive(&lock);
	}
	if (first || waiting < SPARE) {
		wait_for_work();
		r = first;
		first = r->next;
		if (!first)
			last = &first;
		r->alone = waiting == 0;
		if (first || is_posted())
			WakeConditionVariable(&work);
	}
	ReleaseSRWLockExclusive(&lock);
	return r;
}

void begin_request(Request *r, void *face, uint32_t method)
{
	memset(r, 0, offsetof(Request, room));
	r->method = method;
	if (face) {
		r->object = ((Face *)face)->object->number;
		r->wide = ((Face *)face)->wide;
	}
}

HRESULT call(void *face, uint32_t method, int count, ...)
{
	Request r;
	va_list numbers;
	int i;

	begin_request(&r, face, method);
	va_start(numbers, count);
	for (i = 0; i < count; i++)
		r.number[i] = va_arg(numbers, DWORD);
	va_end(numbers);
	ask(&r);
	return end_request(&r);
}

// A Chunk is memory of a request, in front of its octets.
typedef union Chunk {
	union Chunk *next;
	uint64_t align[2];
} Chunk;

void *request_room(Request *r, size_t size)
{
	size_t rounded = (size + 7) & ~(size_t)7;
	void *p;
	Chunk *c;

	if (rounded >= size && rounded <= sizeof r->room - r->used) {
		p = (char *)r->room + r->used;
		r->used += (uint32_t)rounded;
		return p;
	}
	if (size > SIZE_MAX / 2)
		return NULL;
	c = malloc(sizeof *c + size);
	if (!c)
		return NULL;
	c->next = r->chunks;
	r->chunks = c;
	return c + 1;
}

HRESULT end_request(Request *r)
{
	Item *item, *next;
	Chunk *c;

	for (item = r->items; item; item = next) {
		next = item->next;
		free(item);
	}
	r->items = r->last_item = NULL;
	while ((c = r->chunks)) {
		r->chunks = c->next;
		free(c);
	}
	return r->result;
}

Item *add_item(Request *r, uint32_t size, uint32_t more_size)
{
	size_t begin = (sizeof(Item) + 15) & ~(size_t)15, rounded = ((size_t)size + 15) & ~(size_t)15;
	Item *item = calloc(1, begin + rounded + more_size);

	if (!item)
		return NULL;
	item->block = (char *)item + begin;
	item->size = size;
	item->more = (char *)item->block + rounded;
	item->more_size = more_size;
	if (r->last_item)
		r->last_item->next = item;
	else
		r->items = item;
	r->last_item = item;
	return item;
}

void set_event(uint64_t handle)
{
	SetEvent((HANDLE)(uintptr_t)handle);
}
