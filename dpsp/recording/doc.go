// Package recording writes the traffic of a session that this project takes part in as a pcapng file, which
// package captures, tshark and Wireshark read.
//
// A session knows messages, not packets. So the packets are made up around them, and say no more than the session
// knows: messages, their times and their sockets are real; Ethernet addresses, handshakes, sequence numbers and
// acknowledgements are not. Every message over TCP begins a segment of its own, as large as one may be, for readers
// that look at single segments. A connection begins with its first message and ends with the recording. What
// was lost on the way, or never got out, is not to be seen: it is the session's view.
package recording
