//go:build windows && cgo

// Command dplayx is dplayx.dll: what games load to play over a network, on the objects of package directplay.
//
// # Threads
//
// A thread of the game never enters Go: that would cost it 44 to 86 microseconds under Wine, and set its x87 control word. It hands
// a request to a worker and waits (transport.c). A worker is a goroutine that waits for requests in C; it runs the method and
// fills in the answer. Receive and GetMessageCount need no worker: the messages that wait are in memory of C (queue.c). Go makes its
// threads by a CreateThread of ours, for under Wine a process may not end while one begins (threads.c).
//
// Under Wine a call of the system that waits, or wakes somebody, goes to Wine's server and back, and Go makes more of them around
// it. So datagrams are received by a thread of C, and sent by workers while they wait in C (datagrams.c); and Go's scheduler has
// events and timers of ours (waits.c).
//
// # Memory
//
// C looks whether the game's pointers can be read or written, and copies what they point at (memory.c); what cannot be read is nil
// for Go, which answers in memory of C. Objects are numbers, which are looked up.
//
// # What is where
//
// A method of IDirectPlay 2 to 4 is a function of directplay4.c or players.c, a number in request.h and a line of the table in
// dispatch.go.
package main

// #include "request.h"
import "C"

import "runtime"

func main() {} // a DLL has none

// One processor is enough for a game's messages. With more, threads of Go wake each other, which under Wine takes longer than
// what they do (TestDLLSpeed).
func init() {
	runtime.GOMAXPROCS(1)
	C.give_back_filter()
	go work()
}
