// What the parts of the shell that face the game share.
#ifndef SHELL_H
#define SHELL_H

#define CINTERFACE
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>

#include "request.h"

// What a game waits for has to be Windows' own: waits.c stands in for these.
#undef CreateEvent
#pragma GCC poison CreateEvent CreateEventA CreateWaitableTimerExW

// FACES are as many interfaces as one object has. Those of IDirectPlay have their places.
enum { FACE_UNKNOWN, FACE_1, FACE_2, FACE_2A, FACE_3, FACE_3A, FACE_4, FACE_4A, FACES };

// An Interface is one that a game can ask an object for. A face is an interface of one object.
typedef struct Interface {
	const IID *iid; // NULL if there is none
	const void *vtbl;
	bool wide;
} Interface;

typedef struct Object Object;

// A Face is what the game's pointer points at.
typedef struct Face {
	const void *vtbl;
	Object *object;
	LONG references;
	bool wide;
} Face;

// An Object is one DirectPlay, or one DirectPlayLobby, which has no number and no queue. Its memory outlives it for a while, so
// that a late call meets an object that is gone.
struct Object {
	const Interface *interfaces;
	Face faces[FACES];
	volatile LONG held;      // faces that have references
	volatile LONG connected; // it has a connection
	uint32_t number;         // Go's
	Queue *queue;
	Object *next; // that is gone
};

// directplay_interfaces are those of a DirectPlay.
extern const Interface directplay_interfaces[FACES];
// has_interface is whether one of the interfaces is what is asked for.
bool has_interface(const Interface *interfaces, REFIID iid);
// object_new makes an object, as Go has made its half: the number and the queue. Nobody holds it.
Object *object_new(const Interface *interfaces, uint32_t number, Queue *queue);
// object_create has Go make an object.
HRESULT object_create(Object **made);
// object_query gives a face of an object, as QueryInterface does. An object that nobody holds then is gone.
HRESULT object_query(Object *o, REFIID iid, void **out);
void object_discard(Object *o);

// create_lobby gives a face of a new lobby object.
HRESULT create_lobby(REFIID iid, void **out);

// IUnknown of every face.
HRESULT WINAPI face_query(void *self, REFIID iid, void **out);
ULONG WINAPI face_addref(void *self);
ULONG WINAPI face_release(void *self);

extern const IDirectPlay4Vtbl directplay4_vtbl; // that of 2 and 3 is its beginning
extern const IDirectPlayVtbl directplay1_vtbl;

// ask hands a request over and waits for the answer. end_request then lets go of what belongs to it.
HRESULT ask(Request *r);
HRESULT end_request(Request *r);
// begin_request makes a request to an object by a face.
void begin_request(Request *r, void *face, uint32_t method);
// call is a request with numbers alone.
HRESULT call(void *face, uint32_t method, int count, ...);

// ending is whether the process ends: there are no other threads any more, so nobody is to be waited for.
bool ending(void);

// expect_guards is called once, before the others.
void expect_guards(void);
bool can_read(const void *p, size_t size);
bool can_write(void *p, size_t size);
bool can_call(const void *function);

// give copies what the game gave into a request. What cannot be read is left out, and makes the request unreadable.
void *request_room(Request *r, size_t size);
void give_octets(Request *r, int block, const void *p, size_t size);
// give_part is give_octets for what is not a block. NULL cannot be read.
void give_part(Request *r, Octets *to, const void *p, size_t size);
void give_guid(Request *r, int block, const GUID *g);
void give_text(Request *r, Octets *to, const void *text, bool wide);
void give_name(Request *r, const DPNAME *n);
void give_desc(Request *r, const DPSESSIONDESC2 *d);

// give_buffer tells of a buffer for the answer, in the numbers from i on: whether there is a place for its size, whether it has no
// address, its size, its address. take_buffer puts the answer there.
enum { BUFFER_GIVEN, BUFFER_NULL, BUFFER_SIZE, BUFFER_ADDRESS };
void give_buffer(Request *r, int i, void *buffer, DWORD *size);
HRESULT take_buffer(Request *r, int i, void *buffer, DWORD *size);

// give_place says whether there is a place for an answer of 4 octets, which take_answer puts there.
void give_place(Request *r, int number, void *place);

// receive_message is Receive, of a queue.
HRESULT receive_message(Queue *q, bool wide, DPID *from, DPID *to, DWORD flags, void *buffer, DWORD *size);
// count_for tells how many messages wait for a player, or for all (0); false if Go has to be asked whether there is such a player.
bool count_for(Queue *q, uint32_t player, uint32_t *messages);

#endif
