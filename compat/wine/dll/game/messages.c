/* What the players say to each other, and what DirectPlay says. A message is drawn from who says it and its number, so that
 * who gets it can tell whether it is whole. */
#include "game.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_BUFFER 64    /* octets: it grows by what DirectPlay says */
#define POLL_AGAIN 5       /* milliseconds until a message that was not taken is tried again */

struct heard heard;
static BYTE *buffer;
static DWORD room;
static DWORD received, empty, too_small;

DWORD menu_size(DWORD number) { return 4 + number * 16 % 145; }
DWORD turn_size(DWORD number) { return 34 + number * 5 % 466; }

/* ---- saying ---- */

static BYTE next_octet(DWORD *x)
{
	*x = *x * 1664525 + 1013904223;
	return *x >> 24;
}

static DWORD seed(DPID from, enum kind kind, DWORD number) { return from ^ kind << 24 ^ number; }

static void fill(BYTE *b, DPID from, enum kind kind, DWORD number, DWORD size)
{
	DWORD x = seed(from, kind, number), i;
	b[0] = kind;
	b[1] = 0;
	b[2] = number;
	b[3] = number >> 8;
	for (i = HEADER; i < size; i++)
		b[i] = next_octet(&x);
}

static void give_up(DPID to)
{
	struct player *p = other(to);
	if (p && p->here) {
		p->given_up = TRUE;
		p->here = FALSE;
	}
}

HRESULT send_message(DPID to, enum kind kind, DWORD number, DWORD size, BOOL guaranteed)
{
	BYTE *b = malloc(size);
	DWORD before = 0;
	must("memory", b != NULL);
	fill(b, me, kind, number, size);
	for (;;) {
		CALL(SEND, IDirectPlayX_Send(game, me, to, guaranteed ? DPSEND_GUARANTEED : 0, b, size));
		if (hr == DP_OK || hr == DPERR_INVALIDPLAYER)
			break;
		if (hr != (HRESULT)before) {
			event("send");
			json_word("to", to);
			json_hresult(hr);
			json_end();
			before = hr;
		}
		Sleep(POLL_AGAIN);
	}
	if (hr == DPERR_INVALIDPLAYER)
		give_up(to);
	free(b);
	return hr;
}

/* ---- hearing players ---- */

static BOOL intact(const BYTE *b, DWORD size, DPID from, DWORD number)
{
	DWORD x = seed(from, b[0], number), i;
	for (i = HEADER; i < size; i++)
		if (b[i] != next_octet(&x))
			return FALSE;
	return !b[1];
}

/* What each kind of message has to be, beside whole. */
static BOOL right_size(enum kind kind, DWORD number, DWORD size)
{
	switch (kind) {
	case MENU:
	case ASIDE:
	case GROUP:
		return size == menu_size(number);
	case TURN:
		return size == turn_size(number);
	case START:
	case ACKNOWLEDGE:
	case DONE:
	case FAREWELL:
		return size == HEADER;
	case LARGE:
		return number < 4;
	}
	return FALSE;
}

static void take_turn(struct player *p, DWORD number)
{
	if (number >= MAX_TURNS || p->got[number]++) {
		p->twice++;
		return;
	}
	p->turns++;
	send_message(p->id, ACKNOWLEDGE, number, HEADER, FALSE);
}

/* Who comes into the session late hears of the menu messages from some number on, and of each from then on. */
static void take_menu(struct player *p, DWORD number)
{
	if (p->menu && number != p->next_menu)
		p->gaps++;
	p->menu++;
	p->next_menu = number + 1;
}

