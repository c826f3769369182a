package model_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"dplay4/hostmigrate/model"
	"dplay4/internal/testkit"

	"github.com/stretchr/testify/require"
)

// worlds are small enough that every fault which a missing rule makes is found in one of them.
var worlds = map[string]model.Options{
	"three":           {Machines: 3, Outside: 1, Changes: 2, Groups: 1, Suspicions: 2, Restarts: 1, Claims: 2, Epochs: 4},
	"four":            {Machines: 4, Outside: 1, Changes: 2, Groups: 2, Suspicions: 3, Restarts: 1, Leaves: 1, Forgeries: 1, Claims: 3, Epochs: 6},
	"split":           {Machines: 4, Split: 2, Changes: 2, Groups: 2, Suspicions: 2, Restarts: 1, Claims: 3, Epochs: 6},
	"five, split":     {Machines: 5, Split: 2, Outside: 1, Changes: 2, Groups: 2, Suspicions: 2, Restarts: 1, Leaves: 1, Claims: 3, Epochs: 6},
	"legacy member":   {Machines: 4, Legacy: 1, Changes: 2, Groups: 2, Suspicions: 2, Restarts: 1, Claims: 3, Epochs: 6},
	"legacy host":     {Machines: 4, Outside: 1, LegacyHost: true, Changes: 2, Groups: 2, Suspicions: 2, Claims: 3, Epochs: 6, LegacyActs: 2},
	"bad connection":  {Machines: 4, BadLink: true, Bad: [2]int{1, 2}, Changes: 2, Groups: 2, Claims: 3, Epochs: 6},
	"leader's is bad": {Machines: 4, BadLink: true, Bad: [2]int{0, 1}, Changes: 2, Groups: 2, Claims: 3, Epochs: 6},
}

// TestAllStates explores a small world exhaustively, up to a number of states.
func TestAllStates(t *testing.T) {
	t.Parallel()
	for _, o := range []model.Options{
		worlds["three"],
		{Machines: 2, Outside: 1, Changes: 1, Groups: 1, Suspicions: 1, Restarts: 1, Leaves: 1, Claims: 1, Forgeries: 1, Epochs: 3},
		{Machines: 3, Split: 1, Changes: 1, Groups: 1, Suspicions: 1, Claims: 2, Epochs: 5},
		{Machines: 3, LegacyHost: true, Changes: 1, Suspicions: 1, Claims: 1, Epochs: 3, LegacyActs: 1},
	} {
		o.States, o.Live = testkit.Number(t, "DPLAY_MODEL_STATES", 20_000), 20
		r, err := model.Explore(o)
		t.Logf("%+v: %v", o, r)
		require.NoError(t, err)
	}
}

// TestWalks takes random steps through each world.
func TestWalks(t *testing.T) {
	for name, o := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Walks, o.Depth, o.Live, o.Seed = testkit.Number(t, "DPLAY_MODEL_WALKS", 400), 60, 1, uint64(testkit.Number(t, "DPLAY_MODEL_BASE", 1))
			r, err := model.Explore(o)
			t.Log(r)
			require.NoError(t, err)
		})
	}
}

// TestDrawnWorlds takes random steps through worlds that are drawn.
func TestDrawnWorlds(t *testing.T) {
	t.Parallel()
	base := uint64(testkit.Number(t, "DPLAY_MODEL_BASE", 1))
	for i := range uint64(testkit.Number(t, "DPLAY_MODEL_WALKS", 400) / 20) {
		o := drawn(base + i)
		_, err := model.Explore(o)
		require.NoError(t, err, "%+v", o)
	}
}

func drawn(seed uint64) model.Options {
	r := rand.New(rand.NewPCG(seed, 2))
	n := func(most int) int8 { return int8(r.IntN(most + 1)) }
	o := model.Options{Machines: 2 + r.IntN(4), Changes: n(3), Groups: n(4), Suspicions: n(4), Restarts: n(2), Leaves: n(2), Claims: n(4),
		Epochs: 4 + n(6), Walks: 20, Depth: 20 + r.IntN(80), Live: 1, Seed: seed}
	o.Forgeries, o.LegacyActs = o.Leaves, n(2)
	switch r.IntN(4) {
	case 0:
		o.Legacy = r.IntN(o.Machines)
	case 1:
		o.LegacyHost = o.Machines > 2
	}
	if in := o.Machines - o.Legacy; in > 2 {
		o.Outside = r.IntN(2)
		if !o.LegacyHost && r.IntN(2) == 0 {
			o.Split = 1 + r.IntN(in-o.Outside-1)
		}
	}
	return o
}

