// Objects and their faces: who holds them, and which interfaces they have.
#include <stdlib.h>
#include <string.h>

#include "shell.h"

// Kept are how many objects that are gone keep their memory, for calls that come too late.
enum { KEPT = 256 };

static SRWLOCK gone_lock = SRWLOCK_INIT;
static Object *gone, **last_gone = &gone;
static unsigned gone_count;

const Interface directplay_interfaces[FACES] = {
	[FACE_UNKNOWN] = {&IID_IUnknown, &directplay4_vtbl, false},
	[FACE_1] = {&IID_IDirectPlay, &directplay1_vtbl, false},
	[FACE_2] = {&IID_IDirectPlay2, &directplay4_vtbl, true},
	[FACE_2A] = {&IID_IDirectPlay2A, &directplay4_vtbl, false},
	[FACE_3] = {&IID_IDirectPlay3, &directplay4_vtbl, true},
	[FACE_3A] = {&IID_IDirectPlay3A, &directplay4_vtbl, false},
	[FACE_4] = {&IID_IDirectPlay4, &directplay4_vtbl, true},
	[FACE_4A] = {&IID_IDirectPlay4A, &directplay4_vtbl, false},
};

// take_memory returns that of an object that has been gone for long, or new memory.
static Object *take_memory(void)
{
	Object *o = NULL;

	AcquireSRWLockExclusive(&gone_lock);
	if (gone_count > KEPT) {
		o = gone;
		gone = o->next;
		gone_count--;
	}
	ReleaseSRWLockExclusive(&gone_lock);
	if (!o)
		return malloc(sizeof *o);
	if (o->queue)
		free_queue(o->queue);
	return o;
}

Object *object_new(const Interface *interfaces, uint32_t number, Queue *queue)
{
	Object *o = take_memory();
	int i;

	if (!o)
		return NULL;
	memset(o, 0, sizeof *o);
	o->interfaces = interfaces;
	o->number = number;
	o->queue = queue;
	for (i = 0; i < FACES; i++) {
		o->faces[i].vtbl = interfaces[i].vtbl;
		o->faces[i].object = o;
		o->faces[i].wide = interfaces[i].wide;
	}
	return o;
}

HRESULT object_create(Object **made)
{
	Request r;

	begin_request(&r, NULL, METHOD_NEW);
	ask(&r);
	*made = NULL;
	if (r.result != DP_OK)
		return end_request(&r);
	*made = object_new(directplay_interfaces, r.answer[0], r.queue);
	return *made ? DP_OK : DPERR_OUTOFMEMORY;
}

void object_discard(Object *o)
{
	Request r;

	if (o->held > 0)
		return;
	if (o->number) {
		begin_request(&r, &o->faces[0], METHOD_RELEASE);
		ask(&r);
	}
	if (ending())
		return;
	o->connected = 0;
	o->next = NULL;
	AcquireSRWLockExclusive(&gone_lock);
	*last_gone = o;
	last_gone = &o->next;
	gone_count++;
	ReleaseSRWLockExclusive(&gone_lock);
}

// find_interface returns the place of an interface, FACES if there is none.
static int find_interface(const Interface *interfaces, REFIID iid)
{
	int i;

	for (i = 0; i < FACES; i++) {
		if (interfaces[i].iid && IsEqualGUID(iid, interfaces[i].iid))
			break;
	}
	return i;
}

bool has_interface(const Interface *interfaces, REFIID iid)
{
	return find_interface(interfaces, iid) < FACES;
}

HRESULT object_query(Object *o, REFIID iid, void **out)
{
	int i;

	if (!can_write(out, sizeof *out))
		return E_POINTER;
	*out = NULL;
	if (!can_read(iid, sizeof *iid))
		return E_INVALIDARG;
	i = find_interface(o->interfaces, iid);
	if (i == FACES)
		return E_NOINTERFACE;
	face_addref(&o->faces[i]);
	*out = &o->faces[i];
	return S_OK;
}

HRESULT WINAPI face_query(void *self, REFIID iid, void **out)
{
	return object_query(((Face *)self)->object, iid, out);
}

ULONG WINAPI face_addref(void *self)
{
	Face *f = self;
	LONG n = InterlockedIncrement(&f->references);

	if (n == 1)
		InterlockedIncrement(&f->object->held);
	return (ULONG)n;
}

ULONG WINAPI face_release(void *self)
{
	Face *f = self;
	LONG n;

	do {
		n = f->references;
		if (n == 0)
			return 0;
	} while (InterlockedCompareExchange(&f->references, n - 1, n) != n);
	if (n == 1 && InterlockedDecrement(&f->object->held) == 0)
		object_discard(f->object);
	return (ULONG)(n - 1);
}
