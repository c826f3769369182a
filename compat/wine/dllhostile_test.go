//go:build linux

package wine_test

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// Codes of COM that are not of DirectPlay.
const (
	errPointer       wire.HResult = 0x80004003
	errNoAggregation wire.HResult = 0x80040110
)

// A hostileRule says what a method answers. The pattern is stage, method, kind of argument (hostilemethods.c) and what is wrong with
// it: none is NULL, bad an address that must not be used, odd one that is as good as any, spoilt a good one of what is wrong
// inside, wild a number of nobody's. The first rule that fits counts.
type hostileRule struct {
	pattern string
	codes   []wire.HResult
}

func codes(list ...wire.HResult) []wire.HResult { return list }

// hostileRules: where Wine's tests say what Windows answers, this is it, and for the rest what the documentation of the
// interfaces says. Numbers that are no flags are answered by many codes; that they are answered is what counts.
var hostileRules = []hostileRule{
	// IDirectPlay answers as the others do; these are arguments that they have not
	{"new Open D odd", codes(wire.ErrUninitialized)},
	{"* Open D odd", codes(wire.ErrInvalidFlags)},
	{"* Open D *", codes(wire.ErrInvalidParams)},
	{"connected EnumSessions D odd", codes(wire.OK)},
	{"hosting EnumSessions D odd", codes(wire.ErrGeneric)},
	{"connected SaveSession * *", codes(wire.ErrNoSessions)},
	{"hosting SaveSession * *", codes(wire.ErrUnsupported)},
	{"connected EnableNewPlayers * *", codes(wire.ErrNoSessions)},
	{"hosting EnableNewPlayers * *", codes(wire.OK)},
	{"hosting Enum* u *", codes(wire.OK)},
	{"hosting * 8 none", codes(wire.OK)},
	{"hosting CreatePlayer H none", codes(wire.OK)},
	{"hosting GetPlayerName B none", codes(wire.ErrBufferTooSmall)},

	{"* QueryInterface o none", codes(errPointer)},
	{"* QueryInterface o bad", codes(errPointer)},
	{"* QueryInterface * odd", codes(wire.OK)},
	{"* QueryInterface * *", codes(wire.ErrInvalidParams)},

	// an object without a connection says so, before it looks at anything but what would give it one
	{"new Initialize g odd", codes(wire.OK)},
	{"new InitializeConnection a odd", codes(wire.OK)},
	{"* InitializeConnection f wild", codes(wire.ErrInvalidFlags)},
	{"* Initialize* * odd", codes(wire.ErrAlreadyInitialized)},
	{"* Initialize* * *", codes(wire.ErrInvalidParams)},
	{"* EnumConnections g *", codes(wire.OK)}, // all applications have the same
	{"* EnumConnections f wild", codes(wire.OK, wire.ErrInvalidFlags)},
	{"* EnumConnections c *", codes(wire.ErrInvalidParams)},
	{"* CancelPriority u wild", codes(wire.ErrInvalidPriority)},
	{"* Cancel* f wild", codes(wire.ErrInvalidFlags)},
	{"* SecureOpen [vw] bad", codes(wire.ErrInvalidParams)},
	{"* SecureOpen [vw] spoilt", codes(wire.ErrInvalidParams, wire.ErrInvalidFlags, wire.ErrUninitialized)}, // no text is followed
	{"new *Open s odd", codes(wire.ErrUninitialized)},
	{"* *Open s none", codes(wire.ErrInvalidParams)},
	{"* *Open s bad", codes(wire.ErrInvalidParams)},
	{"* *Open s spoilt", codes(wire.ErrInvalidParams)},
	{"new * * *", codes(wire.ErrUninitialized)},

	{"* Open s odd", codes(wire.ErrInvalidFlags)},                                                           // neither create nor join
	{"connected Open f wild", codes(wire.OK, wire.ErrInvalidFlags, wire.ErrConnecting, wire.ErrNoSessions)}, // the known bits count
	{"* Open f wild", codes(wire.ErrInvalidFlags, wire.ErrAlreadyInitialized, wire.ErrConnecting)},
	{"* SecureOpen f wild", codes(wire.ErrInvalidFlags, wire.ErrAlreadyInitialized, wire.ErrNoSessions,
		wire.ErrCantLoadSecurityPackage)},
	{"* SecureOpen * *", codes(wire.ErrInvalidFlags)},
	{"* EnumSessions f wild", codes(wire.ErrInvalidParams)},
	{"hosting EnumSessions s odd", codes(wire.ErrGeneric)}, // whoever hosts cannot search
	{"* EnumSessions s odd", codes(wire.OK)},
	{"* EnumSessions * *", codes(wire.ErrInvalidParams)},
	{"* GetCaps f wild", codes(wire.OK)},
	{"* GetCaps k odd", codes(wire.OK)},
	{"* GetCaps k *", codes(wire.ErrInvalidParams)},
	{"* GetPlayerCaps k none", codes(wire.ErrInvalidParams)},
	{"* GetPlayerCaps k bad", codes(wire.ErrInvalidParams)},
	{"* GetPlayerCaps k spoilt", codes(wire.ErrInvalidParams)},
	{"* GetMessageCount i none", codes(wire.ErrInvalidParams)},
	{"* GetMessageCount i bad", codes(wire.ErrInvalidParams)},
	{"connected Receive [iq] none", codes(wire.ErrInvalidParams)},
	{"connected Receive [iq] bad", codes(wire.ErrInvalidParams)},
	{"connected Receive * *", codes(wire.ErrNoMessages)},

	// a connection without a session has no players and no groups
	{"connected CreateGroupInGroup * *", codes(wire.ErrInvalidGroup)},
	{"connected Create* * *", codes(wire.ErrInvalidParams)},
	{"connected EnumPlayers * *", codes(wire.ErrNoSessions)},
	{"connected EnumGroups * *", codes(wire.ErrNoSessions)},
	{"connected *SessionDesc * *", codes(wire.ErrNoSessions)},
	{"connected GetPlayerAccount * *", codes(wire.ErrNoSessions)},
	{"connected CancelMessage u wild", codes(wire.ErrNoSessions)},
	{"connected GetMessageQueue f wild", codes(wire.ErrInvalidFlags)},
	{"connected Enum*Group* f wild", codes(wire.ErrNoSessions, wire.ErrInvalidGroup)},
	{"connected StartSession * *", codes(wire.ErrInvalidGroup)},
	{"connected *Group* * *", codes(wire.ErrInvalidGroup)},
	{"connected * * *", codes(wire.ErrInvalidPlayer)},

	{"hosting *GroupConnectionSettings G *", codes(wire.ErrInvalidGroup)},
	{"hosting *GroupConnectionSettings * *", codes(wire.ErrUnsupported)},
	{"hosting GetPlayerAccount * *", codes(wire.ErrUnsupported)},
	{"hosting StartSession f *", codes(wire.ErrUnsupported)},
	{"hosting *GroupOwner [iP] *", codes(wire.ErrUnsupported)},
	{"hosting CancelMessage u wild", codes(wire.ErrUnknownMessage)},
	{"hosting Receive F wild", codes(wire.OK, wire.ErrNoMessages, wire.ErrBufferTooSmall)},
	{"hosting SendEx i none", codes(wire.OK)},
	{"hosting SendEx u wild", codes(wire.ErrInvalidPriority)},
	{"hosting Send* T wild", codes(wire.ErrInvalidParams)},
	{"hosting Send* f wild", codes(wire.ErrInvalidFlags)},
	{"hosting SendChatMessage t spoilt", codes(wire.ErrInvalidParams, wire.OK)}, // dwSize is not looked at
	{"hosting GetMessageQueue i none", codes(wire.OK)},
	{"hosting GetMessageQueue [PT] wild", codes(wire.ErrInvalidPlayer)},
	{"hosting GetMessageQueue f wild", codes(wire.ErrInvalidFlags)},
	{"hosting Enum* g *", codes(wire.OK)}, // the instance counts for other sessions alone
	{"hosting Enum* f wild", codes(wire.OK, wire.ErrInvalidParams)},
	{"hosting [GC]* f wild", codes(wire.OK)},
	{"hosting CreatePlayer h wild", codes(wire.OK)}, // whether it is an event shows when it is set
	{"* * n none", codes(wire.OK)},
	{"* * P wild", codes(wire.ErrInvalidPlayer)},
	{"* * G wild", codes(wire.ErrInvalidGroup)},

	{"lobb* * N wild", codes(errNoAggregation)},
	{"lobb* Connect* f wild", codes(wire.ErrInvalidFlags)},
	{"lobby Connect* * odd", codes(wire.ErrNotLobbied)},
	{"lobb* EnumAddressTypes g none", codes(wire.ErrInvalidObject)},
	{"lobb* EnumAddressTypes g bad", codes(wire.ErrInvalidObject)},
	{"lobb* *ConnectionSettings u wild", codes(wire.ErrNotLobbied)},
	{"lobb* * u wild", codes(wire.ErrAppNotStarted)},
	{"lobb* SetLobbyMessageEvent h wild", codes(wire.OK)},
	{"lobb* RunApplication * odd", codes(wire.ErrUnknownApplication)},
	{"lobb* RunApplication h wild", codes(wire.ErrUnknownApplication)},
	{"lobb* UnregisterApplication * odd", codes(wire.ErrNotRegistered)},
	{"lobb* SendLobbyMessage d odd", codes(wire.ErrNotLobbied)},
	{"lobby GetConnectionSettings b *", codes(wire.ErrNotLobbied)},
	{"lobby GetConnectionSettings q odd", codes(wire.ErrNotLobbied)},
	{"lobby ReceiveLobbyMessage b *", codes(wire.ErrNotLobbied)},
	{"lobby ReceiveLobbyMessage * odd", codes(wire.ErrNotLobbied)},
	{"lobbied ReceiveLobbyMessage b *", codes(wire.ErrNoMessages)},
	{"lobbied ReceiveLobbyMessage * odd", codes(wire.ErrNoMessages)},

	{"* * b none", codes(wire.ErrBufferTooSmall)},
	{"* * * odd", codes(wire.OK)},
	{"* * * *", codes(wire.ErrInvalidParams)},
}

