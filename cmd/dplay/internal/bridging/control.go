package bridging

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/outfile"
	"dplay4/dpsp/bridge"
)

// A control is where other terminals of the user reach a bridge that runs: a port of loopback, whose number and whose password
// are in a file that is the user's alone.
type control struct {
	listener net.Listener
	path     string
	door     door
}

// A door is what the file says.
type door struct {
	Address  string `json:"address"`
	Password string `json:"password"`
}

// A question is what is asked there, and a Reply what is answered.
type (
	question struct {
		Password string `json:"password"`
		Command  string `json:"command"` // kick, cut, admit, refuse, list or ways
		Machine  string `json:"machine,omitempty"`
	}
	Reply struct {
		Error    string           `json:"error,omitempty"`
		Code     string           `json:"code,omitempty"`
		Machine  *MachineObject   `json:"machine,omitempty"`
		Machines []*MachineObject `json:"machines,omitempty"`
		Pairs    []*PairObject    `json:"pairs,omitempty"`
	}
)

// doorPath returns where the file is. A machine has one bridge: its ports say so.
func doorPath() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", errors.New("there is no folder for it: neither XDG_CACHE_HOME nor HOME is set")
	}
	return filepath.Join(folder, "dplay4", "bridge.json"), nil
}

// openControl opens one.
func openControl() (*control, error) {
	path, err := doorPath()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &control{listener: l, path: path, door: door{l.Addr().String(), rand.Text()}}
	text, err := json.Marshal(c.door)
	if err == nil {
		_ = os.Remove(path) // one that others may read would stay so
		err = outfile.Write(path, text, outfile.Options{Mode: outfile.Private, Force: true})
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return c, nil
}

// controlTime is how long a question and its answer may take.
const controlTime = 5 * time.Second

// maxQuestion bounds a question, in octets.
const maxQuestion = 4 << 10

// serve answers questions until the control is closed.
func (c *control) serve(s Session) {
	for {
		conn, err := c.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			ctx, cancel := context.WithTimeout(context.Background(), controlTime)
			defer cancel()
			_ = conn.SetDeadline(time.Now().Add(controlTime))
			var q question
			if json.NewDecoder(io.LimitReader(conn, maxQuestion)).Decode(&q) != nil || q.Password != c.door.Password {
				return
			}
			_ = json.NewEncoder(conn).Encode(q.answer(ctx, s))
		}()
	}
}

// Answer has other terminals of the user reach a session, until stop is called.
func Answer(s Session, std cli.Streams) (stop func()) {
	c, err := openControl()
	if err != nil {
		std.Tell(`other terminals, as with "dplay bridge kick", do not reach this bridge: ` + err.Error())
		return func() {}
	}
	go c.serve(s)
	return c.close
}

// asked are the commands about a machine, and those that a newcomer is answered by.
var asked = map[string]func(s Session, who string) (*MachineObject, error){
	"kick":   kick,
	"cut":    cut,
	"admit":  func(s Session, who string) (*MachineObject, error) { return admit(s, who, true) },
	"refuse": func(s Session, who string) (*MachineObject, error) { return admit(s, who, false) },
}

// admit answers a newcomer, and returns its object.
func admit(s Session, who string, yes bool) (*MachineObject, error) {
	a, err := Admit(s, who, yes)
	if err != nil {
		return nil, err
	}
	return askerObject(a.ID, a.Name), nil
}

// answer does what is asked.
func (q *question) answer(ctx context.Context, s Session) (r Reply) {
	var err error
	switch do := asked[q.Command]; {
	case do != nil:
		r.Machine, err = do(s, q.Machine)
	case q.Command == "list":
		r.Code, r.Machines = s.Code(), machines(s)
	case q.Command == "ways":
		var pairs []bridge.PairWay
		pairs, err = s.Ways(ctx)
		r.Pairs = PairsOf(pairs)
	default:
		err = errors.New("it is of another version: it knows no " + q.Command)
	}
	if err != nil {
		return Reply{Error: err.Error()}
	}
	return r
}

// close ends the control.
func (c *control) close() {
	c.listener.Close()
	var now door
	if text, err := os.ReadFile(c.path); err == nil && json.Unmarshal(text, &now) == nil && now == c.door {
		_ = os.Remove(c.path)
	}
}
