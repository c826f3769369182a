package main

// An attack is what somebody does to a session, and what the session is to be like meanwhile.
type attack struct {
	name, what string
	strike     func(*striker) error // does it until the striker's time is over
	member     bool                 // the attacker is in the session
	most       int                  // descriptors of the host
}

// These hold for every attack: the echo's median stays below timesBusy times that without an attack in the same run, which a busy
// machine makes larger as well; the host's memory stays below 256 MB; all machines that try to join meanwhile get in; and a stranger
// changes nothing for the members of the session. With --quiet the echo's median stays below what SECURITY.md promises: timesQuiet
// times that without an attack, or leastP50, half of a frame of a game, where that is more.
const (
	timesBusy  = 100
	timesQuiet = 10
	leastP50   = 7 // ms
	mostRSS    = 256
)

// few is how many descriptors a host of some members has, with room for those who join meanwhile.
const few = 150

var attacks = []attack{
	{"none", "no attack, for comparison", (*striker).nothing, false, few},
	{"stranger-udp", "a stranger's datagrams: you are dead, a player deleted, made or renamed, another host, text",
		(*striker).strangeDatagrams, false, few},
	{"stranger-tcp", "the same over connections", (*striker).strangeStreams, false, few},
	{"forged-source", "what belongs on TCP in datagrams from the addresses of host and member",
		(*striker).forgedDatagrams, false, few},
	{"dials-tcp", "8,000 requests for an id in one connection, each naming another port", (*striker).dialsByStream, false, few},
	{"dials-udp", "requests for an id in datagrams from 17 addresses, each naming another port",
		(*striker).dialsByDatagram, false, few + 64},
	{"idle", "1,023 connections of one stranger, with a PING each", (*striker).idle, false, few},
	{"idle-many", "1,020 connections of 17 strangers, with a PING each", (*striker).idleMany, false, few + 256},
	{"churn", "connections of a stranger, opened one after the other and left", (*striker).churn, false, few},
	{"unfinished", "1,023 messages of 1 MiB, all but their ends", (*striker).unfinished, false, few},
	{"unfinished-many", "1,020 messages of 60 kB of 17 strangers, all but their ends", (*striker).unfinishedMany, false, few + 256},
	{"rejoin-stranger", "a stranger who knows the host's id sends members elsewhere", (*striker).rejoinStranger, false, few},
	{"rejoin-member", "a member sends another one elsewhere", (*striker).rejoinMember, true, few},
	{"flood-tcp", "a member's game messages of 64 octets over TCP at full rate", (*striker).floodStream, true, few},
	{"flood-udp", "the same in datagrams", (*striker).floodDatagrams, true, few},
	{"flood-names", "a member that renames itself at full rate, with names of 200 kB", (*striker).floodNames, true, few},
	{"flood-large", "a member's game messages of 60 kB at full rate", (*striker).floodLarge, true, few},
	{"fill-list", "a member makes 40 players with 60 kB of data each", (*striker).fillList, true, few},
}