static void take_message(DPID from, DPID to, const BYTE *b, DWORD size)
{
	struct player *p = other(from);
	DWORD number = size >= HEADER ? b[2] | b[3] << 8 : 0;
	if (!p)
		p = other_comes(from); /* its creation is told later */
	if (!p || size < HEADER || to != me || !right_size(b[0], number, size) || !intact(b, size, from, number)) {
		event("damaged");
		json_word("from", from);
		json_word("to", to);
		json_octets("data", b, size);
		json_end();
		if (p)
			p->damaged++;
		return;
	}
	switch ((enum kind)b[0]) {
	case MENU: take_menu(p, number); break;
	case ASIDE: p->gaps += number != p->asides++; break;
	case GROUP: p->group++; break;
	case START: heard.start = TRUE, heard.players = number; break;
	case TURN: take_turn(p, number); break;
	case ACKNOWLEDGE: p->acknowledged++; break;
	case LARGE:
		if (p->nlarge < 4)
			p->large[p->nlarge++] = size;
		break;
	case DONE: p->done = TRUE; break;
	case FAREWELL: break;
	}
}

/* ---- hearing DirectPlay ---- */

static void tell_player(const char *what, DPID id, const DPNAME *name, DWORD players)
{
	event(what);
	json_word("id", id);
	json_text("short", name->lpszShortNameA ? name->lpszShortNameA : "");
	json_text("long", name->lpszLongNameA ? name->lpszLongNameA : "");
	json_number("count", players);
	json_end();
}

static void take_created(const DPMSG_CREATEPLAYERORGROUP *m)
{
	if (m->dwPlayerType != DPPLAYERTYPE_PLAYER)
		return;
	other_comes(m->dpId);
	tell_player("created", m->dpId, &m->dpnName, m->dwCurrentPlayers);
}

static void take_destroyed(const DPMSG_DESTROYPLAYERORGROUP *m)
{
	struct player *p = other(m->dpId);
	if (m->dwPlayerType != DPPLAYERTYPE_PLAYER)
		return;
	if (p)
		p->here = FALSE;
	tell_player("destroyed", m->dpId, &m->dpnName, here() + 1);
}

static void take_description(const DPMSG_SETSESSIONDESC *m)
{
	event("desc");
	json_word("flags", m->dpDesc.dwFlags);
	json_number("players", here() + 1);
	json_number("described", m->dpDesc.dwCurrentPlayers);
	json_end();
}

static void take_word(const char *what)
{
	event(what);
	json_end();
}

static void take_system(const DPMSG_GENERIC *m)
{
	switch (m->dwType) {
	case DPSYS_CREATEPLAYERORGROUP: take_created((const void *)m); break;
	case DPSYS_DESTROYPLAYERORGROUP: take_destroyed((const void *)m); break;
	case DPSYS_ADDPLAYERTOGROUP:
		group_member(((const DPMSG_ADDPLAYERTOGROUP *)m)->dpIdGroup, ((const DPMSG_ADDPLAYERTOGROUP *)m)->dpIdPlayer);
		break;
	case DPSYS_SETSESSIONDESC: take_description((const void *)m); break;
	case DPSYS_SESSIONLOST:
		heard.lost = TRUE;
		take_word("lost");
		break;
	case DPSYS_HOST:
		heard.host = TRUE;
		take_word("host");
		break;
	default:
		event("system");
		json_word("type", m->dwType);
		json_end();
	}
}

/* ---- receiving ---- */

static void grow(DWORD size)
{
	free(buffer);
	buffer = malloc(size);
	must("memory", buffer != NULL);
	room = size;
}

void receive_all(void)
{
	DPID from, to;
	if (!buffer)
		grow(FIRST_BUFFER);
	for (;;) {
		DWORD size = room;
		from = to = 0;
		CALL(RECEIVE, IDirectPlayX_Receive(game, &from, &to, DPRECEIVE_ALL, buffer, &size));
		if (hr == DPERR_NOMESSAGES) {
			empty++;
			return;
		}
		if (hr == DPERR_BUFFERTOOSMALL) {
			must("a larger buffer", size > room);
			too_small++;
			grow(size);
			continue;
		}
		must("Receive", hr == DP_OK);
		received++;
		if (from == DPID_SYSMSG)
			take_system((const void *)buffer);
		else
			take_message(from, to, buffer, size);
	}
}

void json_received(void)
{
	json_number("received", received);
	json_number("empty", empty);
	json_number("too_small", too_small);
}