// ruled returns what a method has to answer.
func ruled(t *testing.T, what string) []wire.HResult {
	t.Helper()
	for _, r := range hostileRules {
		fits, err := path.Match(r.pattern, what)
		require.NoError(t, err)
		if fits {
			return r.codes
		}
	}
	panic("the last rule fits everything")
}

// hostility is what a run of hostile.c has done, by stage.
type hostility struct {
	methods  map[string]map[string]bool
	calls    int
	plays    bool
	finished bool
}

// read holds a line of hostile.c against the rules.
func (h *hostility) read(t *testing.T, line string) {
	words := strings.Fields(line)
	switch {
	case line == "still plays":
		h.plays = true
		return
	case line == "end":
		h.finished = true
		return
	case len(words) < 4 || words[0] == "calls":
		return
	}
	stage, method, at, kind := words[0], words[1], words[2], words[3]
	if h.methods[stage] == nil {
		h.methods[stage] = map[string]bool{}
	}
	h.methods[stage][method] = true
	tried := 0
	for rest := words[4:]; len(rest) >= 3; rest = rest[3:] {
		code, err := strconv.ParseUint(rest[1], 16, 32)
		require.NoError(t, err, line)
		n, err := strconv.Atoi(rest[2])
		require.NoError(t, err, line)
		what := strings.Join([]string{strings.TrimSuffix(stage, "1"), method, kind, rest[0]}, " ")
		assert.Contains(t, ruled(t, what), wire.HResult(code), "%s, argument %s, %d times", what, at, n)
		tried += n
	}
	assert.GreaterOrEqual(t, tried, 18, line) // code is in fewer odd places than data
	h.calls += tried
}

