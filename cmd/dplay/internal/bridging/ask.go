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

// Ask sends a command to the bridge that runs on this machine: kick, cut, admit or refuse, which are about a machine, or list or ways.
// The error is ErrNoBridge if no bridge runs.
func Ask(ctx context.Context, command, machine string) (Reply, error) {
	path, err := doorPath()
	if err != nil {
		return Reply{}, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Reply{}, ErrNoBridge
	}
	var to door
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	if err != nil {
		return Reply{}, fmt.Errorf("%s: %w", path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, controlTime)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", to.Address)
	if err != nil {
		return Reply{}, ErrNoBridge // it was killed
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })()
	if err := json.NewEncoder(conn).Encode(question{to.Password, command, machine}); err != nil {
		return Reply{}, err
	}
	var r Reply
	switch err := json.NewDecoder(conn).Decode(&r); {
	case err != nil:
		return Reply{}, ErrNoBridge // another program has the port now
	case r.Error != "":
		return Reply{}, errors.New(r.Error)
	}
	return r, nil
}
