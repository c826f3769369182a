// What a launcher and the game that it starts have in common. Built with UNICODE both use the interfaces for UTF-16.
#ifndef LOBBY_H
#define LOBBY_H

#define COBJMACROS
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdio.h>
#include <stdlib.h>
#include <tchar.h>

#ifdef UNICODE
#define TEXT_FORMAT "%ls"
#define SIDE(wide, narrow) wide
#else
#define TEXT_FORMAT "%s"
#define SIDE(wide, narrow) narrow
#endif

// PATIENCE is how long one waits for the other, in ms.
enum { PATIENCE = 60000 };

static const GUID application = {0x5a1f7c32, 0x44d0, 0x4e8b, {0x91, 0x6e, 0x0c, 0x52, 0xf3, 0x77, 0xa8, 0x19}};

static inline void say(const char *format, ...) __attribute__((format(gnu_printf, 1, 2)));
static inline void say(const char *format, ...)
{
	char line[512];
	va_list list;
	va_start(list, format);
	int size = vsnprintf(line, sizeof line - 1, format, list);
	va_end(list);
	if (size < 0 || size > (int)sizeof line - 2)
		size = sizeof line - 2;
	line[size++] = '\n';
	DWORD written; // in one piece, for launcher and game write into the same file
	WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), line, size, &written, NULL);
}

static inline const char *guid_text(const GUID *g, char text[40])
{
	snprintf(text, 40, "{%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}", (unsigned long)g->Data1, g->Data2, g->Data3,
		 g->Data4[0], g->Data4[1], g->Data4[2], g->Data4[3], g->Data4[4], g->Data4[5], g->Data4[6], g->Data4[7]);
	return text;
}

// want ends the program if a method did not answer as it should.
static inline void want(const char *who, const char *what, HRESULT code, HRESULT wanted)
{
	if (code == wanted)
		return;
	say("%s: %s: 0x%08lx, not 0x%08lx", who, what, (unsigned long)code, (unsigned long)wanted);
	ExitProcess(1);
}

// want_event ends the program if nothing happens.
static inline void want_event(const char *who, const char *what, HANDLE event)
{
	if (WaitForSingleObject(event, PATIENCE) == WAIT_OBJECT_0)
		return;
	say("%s: %s: nothing came", who, what);
	ExitProcess(1);
}

#endif
