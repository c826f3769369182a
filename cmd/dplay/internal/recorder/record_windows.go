package recorder

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// record drives pktmon.
func (o *Options) record(ctx context.Context) (*Result, error) {
	program, err := exec.LookPath("pktmon.exe")
	if err != nil {
		return nil, errNoMonitor
	}
	if !windows.GetCurrentProcessToken().IsElevated() {
		return nil, errByHand
	}
	folder, err := os.MkdirTemp(filepath.Dir(o.File), "dplay-pktmon-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is the user's folder
	m := &pktmon{folder: folder, run: func(ctx context.Context, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP} // Ctrl-C is for us
		output, err := cmd.CombinedOutput()
		return string(output), err
	}}
	return m.record(ctx, o)
}