// TestDLLHostile gives every method of IDirectPlay, IDirectPlay4 and IDirectPlayLobby3 bad arguments, 21 of each, without a
// connection, without a session and in one that it hosts, and then any arguments by a seed. The process lives, its session goes
// on, and the answers are those of the rules.
func TestDLLHostile(t *testing.T) {
	wineTest(t)
	t.Parallel()
	random := 5000
	if os.Getenv("DPLAY_LONG") != "" {
		random = 50000
	}
	for i, arch := range []string{"386", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w := new(windowsBuild)
			w.boot(ctx, t, lab, arch)
			program := w.putDLLs(ctx, t, arch, dllProgram(t, arch, "hostile", "dll/hostilecall.c", "dll/hostilekinds.c",
				"dll/hostilemethods.c", "dll/hostilepointers.c", "-ldxguid"))
			said, status := finished(t, w.command(ctx, program, []string{"a", "w"}[i], strconv.Itoa(7+i), fmt.Sprint(random)))
			h := hostility{methods: map[string]map[string]bool{}}
			for line := range strings.Lines(said) {
				h.read(t, strings.TrimSpace(line))
			}
			assert.Zero(t, status, "%s", said[max(0, len(said)-500):])
			assert.True(t, h.finished)
			assert.True(t, h.plays)
			for stage, methods := range map[string]int{"new1": 22, "connected1": 22, "hosting1": 22, "new": 50, "connected": 50,
				"hosting": 50, "lobby": 17, "lobbied": 17} {
				assert.Len(t, h.methods[stage], methods, stage) // of 25, 53 and 19: some have no arguments
			}
			assert.GreaterOrEqual(t, h.calls, 13000)
		})
	}
}
