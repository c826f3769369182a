/* Command lines: words between blanks. "A word in quotes" may hold blanks, and \" and \\; it is never taken
 * for an option. An option is key=value, key="a value", or the bare key. */
#include "client.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char bad_word[160];

static struct block {
	struct block *next;
} *blocks;

void *word_memory(DWORD size)
{
	struct block *b = calloc(1, sizeof *b + size);
	if (!b)
		ExitProcess(5);
	b->next = blocks;
	blocks = b;
	return b + 1;
}

void release_words(void)
{
	while (blocks) {
		struct block *b = blocks;
		blocks = b->next;
		free(b);
	}
	bad_word[0] = 0;
}

static void bad(const char *what, const char *word)
{
	if (!bad_word[0])
		snprintf(bad_word, sizeof bad_word, "%s: %.80s", what, word);
}

static BOOL blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Takes quotes and backslashes out of the word that begins at in, in place; *rest is where the next one may
 * begin. Gives FALSE if a quote is not closed. */
static BOOL unquote(char *in, char **rest)
{
	char *out = in;
	BOOL quoted = FALSE;
	for (; *in && (quoted || !blank(*in)); in++) {
		if (*in == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && *in == '\\' && (in[1] == '"' || in[1] == '\\'))
			in++;
		*out++ = *in;
	}
	*rest = *in ? in + 1 : in;
	*out = 0;
	return !quoted;
}

char *first_word(char **line)
{
	char *word = *line;
	while (blank(*word))
		word++;
	unquote(word, line);
	return word;
}

/* The letter of an option with a value, ' ' of one without; 0 if options does not have that key. */
static char option_kind(const char *options, const char *key, size_t n)
{
	while (*options) {
		size_t length = strcspn(options, "= ");
		BOOL valued = options[length] == '=';
		if (length == n && !strncmp(options, key, n))
			return valued ? options[length + 1] : ' ';
		options += length + (valued ? 2 : 0);
		while (*options == ' ')
			options++;
	}
	return 0;
}

/* Notes the word as an option if options has it. */
static BOOL take_option(char *word, const char *options, struct args *a)
{
	size_t n = strcspn(word, "=");
	char *value = word[n] ? word + n + 1 : NULL;
	char kind = option_kind(options, word, n);
	if (!kind || a->noptions == MAX_OPTIONS)
		return FALSE;
	if (!value != (kind == ' '))
		bad(value ? "this option has no value" : "this option needs a value", word);
	else if (value)
		good_word(kind, value);
	word[n] = 0;
	a->option[a->noptions].key = word;
	a->option[a->noptions++].value = value ? value : "";
	return TRUE;
}

const char *split(char *line, const char *options, struct args *a)
{
	memset(a, 0, sizeof *a);
	for (;;) {
		char *word;
		BOOL quoted;
		while (blank(*line))
			line++;
		if (!*line)
			return NULL;
		word = line;
		quoted = *line == '"';
		if (!unquote(word, &line))
			return "a quote is not closed";
		if (!quoted && take_option(word, options, a))
			continue;
		if (a->n == MAX_ARGS)
			return "too many words";
		a->word[a->n++] = word;
	}
}

const char *option(const struct args *a, const char *key)
{
	int i;
	for (i = 0; i < a->noptions; i++)
		if (!strcmp(a->option[i].key, key))
			return a->option[i].value;
	return NULL;
}

DWORD number(const char *word)
{
	char *end;
	DWORD v;
	errno = 0;
	v = strtoul(word, &end, word[0] == '0' && (word[1] | 0x20) == 'x' ? 16 : 10); /* no octal: 010 is ten */
	if (end == word || *end || *word == '-' || errno)
		bad("not a number", word);
	return v;
}

DPID dpid(const char *word) { return strcmp(word, "all") ? number(word) : DPID_ALLPLAYERS; }

BOOL guid(const char *word, GUID *g)
{
	unsigned v[11];
	int i, end = 0;
	const char *form = *word == '{' ? "{%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x}%n" : "%8x-%4x-%4x-%2x%2x-%2x%2x%2x%2x%2x%2x%n";
	if (sscanf(word, form, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7, v + 8, v + 9, v + 10, &end) != 11 || !end || word[end])
		return FALSE;
	g->Data1 = v[0];
	g->Data2 = v[1];
	g->Data3 = v[2];
	for (i = 0; i < 8; i++)
		g->Data4[i] = v[3 + i];
	return TRUE;
}

WCHAR *wide(const char *word)
{
	WCHAR *w;
	int n;
	if (!word)
		return NULL;
	n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, word, -1, NULL, 0);
	if (!n) {
		bad("not UTF-8", "");
		return NULL;
	}
	w = word_memory(n * sizeof *w);
	MultiByteToWideChar(CP_UTF8, 0, word, -1, w, n);
	return w;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

BYTE *octets(const char *word, DWORD *size)
{
	size_t n = word ? strlen(word) : 0, i;
	BYTE *b;
	*size = 0;
	if (!n)
		return NULL;
	b = word_memory(n / 2 + 1);
	for (i = 0; i + 1 < n && digit(word[i]) >= 0 && digit(word[i + 1]) >= 0; i += 2)
		b[i / 2] = digit(word[i]) << 4 | digit(word[i + 1]);
	if (i != n) {
		bad("not hexadecimal octets", word);
		return NULL;
	}
	*size = n / 2;
	return b;
}

void good_word(char kind, const char *word)
{
	DWORD size;
	GUID g;
	switch (kind) {
	case 'n': number(word); break;
	case 'i': dpid(word); break;
	case 'h': octets(word, &size); break;
	case 's': wide(word); break;
	case 'g':
		if (!guid(word, &g))
			bad("not a GUID", word);
	}
}
