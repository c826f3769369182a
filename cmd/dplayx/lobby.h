// What is asked of the lobby.
#ifndef LOBBY_H
#define LOBBY_H

#include "request.h"

enum {
	METHOD_LOBBY_CONNECT = METHOD_LOBBY, // answer[0] is the object's number, and queue its queue
	METHOD_LOBBY_CREATE_ADDRESS,
	METHOD_LOBBY_CREATE_COMPOUND_ADDRESS,
	METHOD_LOBBY_ENUM_ADDRESS,
	METHOD_LOBBY_ENUM_ADDRESS_TYPES,
	METHOD_LOBBY_ENUM_LOCAL_APPLICATIONS,
	METHOD_LOBBY_GET_CONNECTION_SETTINGS,
	METHOD_LOBBY_RECEIVE_LOBBY_MESSAGE, // answer[0] is the message's flags
	METHOD_LOBBY_REGISTER_APPLICATION,
	METHOD_LOBBY_RUN_APPLICATION, // answer[0] is the application's number
	METHOD_LOBBY_SEND_LOBBY_MESSAGE,
	METHOD_LOBBY_SET_CONNECTION_SETTINGS,
	METHOD_LOBBY_SET_LOBBY_MESSAGE_EVENT,
	METHOD_LOBBY_UNREGISTER_APPLICATION,
	METHOD_LOBBY_WAIT_FOR_CONNECTION_SETTINGS
};

// Connection settings are in a request as its description, its name, the provider and the address in these blocks, and these
// numbers.
enum { SETTINGS_PROVIDER, SETTINGS_ADDRESS };
enum { SETTINGS_GIVEN = 5, SETTINGS_WRONG_SIZE, SETTINGS_FLAGS };

// Element is DPCOMPOUNDADDRESSELEMENT.
typedef struct Element {
	uint8_t type[16];
	Octets data;
} Element;

// Application is DPAPPLICATIONDESC, and DPAPPLICATIONDESC2 with a launcher.
typedef struct Application {
	uint32_t wrong_size, flags;
	uint8_t guid[16];
	Octets name, file, command_line, path, current_directory, launcher;
	Octets narrow_description, wide_description; // whatever the face is
} Application;

#endif
