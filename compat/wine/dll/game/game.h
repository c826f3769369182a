/* What the files of the game share. The game is a program of ours that calls DirectPlay as a game of 1997 does, call by
 * call (facts, dll 1): it looks for a session or opens one, waits in a menu, plays in lockstep, and leaves. It measures
 * every call, and says what it saw as lines of JSON: whether that is right its reader judges. */
#ifndef GAME_H
#define GAME_H

#include "../../client/client.h"

/* ---- what it is told, as KEY=VALUE ---- */

struct options {
	const char *role;     /* host, join, or lobby: what the lobby says */
	const char *name;     /* of its player, short and long */
	const char *session;  /* its name */
	const char *password; /* "" as games have it, not NULL */
	const char *wrong;    /* a password to try first; NULL: none */
	const char *provider; /* guid, or words: how the service provider is chosen */
	const char *leave;    /* close, or release: how the session is left */
	DWORD players;        /* that play, itself among them */
	DWORD flags;          /* of the session */
	DWORD locked;         /* flags of the session from the start of the play on; 0: they stay */
	DWORD search;         /* flags of EnumSessions */
	DWORD turns, turn;    /* how many, and how long each is in milliseconds */
	DWORD large[4];       /* sizes of guaranteed messages after the play; 0: no more */
	BOOL group;           /* the host makes a group, and everybody enters it */
	BOOL takes_over;      /* who becomes host begins the play */
	DWORD status;         /* it joins with DPOPEN_RETURNSTATUS, and asks once */
};

extern struct options options;

/* ---- calls.c: how long calls take ---- */

enum call {
	ENUMERATE, CREATE, QUERY_INTERFACE, ENUM_SESSIONS, OPEN, CREATE_PLAYER, ENUM_PLAYERS, SET_SESSION_DESC, SEND, RECEIVE,
	CREATE_GROUP, ENUM_GROUPS, ENUM_GROUP_PLAYERS, ADD_PLAYER_TO_GROUP, CLOSE, DESTROY_PLAYER, RELEASE, LOBBY_CREATE,
	GET_CONNECTION_SETTINGS, SET_CONNECTION_SETTINGS, CONNECT, GET_SESSION_DESC, CALLS
};

/* Measures one call: its value is the call's, which is in hr as well. */
#define CALL(which, expression) (call_begin(which), call_end((HRESULT)(expression)))

void calls_start(void);
void call_begin(enum call which);
HRESULT call_end(HRESULT result);
DWORD call_last(void); /* how long the last call took, in microseconds */
void json_calls(void); /* all of them, inside an object */

/* Times in microseconds, from the same clock. json_times gives how many, the median and the worst. */
struct times {
	DWORD *all;
	DWORD n, room;
};
DWORD microseconds(void);
void time_add(struct times *t, DWORD us);
void json_times(struct times *t);

/* ---- menu.c: until the play begins ---- */

void choose_provider(void);
void host_session(void);
void join_session(void);
void enter_session(void); /* makes the player, and learns who is there */
void wait_in_menu(void);  /* until the play begins */
DPSESSIONDESC2 *session_description(void); /* of the session that we are in; free it */

/* ---- lobby.c: what a game does that a lobby started ---- */

void lobby_session(void);

/* ---- groups.c ---- */

void make_group(void);   /* the host, before others come */
void enter_group(void);  /* a joiner, once it is in the session */
void talk_to_group(void);
BOOL group_complete(void); /* everybody is in it */
void group_member(DPID group, DPID player);
void json_group(void);

/* ---- players.c: who is there, and what they said ---- */

#define MAX_PLAYERS 8
#define MAX_TURNS 1000

struct player {
	DPID id;
	BOOL here;            /* not destroyed */
	BOOL given_up;        /* Send said INVALIDPLAYER */
	BOOL done;            /* it has played all its turns and said so */
	BOOL member;          /* of the group */
	BYTE got[MAX_TURNS];  /* how often each turn came */
	DWORD turns, twice, damaged, acknowledged;
	DWORD menu, next_menu; /* menu messages to all, and the number of the next one; 0: none came */
	DWORD asides, told;   /* menu messages from it to us alone, and from us to it alone */
	DWORD group;          /* messages to the group */
	DWORD gaps;           /* guaranteed messages that are missing */
	DWORD large[4], nlarge;
};

extern struct player others[MAX_PLAYERS]; /* all who ever were there; here tells who is */
extern DWORD nothers;
struct player *other(DPID id);     /* NULL: it never was there */
struct player *other_comes(DPID id);
DWORD here(void);                  /* how many of the others are */
void json_others(void);

/* ---- messages.c: what the players say to each other ---- */

enum kind { MENU = 'm', ASIDE = 'o', START = 's', TURN = 't', ACKNOWLEDGE = 'a', LARGE = 'l', GROUP = 'g', DONE = 'd', FAREWELL = 'f' };

#define HEADER 4 /* kind, zero, and a number of 16 bits, low octet first */

DWORD menu_size(DWORD number); /* 4 to 148 */
DWORD turn_size(DWORD number); /* 34 to 499 */

/* Send one; what follows the header is drawn from who says it and the number. send_message asks again until DirectPlay takes it,
 * or says that there is no such player. */
HRESULT send_message(DPID to, enum kind kind, DWORD number, DWORD size, BOOL guaranteed);
void receive_all(void); /* until there are no more */
void json_received(void);

extern struct heard {
	BOOL start;    /* the play begins */
	DWORD players; /* that play */
	BOOL host;     /* we are host */
	BOOL lost;     /* the session is */
} heard;

/* ---- play.c ---- */

void play(void);        /* the lockstep */
void large_messages(void);
void finish(void);      /* waits until everybody has done the same */
void json_turns(void);

/* ---- game.c ---- */

extern IDirectPlay3A *game;
extern HRESULT hr; /* of the last call */
extern DPID me;
extern const GUID application;

void must(const char *what, BOOL ok); /* ends the game if it is not so; hr is told */
void still_alive(void);               /* the game goes on: its watch begins anew */
void event(const char *name);         /* begins a line */
void leave(void);

#endif
