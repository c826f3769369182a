//go:build linux

package wine_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
)

// The kinds of messages of dll/game, and how large they are.
const (
	menuKind, asideKind, startKind, turnKind, ackKind, largeKind, groupKind, doneKind = 'm', 'o', 's', 't', 'a', 'l', 'g', 'd'
	gameHeader                                                                        = 4
)

func menuSize(number int) int { return 4 + number*16%145 }
func turnSize(number int) int { return 34 + number*5%466 }

// gameMessage returns a message of the game.
func gameMessage(from wine.Word, kind byte, number, size int) []byte {
	b := []byte{kind, 0, byte(number), byte(number >> 8)}
	return append(b, wine.Octets(size-gameHeader, uint32(from)^uint32(kind)<<24^uint32(number))...)
}

// A puppet is "dplay host" or "dplay join" playing the game of dll/game: a program commands it.
type puppet struct {
	*ours
	me     wine.Word
	hosts  bool
	turns  int
	large  []int
	wanted int // players that play, the puppet among them; a joiner is told

	others  map[wine.Word]*puppetOther
	said    int  // menu messages
	started bool // the play has begun
	done    bool // it has said all
	turn    int
}

// A puppetOther is another player, and what it said.
type puppetOther struct {
	gameOther
	name  string
	next  int // menu message
	since int // menu messages since the last player came
	turns map[int]bool
}

// newPuppet starts the program with a player called puppet.
func newPuppet(ctx context.Context, t *testing.T, cmd *exec.Cmd) *puppet {
	t.Helper()
	p := &puppet{ours: begun(ctx, t, cmd), others: map[wine.Word]*puppetOther{}, turn: -1}
	p.me = word(t, p.player)
	kept := p.kept
	p.kept = nil
	for _, f := range kept {
		p.take(t, f)
	}
	return p
}

// command has the program do something.
func (p *puppet) command(t *testing.T, command map[string]any) {
	t.Helper()
	require.NoError(t, json.NewEncoder(p.stdin).Encode(command))
}

// says sends a message of the game to a player, or to everybody.
func (p *puppet) says(t *testing.T, to wine.Word, kind byte, number, size int) {
	t.Helper()
	command := map[string]any{"command": "send", "payload": hex.EncodeToString(gameMessage(p.me, kind, number, size)),
		"guaranteed": kind != turnKind && kind != ackKind}
	if to != 0 {
		command["to"] = to.String()
	}
	p.command(t, command)
}

// play plays until the others have left, or said that they are done. The others' messages set the pace.
func (p *puppet) play(ctx context.Context, t *testing.T) {
	t.Helper()
	for !p.over() {
		select {
		case f, ok := <-p.ours.said:
			require.True(t, ok, "dplay has ended")
			p.take(t, f)
		case <-ctx.Done():
			require.NoError(t, ctx.Err(), "turn %d: %+v", p.turn, p.others)
		}
		p.goOn(t)
	}
}

// over says that a host is alone, or that a joiner has heard everybody say that it is done.
func (p *puppet) over() bool {
	if !p.done {
		return false
	}
	for _, o := range p.others {
		if o.Here && (p.hosts || !o.Done || o.Acknowledged < p.turns) {
			return false
		}
	}
	return true
}

// here is how many players there are, the puppet among them.
func (p *puppet) here() int {
	n := 1
	for _, o := range p.others {
		if o.Here {
			n++
		}
	}
	return n
}

// talk answers a menu message with one. The host begins once all are there and have talked to each other.
func (p *puppet) talk(t *testing.T) {
	p.says(t, 0, menuKind, p.said, menuSize(p.said))
	p.said++
	talked := p.hosts && p.here() == p.wanted
	for _, o := range p.others {
		talked = talked && (!o.Here || o.since > 5)
	}
	if talked {
		p.command(t, map[string]any{"command": "set_session", "password": "sesame",
			"session_flags": []string{"newplayersdisabled", "joindisabled", "keepalive", "nodatamessages", "passwordrequired"}})
		p.says(t, 0, startKind, p.wanted, gameHeader)
		p.started = true
	}
}

// goOn begins the next turn when all have said what they do in this one.
func (p *puppet) goOn(t *testing.T) {
	if !p.started || p.done || p.here() < p.wanted {
		return
	}
	for _, o := range p.others {
		if o.Here && p.turn >= 0 && !o.turns[p.turn] {
			return
		}
	}
	if p.turn++; p.turn < p.turns {
		p.says(t, 0, turnKind, p.turn, turnSize(p.turn))
		return
	}
	for i, size := range p.large {
		p.says(t, 0, largeKind, i, size)
	}
	p.says(t, 0, doneKind, 0, gameHeader)
	p.done = true
}

// take takes note of what happened.
func (p *puppet) take(t *testing.T, f fact) {
	t.Helper()
	switch f.Event {
	case "player_created":
		if !f.Local {
			p.others[word(t, f.ID)] = &puppetOther{gameOther: gameOther{ID: word(t, f.ID), Here: true}, name: f.Name + "/" + f.LongName,
				turns: map[int]bool{}}
			for _, o := range p.others {
				o.since = 0
			}
		}
	case "player_deleted":
		p.others[word(t, f.ID)].Here = false
	case "message":
		o := p.others[word(t, f.From)]
		if assert.NotNil(t, o, "a message of nobody: %+v", f) {
			p.hear(t, o, f)
		}
	case "dropped", "session_lost":
		t.Errorf("%+v", f)
	}
}

// hear takes a message of the game.
func (p *puppet) hear(t *testing.T, o *puppetOther, f fact) {
	t.Helper()
	b, err := hex.DecodeString(f.Payload)
	require.NoError(t, err)
	if !assert.GreaterOrEqual(t, len(b), gameHeader) {
		return
	}
	number := int(b[2]) | int(b[3])<<8
	if !slices.Equal(b, gameMessage(o.ID, b[0], number, len(b))) {
		o.Damaged++
		return
	}
	assert.Equal(t, b[0] != turnKind && b[0] != ackKind, f.Guaranteed, "%c", b[0])
	switch b[0] {
	case menuKind:
		assert.Len(t, b, menuSize(number))
		if o.Menu > 0 && number != o.next {
			o.Gaps++
		}
		o.Menu++
		o.since++
		o.next = number + 1
		if !p.started {
			p.talk(t)
		}
	case asideKind:
		assert.Len(t, b, menuSize(number))
		o.Asides++
	case startKind:
		p.started, p.wanted = true, number
	case turnKind:
		p.hearTurn(t, o, number, len(b))
	case ackKind:
		o.Acknowledged++
	case largeKind:
		o.Large = append(o.Large, len(b))
	case doneKind:
		o.Done = true
	}
}

func (p *puppet) hearTurn(t *testing.T, o *puppetOther, number, size int) {
	assert.Equal(t, turnSize(number), size)
	if o.turns[number] {
		o.Twice++
		return
	}
	o.turns[number] = true
	o.Turns++
	p.says(t, o.ID, ackKind, number, gameHeader)
}
