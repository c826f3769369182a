package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"dplay4/captures"
	"dplay4/cmd/dplay/internal/flags"
)

// portFlag is --port: ports that are DirectPlay's without proof.
type portFlag []uint

func (f *portFlag) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.UintSliceVar((*[]uint)(f), "port", nil, "take `PORT` for DirectPlay's without proof, TCP and UDP; may be repeated")
	set.Lookup("port").DefValue = "" // pflag would show an empty list
	flags.NoFiles(cmd, "port")
}

// into puts the ports into options.
func (f portFlag) into(o *captures.Options) error {
	for _, p := range f {
		if p == 0 || p > 65535 {
			return fmt.Errorf("--port %d: ports go from 1 to 65535", p)
		}
		o.Ports = append(o.Ports, uint16(p))
	}
	return nil
}

// captureFlags are the flags that say how captures are read, and what is told of it.
type captureFlags struct {
	ports                portFlag
	messageIDs, reliable flags.Choice
	noProgress, quiet    bool
	options              captures.Options
}

func newCaptureFlags() captureFlags {
	return captureFlags{messageIDs: flags.NewChoice("auto", "yes", "no"), reliable: flags.NewChoice("auto", "yes", "no")}
}

func (f *captureFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	f.ports.register(cmd)
	f.messageIDs.AddTo(cmd, "message-ids", "do game messages carry player ids? auto: by the session's flags")
	f.reliable.AddTo(cmd, "reliable", "does UDP carry the reliable protocol? auto: by the session's flags")
	set.BoolVar(&f.noProgress, "no-progress", false, "no progress bar for long files on a terminal")
	set.BoolVarP(&f.quiet, "quiet", "q", false, "no summary on standard error")
}

// check fills in the options.
func (f *captureFlags) check() error {
	f.options.MessageIDs = captureChoice(f.messageIDs)
	f.options.Reliable = captureChoice(f.reliable)
	return f.ports.into(&f.options)
}

func captureChoice(c flags.Choice) captures.Choice {
	return map[string]captures.Choice{"auto": captures.Auto, "yes": captures.Yes, "no": captures.No}[c.Value]
}
