package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dplay4/captures"
	"dplay4/captures/draw"
)

// drawFlags are the flags of "dplay draw".
type drawFlags struct {
	format            choice
	out, report       string
	conversation      string
	filter            string
	width, rows       int
	ascii             bool
	color             choice
	noFindings        bool
	ports             []uint
	messageIDs        choice
	reliable          choice
	noProgress, quiet bool
	options           captures.Options
	only              *conversationChoice // nil: all
	picture           bool                // wanted besides a report
}

// leastWidth is how narrow a picture in text may be asked for.
const leastWidth = 60

func newDraw(std streams) *cobra.Command {
	f := &drawFlags{
		format:     newChoice("text", "svg", "mermaid"),
		color:      newChoice("auto", "always", "never"),
		messageIDs: newChoice("auto", "yes", "no"),
		reliable:   newChoice("auto", "yes", "no"),
	}
	cmd := &cobra.Command{
		Use:                   "draw [flags] FILE",
		Short:                 "Draw who says what to whom in a packet capture, or make a report of it",
		Long:                  drawLong,
		Example:               drawExamples,
		DisableFlagsInUseLine: true,
		Args:                  wantOneFile,
		ValidArgsFunction:     completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd, args[0]); err != nil {
				return err
			}
			d, err := newDrawing(f, std)
			if err != nil {
				return err
			}
			return d.file(cmd.Context(), args[0])
		},
	}
	f.register(cmd)
	return cmd
}

func wantOneFile(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("no FILE given (\"-\" is standard input)")
	case 1:
		return nil
	}
	return fmt.Errorf("one FILE at a time, not %d: a picture is of one capture", len(args))
}

func (f *drawFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	f.format.addTo(cmd, "format", "draw in text, as an SVG picture, or as a diagram for Mermaid; by default what -o ends with says it")
	flags.StringVarP(&f.out, "output", "o", "", "write the picture to `FILE` instead of standard output")
	flags.StringVar(&f.report, "report", "", "write a report to `FILE`, one HTML page that needs no network: picture, players, plots, findings, messages")
	flags.StringVar(&f.conversation, "conversation", "", "draw only conversation `N`, or that of one or two addresses: 2, 10.0.0.2, 10.0.0.1:2300,10.0.0.2")
	flags.StringVar(&f.filter, "filter", "", "draw only messages for which `EXPR` is true; see \"dplay decode --help\"")
	flags.IntVar(&f.width, "width", 0, "columns of a picture in text; by default those of the terminal, or 120")
	flags.IntVar(&f.rows, "rows", draw.DefaultRows, "rows of a picture at most: beyond, neighbours are folded")
	flags.BoolVar(&f.ascii, "ascii", false, "draw text without line characters")
	f.color.addTo(cmd, "color", "colour text; auto: on a terminal, unless NO_COLOR is set")
	flags.BoolVar(&f.noFindings, "no-findings", false, "do not look for what went wrong: the capture is read once instead of twice")
	flags.UintSliceVar(&f.ports, "port", nil, "take `PORT` for DirectPlay's without proof, TCP and UDP; may be repeated")
	flags.Lookup("port").DefValue = "" // pflag would show an empty list
	f.messageIDs.addTo(cmd, "message-ids", "do game messages carry player ids? auto: by the session's flags")
	f.reliable.addTo(cmd, "reliable", "does UDP carry the reliable protocol? auto: by the session's flags")
	flags.BoolVar(&f.noProgress, "no-progress", false, "no progress bar for long files on a terminal")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no summary on standard error")
	for _, name := range []string{"conversation", "filter", "width", "rows", "port"} {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions); err != nil {
			panic(err) // only if the flag has one already
		}
	}
}

// extensions are the endings of files that say which format they have.
var extensions = map[string]string{".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".txt": "text"}

// check finds out what pflag cannot: what goes together, and what is in range.
func (f *drawFlags) check(cmd *cobra.Command, file string) error {
	changed := cmd.Flags().Changed
	if ending := strings.ToLower(filepath.Ext(f.out)); f.out != "" && !changed("format") {
		switch format, known := extensions[ending]; {
		case known:
			f.format.value = format
		case ending == ".html" || ending == ".htm":
			return fmt.Errorf("--output %s: a page is made by --report", f.out)
		default:
			return fmt.Errorf("--output %s: which format? Its name does not say; give --format", f.out)
		}
	}
	text := f.format.value == "text"
	f.picture = f.report == "" || f.out != "" || changed("format")
	switch {
	case f.report != "" && filepath.Clean(f.report) == filepath.Clean(f.out):
		return errors.New("--report and --output name the same file")
	case f.report != "" && filepath.Clean(f.report) == filepath.Clean(file):
		return fmt.Errorf("--report %s would write over the capture", f.report)
	case f.out != "" && filepath.Clean(f.out) == filepath.Clean(file):
		return fmt.Errorf("--output %s would write over the capture", f.out)
	case !text && (changed("width") || changed("ascii") || changed("color")):
		return errors.New("--width, --ascii and --color are for --format text")
	case changed("width") && f.width < leastWidth:
		return fmt.Errorf("--width %d: must be at least %d", f.width, leastWidth)
	case f.rows < 1 || f.rows > 10000:
		return fmt.Errorf("--rows %d: rows go from 1 to 10000", f.rows)
	}
	if changed("conversation") {
		var err error
		if f.only, err = parseConversation(f.conversation); err != nil {
			return err
		}
	}
	for _, p := range f.ports {
		if p == 0 || p > 65535 {
			return fmt.Errorf("--port %d: ports go from 1 to 65535", p)
		}
		f.options.Ports = append(f.options.Ports, uint16(p))
	}
	f.options.MessageIDs = captureChoice(f.messageIDs)
	f.options.Reliable = captureChoice(f.reliable)
	return nil
}

// textOptions decides how a picture in text looks on what it is written to.
func (f *drawFlags) textOptions(out any) draw.TextOptions {
	opt := draw.TextOptions{Width: f.width, ASCII: f.ascii}
	if f.out != "" {
		opt.Color = f.color.value == "always"
		return opt
	}
	opt.Color = useColor(f.color.value, out)
	if t := terminal(out); t != nil && f.width == 0 {
		if width, _, err := term.GetSize(int(t.Fd())); err == nil {
			opt.Width = max(width, leastWidth)
		}
	}
	return opt
}
