// Datagrams, as threads of C receive and send them: a thread that waits for each socket that is read, and the workers, while they
// wait for requests (transport.c).
#include <winsock2.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "datagrams.h"

// What waits at most, in octets: beyond MOST_CAME datagrams are lost, as in the system's own memory for a socket, and beyond
// MOST_POSTED whoever posts waits.
enum { MOST_CAME = 1 << 20, MOST_POSTED = 1 << 20, PER_DATAGRAM = 64 };

enum { LARGEST = 1 << 16 };

// PATIENCE is how long a call that receives waits, in ms: who closes a socket waits for its end.
enum { PATIENCE = 100 };

// A List is datagrams in order, with what they count.
typedef struct List {
	Datagram *first, **last;
	size_t octets;
} List;

struct Socket {
	SOCKET handle;
	SRWLOCK lock;
	CONDITION_VARIABLE came;
	List in;
	bool closed;
	HANDLE receiver; // NULL until somebody takes datagrams
	unsigned unsent; // guarded by sending
};

// What is posted on any socket. One worker at a time sends it.
static SRWLOCK sending = SRWLOCK_INIT;
static CONDITION_VARIABLE sent = CONDITION_VARIABLE_INIT;
static List out;
static bool busy; // a worker sends

static Datagram *new_datagram(Socket *s, uint32_t address, uint16_t port, const void *data, uint32_t size)
{
	Datagram *d = malloc(sizeof *d + size);

	if (!d)
		return NULL;
	d->next = NULL;
	d->socket = s;
	d->address = address;
	d->port = port;
	d->size = size;
	memcpy(d + 1, data, size);
	return d;
}

static void append(List *l, Datagram *d)
{
	if (!l->first)
		l->last = &l->first;
	*l->last = d;
	l->last = &d->next;
	l->octets += PER_DATAGRAM + d->size;
}

static Datagram *take_all(List *l)
{
	Datagram *all = l->first;

	l->first = NULL;
	l->octets = 0;
	return all;
}

void free_datagrams(Datagram *d)
{
	Datagram *next;

	for (; d; d = next) {
		next = d->next;
		free(d);
	}
}

// receive_one waits for a datagram, NULL if none came.
static Datagram *receive_one(Socket *s, char *buffer)
{
	struct sockaddr_in from = {0};
	int length = sizeof from, n = recvfrom(s->handle, buffer, LARGEST, 0, (struct sockaddr *)&from, &length);

	if (n >= 0)
		return new_datagram(s, from.sin_addr.s_addr, ntohs(from.sin_port), buffer, (uint32_t)n);
	switch (WSAGetLastError()) {
	case WSAETIMEDOUT:
	case WSAECONNRESET: // a datagram of ours did not arrive, as with the next one
	case WSAENETRESET:
		break;
	default:
		Sleep(PATIENCE);
	}
	return NULL;
}

// receive takes datagrams off a socket until it is closed.
static DWORD WINAPI receive(void *p)
{
	Socket *s = p;
	char *buffer = malloc(LARGEST);
	bool closed = !buffer;

	while (!closed) {
		Datagram *d = receive_one(s, buffer);

		AcquireSRWLockExclusive(&s->lock);
		if (d && s->in.octets < MOST_CAME) {
			append(&s->in, d);
			d = NULL;
			WakeConditionVariable(&s->came);
		}
		closed = s->closed;
		ReleaseSRWLockExclusive(&s->lock);
		free(d);
	}
	free(buffer);
	return 0;
}

Datagram *take_datagrams(Socket *s)
{
	Datagram *all;

	AcquireSRWLockExclusive(&s->lock);
	if (!s->receiver && !s->closed)
		s->receiver = CreateThread(NULL, 0, receive, s, 0, NULL);
	while (s->receiver && !s->in.first && !s->closed)
		SleepConditionVariableSRW(&s->came, &s->lock, INFINITE, 0);
	all = take_all(&s->in);
	ReleaseSRWLockExclusive(&s->lock);
	return all;
}

bool is_posted(void)
{
	bool posted;

	AcquireSRWLockExclusive(&sending);
	posted = out.first && !busy;
	ReleaseSRWLockExclusive(&sending);
	return posted;
}

void send_posted(void)
{
	Datagram *all, *d;

	AcquireSRWLockExclusive(&sending);
	all = busy ? NULL : take_all(&out);
	busy = busy || all;
	ReleaseSRWLockExclusive(&sending);
	if (!all)
		return;
	for (d = all; d; d = d->next) { // which may get lost, here as anywhere
		struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(d->port), .sin_addr.s_addr = d->address};

		sendto(d->socket->handle, (char *)(d + 1), (int)d->size, 0, (struct sockaddr *)&to, sizeof to);
	}
	AcquireSRWLockExclusive(&sending);
	busy = false;
	for (d = all; d; d = d->next)
		d->socket->unsent--;
	WakeAllConditionVariable(&sent);
	ReleaseSRWLockExclusive(&sending);
	free_datagrams(all);
}

void post_datagram(Socket *s, uint32_t address, uint16_t port, const void *data, uint32_t size)
{
	Datagram *d = new_datagram(s, address, port, data, size);
	bool first;

	if (!d)
		return;
	AcquireSRWLockExclusive(&sending);
	while (out.octets > MOST_POSTED)
		SleepConditionVariableSRW(&sent, &sending, INFINITE, 0);
	first = !out.first && !busy;
	append(&out, d);
	s->unsent++;
	ReleaseSRWLockExclusive(&sending);
	if (first)
		wake_worker();
}

static bool set(SOCKET s, int option, int value)
{
	return !setsockopt(s, SOL_SOCKET, option, (char *)&value, sizeof value);
}

Socket *open_socket(uint32_t address, uint16_t *port, int *error)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = address};
	int length = sizeof at;
	Socket *s = calloc(1, sizeof *s);

	*error = WSAENOBUFS;
	if (!s)
		return NULL;
	InitializeSRWLock(&s->lock);
	InitializeConditionVariable(&s->came);
	s->handle = socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
	if (s->handle == INVALID_SOCKET || !set(s->handle, SO_BROADCAST, 1) || !set(s->handle, SO_RCVTIMEO, PATIENCE)) {
		*error = WSAGetLastError();
		free_socket(s);
		return NULL;
	}
	set(s->handle, SO_EXCLUSIVEADDRUSE, 1); // why, keepToItself in package sock says
	if (bind(s->handle, (struct sockaddr *)&at, sizeof at) || getsockname(s->handle, (struct sockaddr *)&at, &length)) {
		*error = WSAGetLastError();
		free_socket(s);
		return NULL;
	}
	*port = ntohs(at.sin_port);
	return s;
}

void close_socket(Socket *s)
{
	HANDLE receiver;

	AcquireSRWLockExclusive(&sending);
	while (s->unsent)
		SleepConditionVariableSRW(&sent, &sending, INFINITE, 0);
	ReleaseSRWLockExclusive(&sending);
	AcquireSRWLockExclusive(&s->lock);
	s->closed = true;
	receiver = s->receiver;
	ReleaseSRWLockExclusive(&s->lock);
	WakeAllConditionVariable(&s->came);
	if (receiver) {
		WaitForSingleObject(receiver, INFINITE);
		CloseHandle(receiver);
	}
}

void free_socket(Socket *s)
{
	if (s->handle != INVALID_SOCKET)
		closesocket(s->handle);
	free_datagrams(s->in.first);
	free(s);
}
