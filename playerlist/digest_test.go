package playerlist

import (
	"fmt"
	"slices"
	"testing"

	"dplay4/wire"

	"github.com/stretchr/testify/require"
)

// digested returns all that a digest is of, in the order of the ids.
func digested(l *List) []string {
	var all []string
	for _, e := range slices.Concat(l.Players(), l.Groups()) {
		if e.Group || e.Flags&wire.PlayerSystem == 0 {
			in := l.AppendShortcuts(l.AppendMembers(nil, e.ID), e.ID)
			slices.Sort(in)
			all = append(all, fmt.Sprintf("%v %v %v %v %q %q %x %v", e.ID, e.System, e.Flags, e.Parent,
				e.ShortName.As(wire.OnlyUTF16), e.LongName.As(wire.OnlyUTF16), e.Data, in))
		}
	}
	slices.Sort(all)
	return all
}

// Lists have the same digest if they have the same content, in whatever order it came: an operation changes the digest when, and only
// when, it changes that.
func TestDigest(t *testing.T) {
	require.Zero(t, new(List).Digest())
	changed := 0
	for i := range uint64(300) {
		s := newSeeded(i)
		want, l := randomList(s, 60), randomList(s, 60)
		for _, op := range Diff(l, want) {
			before, sum := digested(l), l.Digest()
			_, err := l.Apply(op)
			require.NoError(t, err)
			equal := slices.Equal(before, digested(l))
			require.Equal(t, equal, sum == l.Digest(), "%T %+v", op, op)
			if !equal {
				changed++
			}
		}
		require.Equal(t, digested(want), digested(l))
		require.Equal(t, want.Digest(), l.Digest())
	}
	require.Greater(t, changed, 1000)
}
