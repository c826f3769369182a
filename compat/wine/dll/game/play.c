/* The play: in each turn everybody tells all the others what it does, and nobody goes on before it knows that of all. Then the
 * large messages, and the end. */
#include "game.h"
#include <stdlib.h>
#include <string.h>

#define POLL 2         /* milliseconds between two looks for messages: some sixteen a turn find nothing */
#define STUCK 60000    /* milliseconds without a turn, after which one was lost */
#define TELL 50        /* turns from one event to the next */

static struct times waited; /* from the begin of a turn until all the others' turns were there */
static DWORD played;

static BOOL turn_complete(DWORD turn)
{
	DWORD i;
	for (i = 0; i < nothers; i++)
		if (others[i].here && !others[i].got[turn])
			return FALSE;
	return TRUE;
}

static void stuck(DWORD turn)
{
	DWORD i;
	event("stuck");
	json_number("turn", turn);
	json_open("for", '[');
	for (i = 0; i < nothers; i++)
		if (others[i].here && !others[i].got[turn])
			json_word(NULL, others[i].id);
	json_close(']');
	json_end();
	must("the others' turns", FALSE);
}

static void play_turn(DWORD turn)
{
	DWORD begin = GetTickCount(), begin_us = microseconds();
	BOOL complete = FALSE;
	send_message(DPID_ALLPLAYERS, TURN, turn, turn_size(turn), FALSE);
	while (!complete || GetTickCount() - begin < options.turn) {
		receive_all();
		if (!complete && turn_complete(turn)) {
			complete = TRUE;
			time_add(&waited, microseconds() - begin_us);
		}
		if (GetTickCount() - begin > STUCK)
			stuck(turn);
		Sleep(POLL);
	}
}

void play(void)
{
	DPSESSIONDESC2 *d = session_description();
	event("play");
	json_number("players", here() + 1);
	json_number("described", d->dwCurrentPlayers);
	json_end();
	free(d);
	for (played = 0; played < options.turns; played++) {
		if (played && played % TELL == 0) {
			event("turn");
			json_number("turn", played);
			json_end();
		}
		play_turn(played);
	}
}

void json_turns(void)
{
	json_number("played", played);
	json_open("waited", '{');
	json_times(&waited);
	json_close('}');
}

void large_messages(void)
{
	DWORD i;
	for (i = 0; i < 4 && options.large[i]; i++)
		send_message(DPID_ALLPLAYERS, LARGE, i, options.large[i], TRUE);
}

/* Everybody has heard all that we said, and has said all. */
static BOOL all_done(void)
{
	DWORD i;
	for (i = 0; i < nothers; i++)
		if (others[i].here && (!others[i].done || others[i].acknowledged < options.turns))
			return FALSE;
	return TRUE;
}

/* A host stays until the others have left, and is told so of each. */
void finish(void)
{
	DWORD begin = GetTickCount();
	BOOL stays = !strcmp(options.leave, "close");
	send_message(DPID_ALLPLAYERS, DONE, 0, HEADER, TRUE);
	while (stays ? here() > 0 : !all_done()) {
		receive_all();
		must("the others' end", GetTickCount() - begin < STUCK);
		Sleep(POLL);
	}
	if (!stays) /* what was said last is to arrive */
		for (begin = GetTickCount(); GetTickCount() - begin < 500; Sleep(POLL))
			receive_all();
}
