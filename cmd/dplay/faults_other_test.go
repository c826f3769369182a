//go:build !linux

package main

// asHost is the variable that makes this test program be a host that is not ours, which takes Linux.
const asHost = "DPLAY_TEST_AS_HOST"

func beHost(string) {}
