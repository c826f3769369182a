/* What the files of the client share. Strings are UTF-16 inside, as IDirectPlay4 takes them, and UTF-8 in
 * commands; output is ASCII with \uXXXX. Only the main thread runs commands and writes lines. */
#ifndef CLIENT_H
#define CLIENT_H

#define COBJMACROS
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>

#define MAX_LINE (512 * 1024)   /* of a command, in octets: 60,000 octets in hexadecimal fit */
#define MAX_DATA (1024 * 1024)  /* of one message or of a player's data */
#define MAX_ARGS 16             /* words of a command without its options */
#define MAX_OPTIONS 8

/* ---- json.c: one object a line on standard output ---- */

void json_begin(const char *kind, const char *name); /* {"kind":"name","t":milliseconds since the start */
void json_end(void);                                 /* } and out it goes */
void json_text(const char *key, const char *ascii);
void json_wide(const char *key, const WCHAR *text); /* NULL gives null */
void json_number(const char *key, DWORD v);
void json_bool(const char *key, BOOL v);
void json_word(const char *key, DWORD v);           /* "0x000384c9": ids, flags */
void json_guid(const char *key, const GUID *g);
void json_octets(const char *data, const void *p, DWORD n); /* "size", "crc32", and the octets under data if they are few */
void json_hresult(HRESULT hr);                              /* "hr" by name and "hr_hex" */
void json_open(const char *key, char bracket);              /* { or [; key may be NULL inside an array */
void json_close(char bracket);                              /* } or ] */
void json_fatal(const char *event, const char *detail);     /* a line from any thread, just before the end */
extern DWORD json_hex_limit;                                /* more octets than these are not written out */
extern DWORD start_tick;

/* ---- words.c: command lines into words ---- */

struct option {
	const char *key, *value; /* value is "" for a bare flag */
};

struct args {
	int n;
	const char *word[MAX_ARGS];
	int noptions;
	struct option option[MAX_OPTIONS];
};

/* Takes the first word off a line, and the others into a. A word that begins with a quote is never an option;
 * options lists those that the command knows. split gives NULL or what is wrong; what is wrong with a value it
 * notes in bad_word. Both write into the line, which has to outlive a. */
char *first_word(char **line);
const char *split(char *line, const char *options, struct args *a);
const char *option(const struct args *a, const char *key); /* NULL if it was not given */

/* Each of these notes the first error of a command in bad_word, and gives 0 or NULL. good_word tries one by its
 * letter: n number, i id, h hexadecimal octets, s text, g GUID. A command runs only when all its words are good. */
extern char bad_word[160];
void good_word(char kind, const char *word);
DWORD number(const char *word);
DPID dpid(const char *word); /* "all" is 0 */
BOOL guid(const char *word, GUID *g);
WCHAR *wide(const char *word);               /* NULL for NULL; valid until release_words */
BYTE *octets(const char *word, DWORD *size); /* hexadecimal; NULL and 0 for NULL or ""; valid until release_words */
void *word_memory(DWORD size);               /* valid until release_words */
void release_words(void);

/* ---- hresult.c ---- */

const char *hresult_name(HRESULT hr); /* "DPERR_TIMEOUT"; "UNKNOWN" */

/* ---- the object under test, and the state that commands share ---- */

extern IDirectPlay4 *dp;     /* NULL before open-provider and after quit */
extern DPID first_player;    /* from whom send and chat go out if nobody is named; 0: no player yet */
extern HANDLE message_event; /* DirectPlay sets it when a message for a local player is there */

/* A command gives its HRESULT and may add fields to the result line, which is begun already. */
typedef HRESULT command(const struct args *a);

command cmd_open_provider, cmd_providers, cmd_caps, cmd_enum, cmd_join, cmd_host, cmd_session, cmd_set_session, cmd_close;
command cmd_create_player, cmd_destroy_player, cmd_players, cmd_set_player_name, cmd_set_player_data, cmd_player_data;
command cmd_create_group, cmd_destroy_group, cmd_groups, cmd_add_to_group, cmd_remove_from_group, cmd_set_group_name, cmd_set_group_data;
command cmd_send, cmd_send_size, cmd_chat, cmd_queue;

void json_session(const DPSESSIONDESC2 *d); /* its fields, inside an object */
void json_name(const DPNAME *name);         /* "short" and "long" */
void player_gone(DPID id);

/* Takes all waiting messages from DirectPlay and writes an event line for each. */
void pump(void);
/* How many events of that name were written since the start. */
DWORD events_seen(const char *name);

#endif
