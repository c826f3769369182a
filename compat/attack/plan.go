package main

import "slices"

// An attack is what somebody does to a session, and what the session is to be like meanwhile.
type attack struct {
	name, what string
	strike     func(*striker) error // does it until the striker's time is over
	enter      func(*striker) error // makes the attacker a member before; nil: it is a stranger
	in         setting
	most       int // descriptors of the host
}

// A setting is the session that is attacked.
type setting struct {
	framed bool // it has DIRECTPLAYPROTOCOL
	crowd  int  // members besides the host, the control and the attackers
}

// A goal is what the other members may notice of an attack: how many times longer echoes take than without an attack in the same
// run, at the median and at the 99th percentile, and how many more of a hundred are lost.
type goal struct{ p50, p99, loss float64 }

// goal returns what SECURITY.md promises. A stranger costs the members nothing that stands out of the noise. A member may take a
// share of the host, and no more.
func (a attack) goal() goal {
	if a.enter != nil {
		return goal{10, 50, 5}
	}
	return goal{10, 10, 1}
}

// Besides the goal these hold for every attack:
//   - The host's memory stays below mostRSS.
//   - All machines that try to join meanwhile get in within mostWait.
//   - No machine opens more than mostThird connections to one that is in no session.
//   - Nothing changes for the other members.
//
// An echo may always take the least limit, because ten times the idle time of a quiet machine is less than anybody notices. leastP50
// is half of a frame of a game. leastP99 is two frames at 60 a second: nobody sees that one message in a hundred is so late.
//
// Without --quiet the limits on times are timesBusy times as high, because a busy machine makes every echo late. An attack that fails
// by a time or by lost echoes is then tried again, up to tries times in all, each time beside another run without an attack.
const (
	leastP50  = 7  // ms
	leastP99  = 33 // ms
	mostWait  = 3  // s
	mostRSS   = 256
	mostThird = 16

	timesBusy = 10
	tries     = 3
)

// few is how many descriptors a host of some members has, with room for those who join meanwhile.
const few = 150

// Settings of attacks.
var (
	plain  = setting{}
	frames = setting{framed: true}
	crowd  = setting{crowd: 22} // with host, control and the 40 attackers of "unread" there are 64 members
)

var attacks = []attack{
	{"none", "no attack, for comparison", (*striker).nothing, nil, plain, few},
	{"stranger-udp", "a stranger's datagrams: you are dead, a player deleted, made or renamed, another host, text",
		(*striker).strangeDatagrams, nil, plain, few},
	{"stranger-tcp", "the same over connections", (*striker).strangeStreams, nil, plain, few},
	{"forged-source", "what belongs on TCP in datagrams from the addresses of host and member",
		(*striker).forgedDatagrams, nil, plain, few},
	{"dials-tcp", "8,000 requests for an id in one connection, each naming another port",
		(*striker).dialsByStream, nil, plain, few},
	{"dials-udp", "requests for an id in datagrams from 17 addresses, each naming another port",
		(*striker).dialsByDatagram, nil, plain, few + 64},
	{"third-newcomer", "25 newcomers that give the listener of a third machine as their own",
		(*striker).thirdByNewcomers, nil, plain, few},
	{"third-list", "a hostile host whose list has 400 machines, all at ports of a third one",
		(*striker).thirdByList, nil, plain, few},
	{"idle", "1,023 connections of one stranger, with a PING each", (*striker).idle, nil, plain, few},
	{"idle-many", "1,020 connections of 17 strangers, with a PING each", (*striker).idleMany, nil, plain, few + 256},
	{"churn", "connections of a stranger, opened one after the other and left", (*striker).churn, nil, plain, few},
	{"unfinished", "1,023 messages of 1 MiB, all but their ends", (*striker).unfinished, nil, plain, few},
	{"unfinished-many", "1,020 messages of 60 kB of 17 strangers, all but their ends",
		(*striker).unfinishedMany, nil, plain, few + 256},
	{"rejoin-stranger", "a stranger who knows the host's id sends members elsewhere", (*striker).rejoinStranger, nil, plain, few},
	{"rejoin-member", "a member sends another one elsewhere", (*striker).rejoinMember, (*striker).enterTold, plain, few},
	{"quiet-newcomers", "25 machines of a stranger join, one after the other, and read nothing any more",
		(*striker).quietNewcomers, nil, plain, few + 64},
	{"no-ack", "a member acknowledges no newcomer, and others that do not exist",
		(*striker).wrongAcks, (*striker).enterDeaf, plain, few},
	{"reset", "the connections between two members are reset, three times", (*striker).reset, (*striker).enterFriend, plain, few},
	{"flood-tcp", "a member's game messages of 64 octets over TCP at full rate",
		(*striker).floodStream, (*striker).enterOne, plain, few},
	{"flood-udp", "the same in datagrams", (*striker).floodDatagrams, (*striker).enterOne, plain, few},
	{"flood-ping", "a member's PINGs in datagrams at full rate", (*striker).floodPings, (*striker).enterOne, plain, few},
	{"flood-names", "a member that renames itself at full rate, with names of 200 kB",
		(*striker).floodNames, (*striker).enterOne, plain, few},
	{"flood-large", "a member's game messages of 60 kB at full rate", (*striker).floodLarge, (*striker).enterOne, plain, few},
	{"fill-list", "a member makes 40 players with 60 kB of data each", (*striker).fillList, (*striker).enterOne, plain, few},
	{"fill-list-many", "nine members of one address make players with 127 kB of data each",
		(*striker).fillListMany, (*striker).enterNine, plain, few},
	{"claim-left", "somebody who has left sends all messages about views, for a host at a port where nobody listens",
		(*striker).claimLeft, (*striker).enterAndLeave, plain, few},
	{"rejoin-made-up", "the same has machines come back that were never in the session",
		(*striker).rejoinMadeUp, (*striker).enterAndLeave, plain, few},
	{"join-lies", "the same asks to be let in with the id of a member, and states a newer list in which nobody else is",
		(*striker).joinLies, (*striker).enterAndLeave, plain, few},
	{"member-lies", "a member sends all messages about views in the name of others",
		(*striker).memberLies, (*striker).enterTold, plain, few},
	{"objects", "a member makes 559 objects of 60 kB, and leaves", (*striker).objects, (*striker).enterOne, plain, few},
	{"none-framed", "no attack on a session with DIRECTPLAYPROTOCOL, for comparison", (*striker).nothing, nil, frames, few},
	{"stranger-frames", "a stranger's frames of the reliable protocol at full rate",
		(*striker).strangeFrames, nil, frames, few},
	{"stranger-noise", "a stranger's datagrams of random octets at full rate", (*striker).noise, nil, frames, few},
	{"none-crowded", "no attack on a session of 24 members, for comparison", (*striker).nothing, nil, crowd, few + 64},
	{"unread", "40 of 64 members read nothing, and ask for the list every 5 ms",
		(*striker).unread, (*striker).enterUnread, crowd, few + 256},
}

// comparison returns the run without an attack that attacks on a session are compared with.
func (s setting) comparison() attack {
	return attacks[slices.IndexFunc(attacks, func(a attack) bool { return a.in == s })] // the first one of each setting
}

// attackOf returns the attack with a name.
func attackOf(name string) (attack, bool) {
	i := slices.IndexFunc(attacks, func(a attack) bool { return a.name == name })
	if i < 0 {
		return attack{}, false
	}
	return attacks[i], true
}
