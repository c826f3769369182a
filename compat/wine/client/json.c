/* Output: one JSON object a line. A line is put together in memory and written at once, so that it is whole
 * or not there. */
#include "client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DWORD json_hex_limit = 1024;
DWORD start_tick;

static char *buffer;
static size_t used, room;
static BOOL first = TRUE; /* no comma before the next value */

static void put(const char *s, size_t n)
{
	if (used + n + 1 > room) {
		room = (used + n + 1) * 2;
		buffer = realloc(buffer, room);
		if (!buffer)
			ExitProcess(5);
	}
	memcpy(buffer + used, s, n);
	used += n;
	buffer[used] = 0;
}

static void puts_(const char *s) { put(s, strlen(s)); }

static void put_unit(unsigned u)
{
	char t[8];
	if (u == '"' || u == '\\')
		sprintf(t, "\\%c", u);
	else if (u < 0x20 || u > 0x7e)
		sprintf(t, "\\u%04x", u & 0xffff);
	else
		sprintf(t, "%c", u);
	puts_(t);
}

static void quoted(const char *ascii)
{
	puts_("\"");
	for (; *ascii; ascii++)
		put_unit((unsigned char)*ascii);
	puts_("\"");
}

static void key_(const char *key)
{
	if (!first)
		puts_(",");
	first = FALSE;
	if (key) {
		quoted(key);
		puts_(":");
	}
}

void json_begin(const char *kind, const char *name)
{
	used = 0;
	first = TRUE;
	puts_("{");
	json_text(kind, name);
	json_number("t", GetTickCount() - start_tick);
}

static void write_out(const char *s, DWORD n)
{
	HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
	while (n) {
		DWORD done = 0;
		if (!WriteFile(out, s, n, &done, NULL) || !done)
			ExitProcess(6); /* nobody reads any more */
		s += done;
		n -= done;
	}
}

void json_end(void)
{
	puts_("}\n");
	write_out(buffer, used);
}

void json_fatal(const char *event, const char *detail)
{
	char line[300];
	int n = snprintf(line, sizeof line, "{\"event\":\"%s\",\"t\":%lu,\"detail\":\"%s\"}\n", event, GetTickCount() - start_tick, detail);
	write_out(line, n);
}

void json_text(const char *key, const char *ascii)
{
	key_(key);
	quoted(ascii);
}

void json_wide(const char *key, const WCHAR *text)
{
	key_(key);
	if (!text) {
		puts_("null");
		return;
	}
	puts_("\"");
	for (; *text; text++)
		put_unit(*text);
	puts_("\"");
}

static void json_raw(const char *key, const char *value)
{
	key_(key);
	puts_(value);
}

void json_number(const char *key, DWORD v)
{
	char t[16];
	sprintf(t, "%lu", v);
	json_raw(key, t);
}

void json_bool(const char *key, BOOL v) { json_raw(key, v ? "true" : "false"); }

void json_word(const char *key, DWORD v)
{
	char t[16];
	sprintf(t, "0x%08lx", v);
	json_text(key, t);
}

void json_guid(const char *key, const GUID *g)
{
	char t[40];
	sprintf(t, "{%08lx-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}", g->Data1, g->Data2, g->Data3, g->Data4[0], g->Data4[1],
		g->Data4[2], g->Data4[3], g->Data4[4], g->Data4[5], g->Data4[6], g->Data4[7]);
	json_text(key, t);
}

/* The CRC-32 of IEEE 802.3, as zip and PNG have it. */
static DWORD crc32(const BYTE *p, DWORD n)
{
	DWORD crc = 0xffffffff;
	while (n--) {
		int i;
		crc ^= *p++;
		for (i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

void json_octets(const char *key, const void *p, DWORD n)
{
	static const char digit[] = "0123456789abcdef";
	const BYTE *b = p;
	DWORD i;
	json_number("size", n);
	json_word("crc32", crc32(b, n));
	if (n > json_hex_limit)
		return;
	key_(key);
	puts_("\"");
	for (i = 0; i < n; i++) {
		char t[2] = {digit[b[i] >> 4], digit[b[i] & 15]};
		put(t, 2);
	}
	puts_("\"");
}

void json_hresult(HRESULT hr)
{
	json_text("hr", hresult_name(hr));
	json_word("hr_hex", hr);
}

void json_open(const char *key, char bracket)
{
	char t[2] = {bracket, 0};
	key_(key);
	puts_(t);
	first = TRUE;
}

void json_close(char bracket)
{
	char t[2] = {bracket, 0};
	puts_(t);
	first = FALSE;
}
