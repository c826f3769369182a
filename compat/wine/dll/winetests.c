// Wine's tests of dplayx (dlls/dplayx/tests/dplayx.c of its source, which winetests.sh fetches and which is not in this tree) as
// a program that runs one function of them in a process:
//
//   winetests FUNCTION    WINETEST_PLATFORM and the other variables of Wine's tests are heeded
//
// chosen.c and functions.h are made by winetests.sh of that file.
#define COBJMACROS
#define INITGUID
#define STANDALONE
#define _WIN32_WINNT 0x0601
#define DECLSPEC_EXPORT // Wine's headers expect these two of its own compiler's flags and headers
#define __WINE_CRT_PRINTF_ATTR(format, first)
#include <windows.h>
#include <string.h>
#include "wine/test.h"

// chosen says whether this process is there for that function. The file's own list runs all of them in one process, where the
// first that crashes ends the rest; in winetests.sh's copy it asks here first.
static int chosen(const char *function)
{
	return !strcmp(current_test->name, function);
}

#undef START_TEST
#define START_TEST(name) static void all_##name(void)
#include "chosen.c"

#define FUNCTION(name) {#name, all_dplayx},
const struct test winetest_testlist[] = {
#include "functions.h"
	{NULL, NULL},
};

// What Wine's own libraries have for the texts of its debugging.

const char *__cdecl __wine_dbg_strdup(const char *text)
{
	static char kept[64][400];
	static int last;
	last = (last + 1) % 64;
	strncpy(kept[last], text, sizeof kept[last] - 1);
	return kept[last];
}

int __cdecl __wine_dbg_output(const char *text)
{
	(void)text;
	return 0;
}

unsigned char __cdecl __wine_dbg_get_channel_flags(struct __wine_debug_channel *channel)
{
	(void)channel;
	return 0;
}

int __cdecl __wine_dbg_header(enum __wine_debug_class class, struct __wine_debug_channel *channel, const char *function)
{
	(void)class, (void)channel, (void)function;
	return -1;
}
