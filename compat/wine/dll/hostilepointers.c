// Pointers that a game should not give, and some that it may.
#include "hostile.h"
#include <string.h>

enum { PAGE = 4096, PAGES = 16 };

static unsigned char *edge;     // where readable memory ends
static unsigned char *guarded;  // a page whose protection changes
static unsigned char *freed, *reserved, *forbidden, *decommitted;

static unsigned char *pages(int count, DWORD kind, DWORD protection)
{
	unsigned char *p = VirtualAlloc(NULL, count * PAGE, kind, protection);
	if (!p)
		ExitProcess(3);
	return p;
}

void hostile_start(void)
{
	DWORD old;
	unsigned char *p = pages(PAGES + 1, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	edge = p + PAGES * PAGE;
	VirtualProtect(edge, PAGE, PAGE_NOACCESS, &old);
	guarded = pages(PAGES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	forbidden = pages(PAGES, MEM_RESERVE | MEM_COMMIT, PAGE_NOACCESS);
	reserved = pages(PAGES, MEM_RESERVE, PAGE_NOACCESS);
	decommitted = pages(PAGES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	VirtualFree(decommitted, PAGES * PAGE, MEM_DECOMMIT);
}

// released is allocated and freed anew each time, for what is freed may be somebody else's the next time.
static void *released(void)
{
	freed = pages(PAGES, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	VirtualFree(freed, 0, MEM_RELEASE);
	return freed;
}

// ending returns a place with the first some of the octets, behind which memory ends.
static void *ending(const void *good, size_t some)
{
	return memcpy(edge - some, good, some);
}

static void *protected(const void *good, size_t size, DWORD protection)
{
	static DWORD given;
	DWORD old;
	VirtualProtect(guarded, PAGES * PAGE, PAGE_READWRITE, &old);
	if (given && old != given)
		ExitProcess(4); // a guard that is gone may be that of a stack
	given = protection;
	memcpy(guarded, good, size);
	VirtualProtect(guarded, PAGES * PAGE, protection, &old);
	return guarded;
}

void *hostile_pointer(int variant, const void *good, size_t size, BOOL written, enum class *class)
{
	static unsigned char room[ROOM + 16];
	*class = BAD;
	switch (variant) {
	case 0:
		*class = NONE;
		return NULL;
	case 1: return (void *)1;
	case 2: return (void *)0x10;
	case 3: return (void *)0xFFFF;
	case 4: return (void *)(uintptr_t)-1;
	case 5: return (void *)(uintptr_t)-16;
	case 6: return (void *)((uintptr_t)1 << (8 * sizeof(void *) - 1)); // the kernel's, or no address at all
	case 7: return (void *)((uintptr_t)-1 / 16 * 15);
	case 8: return released();
	case 9: return reserved + 8;
	case 10: return forbidden + 8;
	case 11: return decommitted + 8;
	case 12: return protected(good, size, PAGE_NOACCESS);
	case 13: return edge;
	case 14: return size > 1 ? ending(good, 1) : edge;
	case 15: return ending(good, size - 1);
	case 16: return ending(good, size / 2);
	case 17: return protected(good, size, PAGE_READWRITE | PAGE_GUARD);
	}
	if (variant > 18)
		*class = ODD;
	else if (!written)
		*class = ODD; // to be read, it is as good as any
	switch (variant) {
	case 18: return protected(good, size, PAGE_READONLY);
	case 19: return memcpy(room + 1, good, size);
	default: return ending(good, size);
	}
}

uintptr_t hostile_number(int variant)
{
	static const uint32_t numbers[VARIANTS] = {
		0xFFFFFFFF, 0xFFFFFFFE, 0x80000000, 0x80000001, 0x7FFFFFFF, 0x7FFFFFF0, 0xDEADBEEF, 0x0BADF00D, 0x40000000, 0xC0000000,
		0x01000001, 0x00FFFFFF, 0x55555555, 0xAAAAAAAA, 0x12345678, 0x87654321, 0xFFFF0001, 0xF0F0F0F0, 0x0F0F0F0F, 0x76543210,
		0x00010001,
	};
	return numbers[variant];
}

void *hostile_unended(BOOL wide)
{
	unsigned char *begin = edge - PAGES * PAGE + (wide ? 0 : 1);
	memset(begin, 'A', edge - begin);
	return begin;
}