// TestEachRule takes one rule after the other out, and has the model find the fault: a rule that nothing misses is no rule, or the model
// does not see what it is for.
func TestEachRule(t *testing.T) {
	in := map[model.Rule]string{
		model.Incarnations: "three", model.Promise: "four", model.Frozen: "split", model.StayIn: "three", model.NewestLog: "four",
		model.OwnData: "three", model.OnceEach: "three", model.OneView: "three", model.Gone: "legacy member", model.OneID: "split",
		model.LegacyID: "legacy host", model.OneNumbers: "legacy host", model.AskLeader: "leader's is bad", model.AskAccused: "bad connection",
		model.ProvenPrepare: "four", model.LostNotLeft: "four", model.Listener: "four", model.Evict: "three", model.Above: "four",
		model.Again: "four", model.SayAgain: "split", model.Claims: "three", model.SilentLegacy: "legacy member", model.Void: "four",
		model.TheirLeader: "five, split", model.Goodbye: "four", model.AnswersAck: "legacy host",
		model.Unvouched: "split",
	}
	rare := map[model.Rule]uint64{ // drawn worlds that need them
		model.LoseDeserter: 1682, model.Impatience: 9668, model.LostNumbers: 23754, model.LateAck: 1931}
	for _, rule := range model.Rules() {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			o, ok := worlds[in[rule]]
			o.Walks, o.Depth, o.Live, o.Seed = 10_000, 60, 1, 1
			if seed := rare[rule]; seed != 0 {
				o, ok = drawn(seed), true
			}
			require.True(t, ok, "no world for this rule")
			o.Without = rule
			r, err := model.Explore(o)
			var fault *model.Fault
			require.True(t, errors.As(err, &fault), "nothing was found in %v", r)
			require.NotEmpty(t, fault.Path)
			t.Log(r.States, fault.Text)
		})
	}
}

// TestLinks explores all that can happen between two programs.
func TestLinks(t *testing.T) {
	t.Parallel()
	without := map[model.Rule]int{}
	for _, o := range []model.LinkOptions{
		{Messages: 3, Breaks: 2, Kept: 2},
		{Messages: 3, Breaks: 1, Losses: 1, Kept: 2},
		{Messages: 2, Breaks: 1, Restarts: 1, Kept: 2},
		{Messages: 2, Losses: 1, Restarts: 1, Kept: 1},
	} {
		states, err := model.Links(o)
		require.NoError(t, err, "%+v", o)
		t.Logf("%+v: %d states, which are all", o, states)
		for _, rule := range model.LinkRules() {
			o.Without = rule
			var fault *model.Fault
			if _, err := model.Links(o); errors.As(err, &fault) {
				without[rule]++
			}
		}
	}
	for _, rule := range model.LinkRules() {
		require.NotZero(t, without[rule], "nothing is found without the rule %q", rule)
	}
}

// TestOptions has worlds refused that cannot be.
func TestOptions(t *testing.T) {
	for _, o := range []model.Options{
		{}, {Machines: 1}, {Machines: 6}, {Machines: 3, Legacy: 3}, {Machines: 3, Legacy: 2, Outside: 1}, {Machines: 3, Split: 3},
		{Machines: 3, Legacy: 1, Split: 2}, {Machines: 2, LegacyHost: true, Legacy: 1}, {Machines: 3, BadLink: true, Bad: [2]int{1, 3}},
		{Machines: 3, BadLink: true, Bad: [2]int{1, 1}}, {Machines: 3, Without: "made up"}, {Machines: 3, LegacyHost: true, Split: 1},
	} {
		_, err := model.Explore(o)
		require.Error(t, err, "%+v", o)
		var fault *model.Fault
		require.False(t, errors.As(err, &fault), "%+v", o)
	}
	for _, o := range []model.LinkOptions{{}, {Messages: 7, Kept: 1}, {Messages: 1}, {Messages: 1, Kept: 1, Restarts: 2}, {Messages: 1, Kept: 1, Breaks: -1}} {
		_, err := model.Links(o)
		require.Error(t, err, "%+v", o)
	}
}

func ExampleExplore() {
	_, err := model.Explore(model.Options{Machines: 3, Suspicions: 1, Claims: 1, Epochs: 3, States: 20_000, Without: model.StayIn})
	fmt.Println(err)
	// Output:
	// 1 is in no view any more
	//     leader 0 takes 1 for gone
	//     0 claims to 1
	//     CLAIM 0/1->1/2 view (1 1/1/1)
	//     CLAIM 1/2->0/1 view (1 1/1/1)
	//     PREPARE 0/1->1/2 view (2 1/1/1)
}
