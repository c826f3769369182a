// What a thread of the game asks of Go, and the way there. A thread of the game never enters Go: it hands over a request and waits,
// and a thread of Go's own answers it.
#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>
#include <stdint.h>

// Methods are what can be asked for. Each part of the shell has a block of numbers.
enum {
	METHOD_NEW = 1, // an object; answer[0] is its number, and queue its queue
	METHOD_RELEASE,
	METHOD_ENUM_PROVIDERS,
	METHOD_INITIALIZE,
	METHOD_INITIALIZE_CONNECTION,
	METHOD_ENUM_CONNECTIONS,
	METHOD_ENUM_SESSIONS,
	METHOD_OPEN,
	METHOD_SECURE_OPEN,
	METHOD_CLOSE,
	METHOD_GET_SESSION_DESC,
	METHOD_SET_SESSION_DESC,
	METHOD_GET_CAPS,
	METHOD_GET_PLAYER_CAPS,

	METHOD_CREATE_PLAYER = 30,
	METHOD_DESTROY_PLAYER,
	METHOD_ENUM_PLAYERS,
	METHOD_GET_PLAYER_ACCOUNT,
	METHOD_GET_PLAYER_ADDRESS,
	METHOD_GET_PLAYER_DATA,
	METHOD_GET_PLAYER_FLAGS,
	METHOD_GET_PLAYER_NAME,
	METHOD_SET_PLAYER_DATA,
	METHOD_SET_PLAYER_NAME,

	METHOD_ADD_GROUP_TO_GROUP = 50,
	METHOD_ADD_PLAYER_TO_GROUP,
	METHOD_CREATE_GROUP,
	METHOD_CREATE_GROUP_IN_GROUP,
	METHOD_DELETE_GROUP_FROM_GROUP,
	METHOD_DELETE_PLAYER_FROM_GROUP,
	METHOD_DESTROY_GROUP,
	METHOD_ENUM_GROUP_PLAYERS,
	METHOD_ENUM_GROUPS,
	METHOD_ENUM_GROUPS_IN_GROUP,
	METHOD_GET_GROUP_CONNECTION_SETTINGS,
	METHOD_GET_GROUP_DATA,
	METHOD_GET_GROUP_FLAGS,
	METHOD_GET_GROUP_NAME,
	METHOD_GET_GROUP_OWNER,
	METHOD_GET_GROUP_PARENT,
	METHOD_SET_GROUP_CONNECTION_SETTINGS,
	METHOD_SET_GROUP_DATA,
	METHOD_SET_GROUP_NAME,
	METHOD_SET_GROUP_OWNER,
	METHOD_START_SESSION,

	METHOD_SEND = 80,
	METHOD_SEND_CHAT_MESSAGE,
	METHOD_GET_MESSAGE_COUNT,
	METHOD_GET_MESSAGE_QUEUE,
	METHOD_CANCEL_MESSAGE,
	METHOD_CANCEL_PRIORITY,

	METHOD_LOBBY = 100, // from here: IDirectPlayLobby

	METHOD_DIRECTPLAY1_CREATE_GROUP = 200, // from here: what IDirectPlay alone has
	METHOD_DIRECTPLAY1_CREATE_PLAYER,
	METHOD_DIRECTPLAY1_ENABLE_NEW_PLAYERS,
	METHOD_DIRECTPLAY1_ENUM_GROUP_PLAYERS,
	METHOD_DIRECTPLAY1_ENUM_GROUPS,
	METHOD_DIRECTPLAY1_ENUM_PLAYERS,
	METHOD_DIRECTPLAY1_ENUM_SESSIONS,
	METHOD_DIRECTPLAY1_GET_CAPS,
	METHOD_DIRECTPLAY1_GET_PLAYER_CAPS,
	METHOD_DIRECTPLAY1_GET_PLAYER_NAME,
	METHOD_DIRECTPLAY1_OPEN,
	METHOD_DIRECTPLAY1_SAVE_SESSION,
	METHOD_DIRECTPLAY1_SET_PLAYER_NAME,
};

// Octets are a copy of what the game gave. Data is NULL if it gave nothing, or what cannot be read.
typedef struct Octets {
	const void *data;
	uint32_t size;
} Octets;

// Desc is DPSESSIONDESC2. Texts are as the game writes them, without their terminator.
typedef struct Desc {
	uint32_t wrong_size; // dwSize is not that of the structure
	uint32_t flags;
	uint8_t instance[16], application[16];
	uint32_t max_players, current_players;
	Octets name, password;
	uint32_t reserved1, reserved2, user[4];
} Desc;

// Name is DPNAME.
typedef struct Name {
	Octets short_name, long_name;
} Name;

// An Item is one thing of an answer: what a buffer of the game is to hold, or what a callback is told.
typedef struct Item {
	struct Item *next;
	uint8_t guid[16];
	uint32_t word[4];
	void *block; // behind the item; its pointers point into it
	uint32_t size;
	void *more; // of EnumConnections: the address
	uint32_t more_size;
} Item;

typedef struct Queue Queue;

enum { NUMBERS = 10, BLOCKS = 4, ANSWERS = 4, ROOM = 512 };

// A Request is one call of a method. It stands on the stack of the game's thread.
typedef struct Request {
	struct Request *next;
	uint32_t done;
	uint32_t alone; // nobody was left to take requests when this one was taken

	uint32_t method;
	uint32_t object; // its number
	uint32_t wide;   // texts are UTF-16
	int32_t result;
	uint32_t unreadable; // something that was given, and is not in here, cannot be read

	uint64_t number[NUMBERS]; // what the method takes besides, in its order
	Octets block[BLOCKS];
	const Desc *desc; // NULL if none was given
	const Name *name;

	uint32_t answer[ANSWERS];
	Item *items, *last_item; // in order
	Queue *queue;

	void *chunks; // memory that goes with the request, beside room
	uint32_t used;
	uint64_t room[ROOM / 8];
} Request;

// next_request ends a request, unless finished is NULL, and waits for another one. It returns NULL if enough others wait.
Request *next_request(Request *finished);

// add_item appends an item with room for blocks to an answer. It returns NULL if there is no memory.
Item *add_item(Request *r, uint32_t size, uint32_t more_size);

// Block is a message as one kind of face gives it, with the places of the pointers in it.
typedef struct Block {
	const void *data;
	uint32_t size;
	const uint32_t *pointers;
	uint32_t pointer_count;
} Block;

Queue *new_queue(void);
void free_queue(Queue *q);
// put_message appends a message. What wide faces get is the same as what others get if wide is NULL.
void put_message(Queue *q, uint32_t from, uint32_t to, bool system, const Block *narrow, const Block *wide);
void clear_queue(Queue *q);
void count_messages(Queue *q, uint32_t from, uint32_t to, uint32_t *messages, uint32_t *octets);

// give_back_filter lets the game have its handler of faults, when Go has begun.
void give_back_filter(void);

// set_players says of whom messages can be counted without asking Go.
void set_players(Queue *q, const uint32_t *ids, uint32_t count);

// to_utf16 and to_octets convert text by the code page of this machine, and return how much of the room they took.
uint32_t to_utf16(const char *text, uint32_t size, uint16_t *out, uint32_t room);
uint32_t to_octets(const uint16_t *text, uint32_t size, char *out, uint32_t room);

// set_event wakes who waits for an event of the game's, which may be none any more.
void set_event(uint64_t handle);

#endif
