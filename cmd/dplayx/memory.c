// The game's memory: whether it can be read and written, and copies of it. Go sees the copies alone.
#include <string.h>

#include "shell.h"

// longest_text is how many characters a text of the game may have.
enum { PAGE = 4096, LONGEST_TEXT = 32768, LARGEST_ADDRESS = 16384 };

// A Guard is the last page with PAGE_GUARD that a look at memory met. Wine's IsBadReadPtr lets the fault of such a page through,
// which ends the game; that of Windows says that it is bad, and leaves it without its guard, which a stack may need.
typedef struct Guard {
	void *page;
} Guard;

static DWORD looking; // where a thread keeps the Guard of its look

static void restore_guard(const Guard *g)
{
	MEMORY_BASIC_INFORMATION page;
	DWORD old;

	if (g->page && VirtualQuery(g->page, &page, sizeof page))
		VirtualProtect(g->page, 1, page.Protect | PAGE_GUARD, &old);
}

// meet_guard lets a look go on behind a guard, which the fault has taken away. No other fault is ours.
static LONG CALLBACK meet_guard(EXCEPTION_POINTERS *e)
{
	const EXCEPTION_RECORD *fault = e->ExceptionRecord;
	Guard *g;

	if (fault->ExceptionCode != EXCEPTION_GUARD_PAGE || !(g = TlsGetValue(looking)))
		return EXCEPTION_CONTINUE_SEARCH;
	restore_guard(g);
	g->page = (void *)fault->ExceptionInformation[1];
	return EXCEPTION_CONTINUE_EXECUTION;
}

void expect_guards(void)
{
	looking = TlsAlloc();
	AddVectoredExceptionHandler(1, meet_guard);
}

static bool can_use(void *p, size_t size, bool written)
{
	Guard g = {NULL};
	bool good;

	if (!p || size == 0)
		return p != NULL;
	TlsSetValue(looking, &g);
	good = written ? !IsBadWritePtr(p, size) : !IsBadReadPtr(p, size);
	TlsSetValue(looking, NULL);
	restore_guard(&g);
	return good && !g.page;
}

bool can_read(const void *p, size_t size)
{
	return can_use((void *)p, size, false);
}

bool can_write(void *p, size_t size)
{
	return can_use(p, size, true);
}

bool can_call(const void *function)
{
	return can_read(function, 1);
}

static bool copy(Request *r, Octets *to, const void *p, size_t size)
{
	void *room;

	if (size > UINT32_MAX || !can_read(p, size) || !(room = request_room(r, size + 1)))
		return false;
	memcpy(room, p, size);
	to->data = room;
	to->size = (uint32_t)size;
	return true;
}

void give_octets(Request *r, int block, const void *p, size_t size)
{
	if (p && !copy(r, &r->block[block], p, size))
		r->unreadable = 1;
}

void give_part(Request *r, Octets *to, const void *p, size_t size)
{
	if (!copy(r, to, p, size))
		r->unreadable = 1;
}

void give_guid(Request *r, int block, const GUID *g)
{
	give_octets(r, block, g, sizeof *g);
}

// text_size returns the octets of a text without its terminator. Each page is looked at before it is read.
static bool text_size(const void *text, bool wide, size_t *size)
{
	const size_t width = wide ? 2 : 1;
	const char *p = text;
	size_t n;

	for (n = 0; n < LONGEST_TEXT * width; n += width) {
		if ((n == 0 || (uintptr_t)(p + n) % PAGE < width) && !can_read(p + n, width))
			return false;
		if (wide ? !p[n] && !p[n + 1] : !p[n]) {
			*size = n;
			return true;
		}
	}
	return false;
}

void give_text(Request *r, Octets *to, const void *text, bool wide)
{
	size_t size;

	if (text && !(text_size(text, wide, &size) && copy(r, to, text, size)))
		r->unreadable = 1;
}

void give_name(Request *r, const DPNAME *n)
{
	Name *name;

	if (!n)
		return;
	if (!can_read(n, sizeof *n) || !(name = request_room(r, sizeof *name))) {
		r->unreadable = 1;
		return;
	}
	memset(name, 0, sizeof *name);
	give_text(r, &name->short_name, n->lpszShortName, r->wide);
	give_text(r, &name->long_name, n->lpszLongName, r->wide);
	r->name = name;
}

// give_desc takes a description whose size is wrong for one that has nothing else. One that cannot be read is none.
void give_desc(Request *r, const DPSESSIONDESC2 *d)
{
	Desc *desc;

	if (!can_read(d, sizeof d->dwSize) || !(desc = request_room(r, sizeof *desc)))
		return;
	memset(desc, 0, sizeof *desc);
	desc->wrong_size = d->dwSize != sizeof *d;
	if (!desc->wrong_size && !can_read(d, sizeof *d))
		return;
	r->desc = desc;
	if (desc->wrong_size)
		return;
	desc->flags = d->dwFlags;
	memcpy(desc->instance, &d->guidInstance, sizeof desc->instance);
	memcpy(desc->application, &d->guidApplication, sizeof desc->application);
	desc->max_players = d->dwMaxPlayers;
	desc->current_players = d->dwCurrentPlayers;
	give_text(r, &desc->name, d->lpszSessionName, r->wide);
	give_text(r, &desc->password, d->lpszPassword, r->wide);
	desc->reserved1 = (uint32_t)d->dwReserved1;
	desc->reserved2 = (uint32_t)d->dwReserved2;
	desc->user[0] = (uint32_t)d->dwUser1;
	desc->user[1] = (uint32_t)d->dwUser2;
	desc->user[2] = (uint32_t)d->dwUser3;
	desc->user[3] = (uint32_t)d->dwUser4;
}

void give_buffer(Request *r, int i, void *buffer, DWORD *size)
{
	uint64_t *number = r->number + i;

	number[BUFFER_GIVEN] = can_write(size, sizeof *size);
	number[BUFFER_NULL] = !buffer;
	number[BUFFER_SIZE] = number[BUFFER_GIVEN] ? *size : 0;
	number[BUFFER_ADDRESS] = (uintptr_t)buffer;
}

// Only what is written has to be writable: games name sizes that their buffers do not have.
HRESULT take_buffer(Request *r, int i, void *buffer, DWORD *size)
{
	const Item *item = r->items;

	if (!r->number[i + BUFFER_GIVEN] || (r->result != DP_OK && r->result != DPERR_BUFFERTOOSMALL))
		return r->result;
	if (r->result == DP_OK && item && item->size) {
		if (!can_write(buffer, item->size))
			return r->result = DPERR_INVALIDPARAMS;
		memcpy(buffer, item->block, item->size);
	}
	*size = (DWORD)r->number[i + BUFFER_SIZE];
	return r->result;
}

void give_place(Request *r, int number, void *place)
{
	r->number[number] = can_write(place, sizeof(DWORD));
	if (place && !r->number[number])
		r->unreadable = 1;
}
