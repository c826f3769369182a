package show

import (
	"fmt"
	"strconv"
	"time"

	"dplay4/wire"
)

// AppendJSON appends the statistics as one JSON object, without a newline. Lists are in the order of the tables;
// rates are null where no time passed, and names and identifiers where they are unknown:
//
//	messages, octets, first, last, seconds
//	commands:      [{command, messages, octets, messages_per_second, octets_per_second, joined_messages, joined_octets}]
//	players:       [{id, name, session_name, instance_guid, messages, octets, messages_per_second, octets_per_second}],
//	               what each of them sent
//	conversations: [{conversation, ends: [a, b], sent: [{messages, octets} by a, by b], first, last, seconds, rates}]
//	pings:         {sent, repeated, answered, unanswered, replies_to_none, round_trip_ms: {min, average, median, max},
//	               pairs: [{conversation, from, to, and the same}]}
//	links:         [{link, from, from_index, to, to_index, frames, reliable, octets, ..., round_trip_ms: {median, max}}],
//	               only where there are frames of the reliable protocol
//
// What is beyond a limit is in other_commands, other_players and other_conversations: {messages, octets}.
func (s *Stats) AppendJSON(b []byte) []byte {
	j := &JSON{b: append(b, '{'), levels: []byte{'}'}}
	j.tally(&s.total)
	j.times(s.first, s.last, s.total.messages)
	s.jsonCommands(j)
	s.jsonPlayers(j)
	s.jsonConversations(j)
	s.jsonPings(j)
	s.jsonLinks(j)
	j.close()
	return j.b
}

// openElement begins an object in a list.
func (j *JSON) openElement() {
	j.comma()
	j.open(false)
}

func (j *JSON) tally(t *tally) {
	j.number("messages", int64(t.messages))
	j.number("octets", t.octets)
}

// rates writes the rates of a tally, null where there was no time.
func (j *JSON) rates(t *tally, d time.Duration) {
	j.rate("messages_per_second", float64(t.messages), d)
	j.rate("octets_per_second", float64(t.octets), d)
}

func (j *JSON) rate(name string, n float64, d time.Duration) {
	j.key(name)
	v, ok := rate(n, d)
	if !ok {
		j.null()
		return
	}
	j.b = strconv.AppendFloat(j.b, v, 'f', 3, 64)
}

// times writes from when to when; null if there were no messages.
func (j *JSON) times(first, last time.Time, messages int) {
	for _, t := range [...]struct {
		name string
		at   time.Time
	}{{"first", first}, {"last", last}} {
		j.key(t.name)
		if messages == 0 {
			j.null()
			continue
		}
		j.b = append(j.clock.append(append(j.b, '"'), t.at), '"')
	}
	j.key("seconds")
	j.b = strconv.AppendFloat(j.b, last.Sub(first).Seconds(), 'f', 6, 64)
}

func (s *Stats) jsonCommands(j *JSON) {
	j.openList("commands")
	for _, c := range s.sortedCommands() {
		j.openElement()
		j.string("command", c.name)
		j.tally(&c.tally)
		j.rates(&c.tally, s.duration())
		j.number("joined_messages", int64(c.joined.messages))
		j.number("joined_octets", c.joined.octets)
		j.close()
	}
	j.close()
	j.others("other_commands", &s.otherCommands)
}

// others writes what is beyond a limit, if there is anything.
func (j *JSON) others(name string, t *tally) {
	if t.messages > 0 {
		j.openObject(name)
		j.tally(t)
		j.close()
	}
}

func (s *Stats) jsonPlayers(j *JSON) {
	j.openList("players")
	for _, p := range s.sortedPlayers() {
		j.openElement()
		j.string("id", p.id.String())
		j.orNull("name", p.name)
		j.orNull("session_name", p.session)
		j.orNull("instance_guid", p.guid())
		j.tally(&p.tally)
		j.rates(&p.tally, s.duration())
		j.close()
	}
	j.close()
	j.others("other_players", &s.otherPlayers)
}

func (p *playerTally) guid() string {
	if p.instance == (wire.GUID{}) {
		return ""
	}
	return p.instance.String()
}

func (s *Stats) jsonConversations(j *JSON) {
	j.openList("conversations")
	for _, c := range s.sortedConversations() {
		j.openElement()
		j.number("conversation", int64(c.number))
		j.openList("ends")
		for _, end := range c.ends {
			j.comma()
			j.quoted(end.At.String())
		}
		j.close()
		j.openList("sent")
		for way := range c.sent {
			j.openElement()
			j.tally(&c.sent[way])
			j.close()
		}
		j.close()
		j.times(c.first, c.last, 1)
		j.rates(&tally{c.sent[0].messages + c.sent[1].messages, c.octets()}, c.last.Sub(c.first))
		j.close()
	}
	j.close()
	j.others("other_conversations", &s.otherConversations)
}

func (s *Stats) jsonPings(j *JSON) {
	j.openObject("pings")
	j.pings(&s.pings)
	j.openList("pairs")
	for _, c := range s.sortedConversations() {
		for way := range c.pings {
			p := &c.pings[way]
			if p.sent+p.stray == 0 {
				continue
			}
			j.openElement()
			j.number("conversation", int64(c.number))
			j.string("from", c.ends[way].At.String())
			j.string("to", c.ends[1-way].At.String())
			j.pings(p)
			j.close()
		}
	}
	j.close()
	j.close()
}

func (j *JSON) pings(p *pingTally) {
	j.number("sent", int64(p.sent))
	j.number("repeated", int64(p.repeated))
	j.number("answered", int64(p.answered))
	j.number("unanswered", int64(p.unanswered()))
	j.number("replies_to_none", int64(p.stray))
	j.key("round_trip_ms")
	if p.answered == 0 {
		j.null()
		return
	}
	j.b = fmt.Appendf(j.b, `{"min":%s,"average":%s,"median":%s,"max":%s}`, milliseconds(p.min), milliseconds(p.average()),
		p.median("null"), milliseconds(p.max))
}
