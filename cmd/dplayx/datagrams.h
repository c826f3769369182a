// UDP sockets with threads of C, so that no thread of Go waits in a call of the system for each datagram.
#ifndef DATAGRAMS_H
#define DATAGRAMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Socket Socket;

// A Datagram came, or is to go out. Its octets follow it.
typedef struct Datagram {
	struct Datagram *next;
	Socket *socket;
	uint32_t address; // of the other end, as the network has it
	uint16_t port;
	uint32_t size;
} Datagram;

// open_socket opens a socket at an address, and puts its port there; NULL and Winsock's error if it cannot.
Socket *open_socket(uint32_t address, uint16_t *port, int *error);
// take_datagrams waits until some came; NULL when the socket was closed. free_datagrams lets go of them.
Datagram *take_datagrams(Socket *s);
void free_datagrams(Datagram *d);
// post_datagram has a datagram sent. It waits only while very many do.
void post_datagram(Socket *s, uint32_t address, uint16_t port, const void *data, uint32_t size);
// A worker that waits for requests sends what is posted, if nobody does so (transport.c). wake_worker has one look.
bool is_posted(void);
void send_posted(void);
void wake_worker(void);
// close_socket closes a socket when all is sent that was posted. free_socket is for when nobody uses it any more.
void close_socket(Socket *s);
void free_socket(Socket *s);

#endif
