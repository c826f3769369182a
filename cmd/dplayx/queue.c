// The messages that wait for Receive. They are in memory of C, so that a game that polls does not wait for anybody.
#include <stdlib.h>
#include <string.h>

#include "shell.h"

// A Sight is a message as one kind of face gets it.
typedef struct Sight {
	void *data;
	uint32_t size;
	uint32_t *pointers;
	uint32_t pointer_count;
} Sight;

typedef struct Message {
	struct Message *next;
	uint32_t from, to;
	Sight sight[2]; // narrow and wide
} Message;

// What a queue holds at most, in octets: beyond MOST_SAID what players say is lost, beyond MOST_TOLD all is.
enum { MOST_SAID = 32 << 20, MOST_TOLD = 64 << 20, PER_MESSAGE = 128 };

struct Queue {
	SRWLOCK lock;
	Message *first, **last;
	volatile LONG count;
	size_t octets;
	uint32_t *players; // of whom messages can be counted
	uint32_t player_count;
};

Queue *new_queue(void)
{
	Queue *q = calloc(1, sizeof *q);

	if (q) {
		InitializeSRWLock(&q->lock);
		q->last = &q->first;
	}
	return q;
}

void free_queue(Queue *q)
{
	if (!q)
		return;
	clear_queue(q);
	free(q);
}

// cost is what a message counts in a queue.
static size_t cost(const Message *m)
{
	return PER_MESSAGE + m->sight[1].size;
}

static void *fill(Sight *s, void *at, const Block *b)
{
	s->size = b->size;
	s->pointer_count = b->pointer_count;
	s->pointers = at;
	s->data = s->pointers + b->pointer_count;
	if (b->pointer_count)
		memcpy(s->pointers, b->pointers, b->pointer_count * sizeof *b->pointers);
	if (b->size)
		memcpy(s->data, b->data, b->size);
	return (char *)s->data + ((b->size + 3) & ~(size_t)3);
}

static size_t room(const Block *b)
{
	return b ? b->pointer_count * sizeof *b->pointers + ((b->size + 3) & ~(size_t)3) : 0;
}

void put_message(Queue *q, uint32_t from, uint32_t to, bool system, const Block *narrow, const Block *wide)
{
	Message *m = malloc(sizeof *m + room(narrow) + room(wide));
	void *at = m + 1;
	bool full;

	if (!m)
		return;
	m->next = NULL;
	m->from = from;
	m->to = to;
	at = fill(&m->sight[0], at, narrow);
	m->sight[1] = m->sight[0];
	if (wide)
		fill(&m->sight[1], at, wide);
	AcquireSRWLockExclusive(&q->lock);
	full = q->octets + cost(m) > (system ? MOST_TOLD : MOST_SAID);
	if (!full) {
		q->octets += cost(m);
		*q->last = m;
		q->last = &m->next;
		q->count++;
	}
	ReleaseSRWLockExclusive(&q->lock);
	if (full)
		free(m);
}

void clear_queue(Queue *q)
{
	Message *m, *next;

	AcquireSRWLockExclusive(&q->lock);
	m = q->first;
	q->first = NULL;
	q->last = &q->first;
	q->count = 0;
	q->octets = 0;
	ReleaseSRWLockExclusive(&q->lock);
	for (; m; m = next) {
		next = m->next;
		free(m);
	}
	set_players(q, NULL, 0);
}

void set_players(Queue *q, const uint32_t *ids, uint32_t count)
{
	uint32_t *players = count ? malloc(count * sizeof *players) : NULL, *before;

	if (players)
		memcpy(players, ids, count * sizeof *players);
	AcquireSRWLockExclusive(&q->lock);
	before = q->players;
	q->players = players;
	q->player_count = players ? count : 0;
	ReleaseSRWLockExclusive(&q->lock);
	free(before);
}

void count_messages(Queue *q, uint32_t from, uint32_t to, uint32_t *messages, uint32_t *octets)
{
	const Message *m;

	// By either interface Windows tells how large messages are for the wide one (Wine's test_GetMessageQueue).
	*messages = *octets = 0;
	AcquireSRWLockShared(&q->lock);
	for (m = q->first; m; m = m->next) {
		if ((from == 0 || m->from == from) && (to == 0 || m->to == to)) {
			++*messages;
			*octets += m->sight[1].size;
		}
	}
	ReleaseSRWLockShared(&q->lock);
}

bool count_for(Queue *q, uint32_t player, uint32_t *messages)
{
	const Message *m;
	uint32_t i;
	bool ours;

	if (player == 0) {
		*messages = (uint32_t)q->count;
		return true;
	}
	if (ending())
		return false;
	AcquireSRWLockShared(&q->lock);
	for (i = 0; i < q->player_count && q->players[i] != player; i++)
		;
	ours = i < q->player_count;
	*messages = 0;
	for (m = ours ? q->first : NULL; m; m = m->next)
		*messages += m->to == player;
	ReleaseSRWLockShared(&q->lock);
	return ours;
}

// move makes the pointers of a message, which are offsets, point into the game's buffer.
static void move(const Sight *s, char *buffer)
{
	uint32_t i;

	for (i = 0; i < s->pointer_count; i++) {
		uintptr_t p;

		memcpy(&p, buffer + s->pointers[i], sizeof p);
		p += (uintptr_t)buffer;
		memcpy(buffer + s->pointers[i], &p, sizeof p);
	}
}

// hand puts a message into the game's buffer, if it has room.
static HRESULT hand(const Sight *s, void *buffer, DWORD *size)
{
	DWORD room = *size;

	if ((!buffer && s->size) || room < s->size) {
		*size = s->size;
		return DPERR_BUFFERTOOSMALL;
	}
	if (!can_write(buffer, s->size) && s->size)
		return DPERR_INVALIDPARAMS;
	*size = s->size;
	if (s->size)
		memcpy(buffer, s->data, s->size);
	move(s, buffer);
	return DP_OK;
}

// The checks are those of Queue.receive in package directplay.
HRESULT receive_message(Queue *q, bool wide, DPID *from, DPID *to, DWORD flags, void *buffer, DWORD *size)
{
	Message **at, *m;
	HRESULT result = DPERR_NOMESSAGES;

	if (!can_write(from, sizeof *from) || !can_write(to, sizeof *to) || !can_write(size, sizeof *size))
		return DPERR_INVALIDPARAMS;
	if (buffer && *size > INT32_MAX) // nobody has so much room: a size that the game forgot to set
		return DPERR_INVALIDPARAMS;
	if (!q->count || ending())
		return DPERR_NOMESSAGES;
	AcquireSRWLockExclusive(&q->lock);
	for (at = &q->first; (m = *at); at = &m->next) {
		if ((!(flags & DPRECEIVE_TOPLAYER) || m->to == *to) && (!(flags & DPRECEIVE_FROMPLAYER) || m->from == *from))
			break;
	}
	if (m)
		result = hand(&m->sight[wide], buffer, size);
	if (m && result == DP_OK) {
		*from = m->from;
		*to = m->to;
		if (!(flags & DPRECEIVE_PEEK)) {
			*at = m->next;
			if (!m->next)
				q->last = at;
			q->count--;
			q->octets -= cost(m);
		} else {
			m = NULL;
		}
	} else {
		m = NULL;
	}
	ReleaseSRWLockExclusive(&q->lock);
	free(m);
	return result;
}
