/* Who is there, and what they said. */
#include "game.h"

struct player others[MAX_PLAYERS];
DWORD nothers;

struct player *other(DPID id)
{
	DWORD i;
	for (i = 0; i < nothers; i++)
		if (others[i].id == id)
			return &others[i];
	return NULL;
}

struct player *other_comes(DPID id)
{
	struct player *p = other(id);
	if (!p && nothers < MAX_PLAYERS) {
		p = &others[nothers++];
		p->id = id;
	}
	if (p)
		p->here = TRUE;
	return p;
}

DWORD here(void)
{
	DWORD i, n = 0;
	for (i = 0; i < nothers; i++)
		n += others[i].here;
	return n;
}

static void json_other(const struct player *p)
{
	DWORD i;
	json_open(NULL, '{');
	json_word("id", p->id);
	json_bool("here", p->here);
	json_bool("given_up", p->given_up);
	json_bool("done", p->done);
	json_number("turns", p->turns);
	json_number("twice", p->twice);
	json_number("damaged", p->damaged);
	json_number("acknowledged", p->acknowledged);
	json_number("menu", p->menu);
	json_number("asides", p->asides);
	json_number("group", p->group);
	json_number("gaps", p->gaps);
	json_open("large", '[');
	for (i = 0; i < p->nlarge; i++)
		json_number(NULL, p->large[i]);
	json_close(']');
	json_close('}');
}

void json_others(void)
{
	DWORD i;
	json_open("others", '[');
	for (i = 0; i < nothers; i++)
		json_other(&others[i]);
	json_close(']');
}
