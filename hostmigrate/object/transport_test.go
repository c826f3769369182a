package object

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// A line is a transport that keeps what it carries.
type line struct {
	sent []Send
	told []Event
}

func (l *line) Send(s *Send)  { l.sent = append(l.sent, *s) }
func (l *line) Tell(ev Event) { l.told = append(l.told, ev) }

// A table that is taken out of its session tells the program what happened, says nothing to anybody, and goes on in the next one.
func TestPart(t *testing.T) {
	ours, theirs := New(Config{Self: 1}), New(Config{Self: 2})
	for _, x := range []*Table{ours, theirs} {
		x.SetHost(0, 2)
		x.Join(0, 1)
		x.Join(0, 2)
	}
	id, err := ours.Create(0, []byte("rock"))
	require.NoError(t, err)
	var l line
	ours.Work(0, &l)
	require.Len(t, l.sent, 1)
	assert.Equal(t, wire.KindObjectCreate, l.sent[0].Message.Op)
	require.NoError(t, theirs.Receive(0, 1, &l.sent[0].Message))

	l = line{}
	theirs.Part(0, &l)
	assert.Empty(t, l.sent, "its ACK")
	require.Len(t, l.told, 1)
	assert.Equal(t, id, l.told[0].(ObjectCreated).ID)
	l = line{}
	theirs.Work(0, &l)
	assert.Equal(t, line{}, l)
	assert.ErrorIs(t, theirs.Migrate(0, id, 1), ErrNoPeer, "nobody is there")
	theirs.SetHost(0, 1)
	theirs.Join(0, 1)
	assert.NoError(t, theirs.Migrate(0, id, 2))
	theirs.Work(0, &l)
	require.Len(t, l.sent, 1)
	assert.EqualValues(t, 1, l.sent[0].To)
	assert.Equal(t, wire.KindObjectRequest, l.sent[0].Message.Op)
}

// A session without objects has a nil table.
func TestNilTable(t *testing.T) {
	var none *Table
	var l line
	none.SetHost(0, 1)
	none.Join(0, 1)
	none.Audit()
	none.Work(0, &l)
	none.Leave(0, 1)
	none.Part(0, &l)
	assert.Equal(t, line{}, l)
	assert.Equal(t, Never, none.Next())
	assert.Empty(t, none.Objects())
}
