package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"dplay4/captures/draw"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
)

// drawFlags are the flags of "dplay draw".
type drawFlags struct {
	captureFlags
	format       flags.Choice
	out, report  string
	conversation string
	filter       string
	width, rows  int
	ascii        bool
	color        flags.Choice
	noFindings   bool
	force        bool
	only         *conversationChoice // nil: all
	picture      bool                // wanted besides a report
}

// leastWidth is how narrow a picture in text may be asked for.
const leastWidth = 60

func newDraw(std cli.Streams) *cobra.Command {
	f := &drawFlags{
		format:       flags.NewChoice("text", "svg", "mermaid"),
		color:        flags.NewChoice("auto", "always", "never"),
		captureFlags: newCaptureFlags(),
	}
	cmd := &cobra.Command{
		Use:                   "draw [flags] FILE",
		Short:                 "Draw who says what to whom in a packet capture, or make a report of it",
		Long:                  drawLong,
		Example:               drawExamples,
		DisableFlagsInUseLine: true,
		Args:                  wantOneFile,
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
	takesFiles(cmd)
	return cmd
}

func wantOneFile(_ *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return errors.New("no FILE given (\"-\" is standard input)")
	case 1:
		return nil
	}
	return fmt.Errorf("one FILE at a time, not %d", len(args))
}

func (f *drawFlags) register(cmd *cobra.Command) {
	set := cmd.Flags()
	set.SortFlags = false
	f.format.AddTo(cmd, "format",
		"draw in text, as an SVG picture, or as a diagram for Mermaid; by default what -o ends with says it")
	set.StringVarP(&f.out, "output", "o", "", "write the picture to `FILE` instead of standard output")
	set.StringVar(&f.report, "report", "",
		"write a report to `FILE`, one HTML page that needs no network: picture, sessions and hosts, players, chat, plots, findings, messages")
	set.BoolVar(&f.force, "force", false, "replace the files of --output and --report if there are such")
	set.StringVar(&f.conversation, "conversation", "",
		"draw only conversation `N`, or that of one or two addresses: 2, 10.0.0.2, 10.0.0.1:2300,10.0.0.2")
	set.StringVar(&f.filter, "filter", "", "draw only messages for which `EXPR` is true; see \"dplay decode --help\"")
	set.IntVar(&f.width, "width", 0, "columns of a picture in text; by default those of the terminal, or 120")
	set.IntVar(&f.rows, "rows", draw.DefaultRows, "rows of a picture at most: beyond, neighbours are folded")
	set.BoolVar(&f.ascii, "ascii", false, "draw text without line characters")
	f.color.AddTo(cmd, "color", "colour text; auto: on a terminal, unless NO_COLOR is set")
	set.BoolVar(&f.noFindings, "no-findings", false, "do not look for what went wrong: the capture is read once instead of twice")
	f.captureFlags.register(cmd)
	flags.NoFiles(cmd, "conversation", "filter", "width", "rows")
}

// extensions are the endings of files that say which format they have.
var extensions = map[string]string{".svg": "svg", ".mmd": "mermaid", ".mermaid": "mermaid", ".txt": "text"}

// check finds out what pflag cannot: what goes together, and what is in range.
func (f *drawFlags) check(cmd *cobra.Command, file string) error {
	changed := cmd.Flags().Changed
	if ending := strings.ToLower(filepath.Ext(f.out)); f.out != "" && !changed("format") {
		switch format, known := extensions[ending]; {
		case known:
			f.format.Value = format
		case ending == ".html" || ending == ".htm":
			return fmt.Errorf("--output %s: a page is made by --report", f.out)
		default:
			return fmt.Errorf("--output %s: which format? Its name does not say; give --format", f.out)
		}
	}
	text := f.format.Value == "text"
	f.picture = f.report == "" || f.out != "" || changed("format")
	switch {
	case f.report != "" && filepath.Clean(f.report) == filepath.Clean(f.out):
		return errors.New("--report and --output name the same file")
	case f.report != "" && filepath.Clean(f.report) == filepath.Clean(file):
		return fmt.Errorf("--report %s would write over the capture", f.report)
	case f.out != "" && filepath.Clean(f.out) == filepath.Clean(file):
		return fmt.Errorf("--output %s would write over the capture", f.out)
	case f.force && f.report == "" && f.out == "":
		return errors.New("--force replaces the files of --output and --report: it does nothing without them")
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
	if err := f.captureFlags.check(); err != nil {
		return err
	}
	return nil
}

// textOptions decides how a picture in text looks on what it is written to.
func (f *drawFlags) textOptions(out any) draw.TextOptions {
	opt := draw.TextOptions{Width: f.width, ASCII: f.ascii}
	if f.out != "" {
		opt.Color = f.color.Value == "always"
		return opt
	}
	opt.Color = cli.UseColor(f.color.Value, out)
	if t := cli.Terminal(out); t != nil && f.width == 0 {
		if width, _, err := term.GetSize(int(t.Fd())); err == nil {
			opt.Width = max(width, leastWidth)
		}
	}
	return opt
}
