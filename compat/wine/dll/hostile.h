// What the files of the hostile game share: bad pointers, and methods with the kinds of their arguments.
#ifndef HOSTILE_H
#define HOSTILE_H

#define COBJMACROS
#include <windows.h>
#include <dplay.h>
#include <dplobby.h>
#include <stdint.h>

enum { MAX_ARGUMENTS = 10, ROOM = 4096, VARIANTS = 21 };

// What is wrong with an argument: a pointer is NULL, must not be used, is odd but as good as any, or points at what is wrong; a
// number is nobody's.
enum class { NONE, BAD, ODD, SPOILT, WILD, CLASSES };

// hostile_start reserves the memory that bad pointers point to.
void hostile_start(void);

// hostile_pointer returns the variant-th pointer to where size octets would be, those at good if it is not BAD. written says that
// the memory has to be writable. It is valid until the next call.
void *hostile_pointer(int variant, const void *good, size_t size, BOOL written, enum class *class);

// hostile_number returns a number that is no id, no flags and no size that a game would use.
uintptr_t hostile_number(int variant);

// hostile_unended returns text of a kind of character that goes on to the end of readable memory.
void *hostile_unended(BOOL wide);

// A method is one of an interface. Each letter of its arguments is of a kind that hostilekinds.c knows.
struct method {
	const char *name;
	int at; // in the table of methods
	const char *arguments;
};

enum { FIRST_METHODS = 25, PLAY_METHODS = 53, LOBBY_METHODS = 19 };
extern const struct method first_methods[FIRST_METHODS], play_methods[PLAY_METHODS], lobby_methods[LOBBY_METHODS];

// world is what good arguments are made of.
extern struct world {
	DPID player, other, group;
	BOOL wide;
} world;

// An argument has a value, and size octets are where it points: 0 if it is no pointer that is followed.
struct argument {
	uintptr_t value;
	size_t size;
	BOOL written;
};

// good_arguments makes good arguments for a method. need is the size of what the method gives to a buffer.
int good_arguments(const struct method *m, DWORD need, struct argument a[MAX_ARGUMENTS]);

// spoil makes the pass-th change inside of what a good argument points at: a wrong size, a bad pointer, a text without an end. It
// returns FALSE when there is no such change.
BOOL spoil(char kind, int pass);

// call calls a method.
HRESULT call(void *object, const struct method *m, int count, const struct argument *a);

#endif
