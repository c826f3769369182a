/* Sending, and what comes in. */
#include "client.h"
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 32

/* How often each event was written. */
static struct {
	const char *name;
	DWORD n;
} seen[MAX_NAMES];

DWORD events_seen(const char *name)
{
	int i;
	for (i = 0; i < MAX_NAMES && seen[i].name; i++)
		if (!strcmp(seen[i].name, name))
			return seen[i].n;
	return 0;
}

static void begin_event(const char *name)
{
	int i = 0;
	while (i < MAX_NAMES - 1 && seen[i].name && strcmp(seen[i].name, name))
		i++;
	seen[i].name = name;
	seen[i].n++;
	json_begin("event", name);
}

static HRESULT send(const struct args *a, void *data, DWORD size)
{
	DPID from = option(a, "from") ? dpid(option(a, "from")) : first_player;
	json_word("from", from);
	json_octets("data", data, size);
	return IDirectPlayX_Send(dp, from, dpid(a->word[0]), option(a, "guaranteed") ? DPSEND_GUARANTEED : 0, data, size);
}

/* send TO HEX [guaranteed] [from=ID] */
HRESULT cmd_send(const struct args *a)
{
	DWORD size;
	BYTE *data = octets(a->word[1], &size);
	return data ? send(a, data, size) : DPERR_INVALIDPARAMS;
}

/* send-size TO N SEED [guaranteed] [from=ID]: N octets of the generator x = x*1664525 + 1013904223 modulo 2^32,
 * which begins with the seed; each octet is the top one of the next x. */
HRESULT cmd_send_size(const struct args *a)
{
	DWORD n = number(a->word[1]), x = number(a->word[2]), i;
	BYTE *data;
	if (n > MAX_DATA)
		return DPERR_SENDTOOBIG;
	data = word_memory(n + 1);
	for (i = 0; i < n; i++) {
		x = x * 1664525u + 1013904223u;
		data[i] = x >> 24;
	}
	return send(a, data, n);
}

/* chat TO TEXT [guaranteed] [from=ID] */
HRESULT cmd_chat(const struct args *a)
{
	DPCHAT chat = {.dwSize = sizeof chat};
	DPID from = option(a, "from") ? dpid(option(a, "from")) : first_player;
	chat.lpszMessage = wide(a->word[1]);
	return IDirectPlayX_SendChatMessage(dp, from, dpid(a->word[0]), option(a, "guaranteed") ? DPSEND_GUARANTEED : 0, &chat);
}

/* queue: how many messages wait to be received and to be sent. */
HRESULT cmd_queue(const struct args *a)
{
	static const struct {
		const char *name;
		DWORD flag;
	} side[] = {{"receive", DPMESSAGEQUEUE_RECEIVE}, {"send", DPMESSAGEQUEUE_SEND}};
	HRESULT hr = DP_OK;
	int i;
	(void)a;
	for (i = 0; i < 2; i++) {
		DWORD n = 0, size = 0;
		HRESULT one = IDirectPlayX_GetMessageQueue(dp, 0, 0, side[i].flag, &n, &size);
		json_open(side[i].name, '{');
		json_number("messages", n);
		json_number("octets", size);
		json_hresult(one);
		json_close('}');
		if (FAILED(one))
			hr = one;
	}
	return hr;
}

/* What a message points to should lie in the message. A pointer to elsewhere is followed only if it can be. */
static const char *message;
static DWORD message_size;

static BOOL good(const void *p, DWORD n)
{
	DWORD at = (DWORD)((const char *)p - message);
	if (!p)
		return FALSE;
	if (at < message_size && n <= message_size - at)
		return TRUE;
	json_text("odd", "a pointer of the message leads out of it");
	return !IsBadReadPtr(p, n);
}

static void json_part(const void *p, DWORD n)
{
	if (!n)
		json_octets("data", "", 0);
	else if (good(p, n))
		json_octets("data", p, n);
	else
		json_text("odd", "the message's data cannot be read");
}

static void json_string(const char *key, const WCHAR *s) { json_wide(key, good(s, sizeof *s) ? s : NULL); }

static void json_names(const DPNAME *name)
{
	json_string("short", name->lpszShortName);
	json_string("long", name->lpszLongName);
}

static const char *either(DWORD type, const char *player, const char *group) { return type == DPPLAYERTYPE_GROUP ? group : player; }

/* The least size that a message of a type may have. */
#define IS(structure) (message_size >= sizeof(structure))

