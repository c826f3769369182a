// Package annotate writes what this project knows of a capture into the capture: messages and findings as comments on
// the packets, sessions and the doctor's verdict as comments on the file. Wireshark and tshark show them.
//
// A message may be complete long after its frames: behind a gap that a later segment fills, or at the end of the file.
// So a capture is read twice:
//
//	Read:  file -> doctor.Examine, which hands on captures.Read's records -> comments by frame, sorted on disk
//	Write: file, comments -> pcapfile.Copy -> file
//
// Memory depends on the limits in limits.go, and grows by a buffer for each maxUnsorted octets of comments.
package annotate
