// Command dplay reads and plays DirectPlay 4: what "dplay help" lists.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"dplay4/cmd/dplay/internal/cli"
)

func main() {
	window := cli.OwnWindow()
	args := inWindow(os.Args[1:], window)
	ctx := context.Background()
	if len(args) == 0 || args[0] != "menu" { // signals are for the command that the menu runs
		ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
		if !signal.Ignored(syscall.SIGHUP) { // as by nohup
			ends = append(ends, syscall.SIGHUP) // the terminal was closed: leave the session in good order
		}
		ending, stop := signal.NotifyContext(ctx, ends...)
		context.AfterFunc(ending, stop) // a second interrupt ends the program at once
		ctx = ending
	}
	status := run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
	if window == cli.ExplorersWindow && args[0] != "menu" {
		fmt.Print("\nPress Enter to close this window. ")
		os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // whatever comes, it is time to close
	}
	os.Exit(status)
}

// inWindow returns the arguments to run with. If Windows opened a window for this program, which would close at once behind help or an
// error, the menu runs instead: without arguments the program was double-clicked, with files these were dropped on it.
func inWindow(args []string, w cli.Window) []string {
	if w == cli.NoWindow {
		return args
	}
	if w == cli.OnlyWindow && len(args) > 0 {
		return args // perhaps a scheduled task, where nobody is to press a key
	}
	for _, name := range args {
		if info, err := os.Stat(name); err != nil || info.IsDir() {
			return args
		}
	}
	return append([]string{"menu", "--"}, args...)
}
