// Package links follows the frames of the reliable protocol ([MC-DPL4R]) between two players, as a capture shows them:
// what was sent again, what was answered and how soon, what stayed without an answer, and what is missing.
//
// A [Tracker] takes frame after frame and makes a [Link] of each direction between two player indexes of two machines.
// A [Peer] is what is known of the machine that sends: where the specification leaves a question open, the frames show
// which answer its program gives.
//
// # What a capture can show
//
// A capture stands somewhere on the way. What is lost before it shows as messageids and serials that are missing, what
// is lost behind it as frames that come again, or as octets that the receiver did not count. Round trips are those
// between the capture and the receiver: near the receiver they are short.
//
// # Numbers
//
// A messageid and a sequence have 8 bits; both are continued beyond that from the newest one seen, half of the numbers
// ahead and half behind. A frame that begins a message whose messageid is known with other octets begins a new link, and
// so does one that leaps to the first messageid: nothing in a frame tells an old link from a new one.
package links
