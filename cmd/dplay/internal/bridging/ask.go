package bridging

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"
)

// ErrNoBridge means that no bridge of this user runs here.
var ErrNoBridge = errors.New(`no bridge of yours runs on this machine: "dplay bridge share" and "dplay bridge join" are ones`)

// ask asks the bridge that runs on this machine.
func ask(ctx context.Context, q question) (*reply, error) {
	path, err := doorPath()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoBridge
	}
	var to door
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", to.Address)
	if err != nil {
		return nil, ErrNoBridge // it was killed
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	q.Password = to.Password
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		return nil, err
	}
	r := &reply{}
	switch err := json.NewDecoder(conn).Decode(r); {
	case err != nil:
		return nil, ErrNoBridge // another program has the port now
	case r.Error != "":
		return nil, errors.New(r.Error)
	}
	return r, nil
}

// Do has the bridge that runs on this machine do something with a machine: kick, cut, admit or refuse. It returns which one that was.
func Do(ctx context.Context, command, who string) (*MachineObject, error) {
	r, err := ask(ctx, question{Command: command, Machine: who})
	if err != nil {
		return nil, err
	}
	return r.Machine, nil
}

// Running returns the code and the machines of the bridge that runs on this machine. The error is ErrNoBridge if there is none.
func Running(ctx context.Context) (code string, list []*MachineObject, err error) {
	r, err := ask(ctx, question{Command: "list"})
	if err != nil {
		return "", nil, err
	}
	return r.Code, r.Machines, nil
}

// RunningWays returns how octets go between the other machines of the bridge that runs on this machine.
func RunningWays(ctx context.Context) ([]*PairObject, error) {
	r, err := ask(ctx, question{Command: "ways"})
	if err != nil {
		return nil, err
	}
	return r.Pairs, nil
}