static BOOL players_event(const void *m)
{
	const DPMSG_CREATEPLAYERORGROUP *c = m;
	const DPMSG_DESTROYPLAYERORGROUP *d = m;
	const DPMSG_SETPLAYERORGROUPDATA *s = m;
	const DPMSG_SETPLAYERORGROUPNAME *n = m;
	switch (c->dwType) {
	case DPSYS_CREATEPLAYERORGROUP:
		if (!IS(*c))
			return FALSE;
		begin_event(either(c->dwPlayerType, "player_created", "group_created"));
		json_word("id", c->dpId);
		json_number("count", c->dwCurrentPlayers);
		json_names(&c->dpnName);
		json_part(c->lpData, c->dwDataSize);
		json_word("parent", c->dpIdParent);
		json_word("flags", c->dwFlags);
		return TRUE;
	case DPSYS_DESTROYPLAYERORGROUP:
		if (!IS(*d))
			return FALSE;
		begin_event(either(d->dwPlayerType, "player_deleted", "group_deleted"));
		json_word("id", d->dpId);
		json_names(&d->dpnName);
		json_part(d->lpRemoteData, d->dwRemoteDataSize);
		json_word("parent", d->dpIdParent);
		json_word("flags", d->dwFlags);
		return TRUE;
	case DPSYS_SETPLAYERORGROUPDATA:
		if (!IS(*s))
			return FALSE;
		begin_event(either(s->dwPlayerType, "player_data", "group_data"));
		json_word("id", s->dpId);
		json_part(s->lpData, s->dwDataSize);
		return TRUE;
	case DPSYS_SETPLAYERORGROUPNAME:
		if (!IS(*n))
			return FALSE;
		begin_event(either(n->dwPlayerType, "player_name", "group_name"));
		json_word("id", n->dpId);
		json_names(&n->dpnName);
		return TRUE;
	}
	return FALSE;
}

static BOOL groups_event(const void *m)
{
	const DPMSG_ADDPLAYERTOGROUP *p = m;
	const DPMSG_ADDGROUPTOGROUP *g = m;
	const DPMSG_SETGROUPOWNER *o = m;
	switch (p->dwType) {
	case DPSYS_ADDPLAYERTOGROUP:
	case DPSYS_DELETEPLAYERFROMGROUP:
		if (!IS(*p))
			return FALSE;
		begin_event(p->dwType == DPSYS_ADDPLAYERTOGROUP ? "member_added" : "member_removed");
		json_word("group", p->dpIdGroup);
		json_word("id", p->dpIdPlayer);
		return TRUE;
	case DPSYS_ADDGROUPTOGROUP:
	case DPSYS_DELETEGROUPFROMGROUP:
		if (!IS(*g))
			return FALSE;
		begin_event(g->dwType == DPSYS_ADDGROUPTOGROUP ? "shortcut_added" : "shortcut_removed");
		json_word("parent", g->dpIdParentGroup);
		json_word("id", g->dpIdGroup);
		return TRUE;
	case DPSYS_SETGROUPOWNER:
		if (!IS(*o))
			return FALSE;
		begin_event("group_owner");
		json_word("id", o->idGroup);
		json_word("owner", o->idNewOwner);
		return TRUE;
	}
	return FALSE;
}

static BOOL session_event(const void *m)
{
	const DPMSG_SETSESSIONDESC *d = m;
	const DPMSG_CHAT *c = m;
	DPSESSIONDESC2 copy;
	switch (d->dwType) {
	case DPSYS_SESSIONLOST:
		begin_event("session_lost");
		return TRUE;
	case DPSYS_HOST:
		begin_event("became_host");
		return TRUE;
	case DPSYS_SETSESSIONDESC:
		if (!IS(*d))
			return FALSE;
		begin_event("session_changed");
		copy = d->dpDesc;
		if (copy.lpszSessionName && !good(copy.lpszSessionName, sizeof(WCHAR)))
			copy.lpszSessionName = NULL;
		if (copy.lpszPassword && !good(copy.lpszPassword, sizeof(WCHAR)))
			copy.lpszPassword = NULL;
		json_session(&copy);
		return TRUE;
	case DPSYS_CHAT:
		if (!IS(*c))
			return FALSE;
		begin_event("chat");
		json_word("from", c->idFromPlayer);
		json_word("to_group", c->idToGroup);
		json_word("flags", c->dwFlags);
		json_string("text", good(c->lpChat, sizeof *c->lpChat) ? c->lpChat->lpszMessage : NULL);
		return TRUE;
	}
	return FALSE;
}

static void write_event(DPID from, DPID to)
{
	const DPMSG_GENERIC *g = (const void *)message;
	if (from != DPID_SYSMSG) {
		begin_event("message");
		json_word("from", from);
		json_octets("data", message, message_size);
	} else if (message_size < sizeof *g || (!players_event(message) && !groups_event(message) && !session_event(message))) {
		begin_event("system_message"); /* one without a name here: all of it */
		json_word("type", message_size < sizeof *g ? 0 : g->dwType);
		json_octets("data", message, message_size);
	}
	json_word("to", to);
	json_end();
}

void pump(void)
{
	static char *data;
	static DWORD room = 64 * 1024;
	static HRESULT last = DPERR_NOMESSAGES;
	HRESULT hr = DPERR_NOMESSAGES;
	int i;
	for (i = 0; dp && i < 10000; i++) {
		DPID from = 0, to = 0;
		DWORD size = room;
		if (!data && !(data = malloc(room)))
			ExitProcess(5);
		hr = IDirectPlayX_Receive(dp, &from, &to, DPRECEIVE_ALL, data, &size);
		if (hr == DPERR_BUFFERTOOSMALL && size > room && size <= 2 * MAX_DATA) {
			free(data);
			data = NULL;
			room = size;
			continue;
		}
		if (FAILED(hr))
			break;
		message = data;
		message_size = size;
		write_event(from, to);
	}
	if (hr != last && FAILED(hr) && hr != DPERR_NOMESSAGES && hr != DPERR_UNINITIALIZED && hr != DPERR_NOCONNECTION) {
		begin_event("receive_failed"); /* once, not every 20 ms */
		json_hresult(hr);
		json_end();
	}
	last = hr;
}
