package flags

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Register makes the fields of a struct the flags of a command, in their order. The value that a field has is the default. Tags:
//
//	flag:"name,n"       the name, and the letter if there is one; fields without this tag are no flags
//	usage:"..."         the help; <N> names the value
//	default:"5s"        the default, as it is typed
//	shown:"..."         the default that help shows, if it is another one
//	choice:"text,json"  the words of a Choice; the first one is the default
//	offer:"svg"         the endings of files that shells offer; without the tag any for a <FILE>, folders for a <DIR>, else none;
//	                    "-" leaves it to the command
//	secret:"name"       the flag that reads the value from a file
//	hidden:"..."        help leaves it out
//	deprecated:"..."    help leaves it out, and who uses it is told this
//	exclusive:"name"    the flag that does not go with it
//	flags:"..."         the field is a struct of flags; help says this before each. An embedded struct needs no tag
func Register(cmd *cobra.Command, options any) {
	cmd.Flags().SortFlags = false
	register(cmd, reflect.ValueOf(options).Elem(), "")
}

func register(cmd *cobra.Command, options reflect.Value, before string) {
	for i := range options.NumField() {
		field, tag := options.Field(i), options.Type().Field(i).Tag
		more, nested := tag.Lookup("flags")
		if nested || options.Type().Field(i).Anonymous && field.Kind() == reflect.Struct {
			register(cmd, field, before+more)
		}
		if names := tag.Get("flag"); names != "" {
			name, letter, _ := strings.Cut(names, ",")
			usage := before + strings.NewReplacer("<", "`", ">", "`").Replace(tag.Get("usage"))
			registerField(cmd, field.Addr().Interface(), tag, name, letter, usage)
		}
	}
}

func registerField(cmd *cobra.Command, value any, tag reflect.StructTag, name, letter, usage string) {
	if words := tag.Get("choice"); words != "" {
		value.(interface{ choose(words []string) }).choose(strings.Split(words, ","))
	}
	if code, ok := value.(*Code); ok {
		code.text, code.tell = &code.line, noteOf(cmd, name)
	}
	set := cmd.Flags()
	switch v := value.(type) {
	case *Bool:
		set.VarPF(v, name, letter, usage).NoOptDefVal = "true"
	case pflag.Value:
		set.VarP(v, name, letter, usage)
	case *bool:
		set.BoolVarP(v, name, letter, *v, usage)
	case *string:
		set.StringVarP(v, name, letter, *v, usage)
		if file := tag.Get("secret"); file != "" {
			set.Var(&Secret{text: v, tell: noteOf(cmd, file)}, file, "the password is the line in this `FILE`, so that the command line does not show it")
			cmd.MarkFlagsMutuallyExclusive(name, file)
		}
	case *int:
		set.IntVarP(v, name, letter, *v, usage)
	case *int64:
		set.Int64VarP(v, name, letter, *v, usage)
	case *uint16:
		set.Uint16VarP(v, name, letter, *v, usage)
	case *uint32:
		set.Uint32VarP(v, name, letter, *v, usage)
	case *uint64:
		set.Uint64VarP(v, name, letter, *v, usage)
	case *float64:
		set.Float64VarP(v, name, letter, *v, usage)
	case *time.Duration:
		set.DurationVarP(v, name, letter, *v, usage)
	case *[]string:
		set.StringArrayVarP(v, name, letter, *v, usage)
	default:
		panic(fmt.Sprintf("--%s: %T is no type of a flag", name, value))
	}
	flag := set.Lookup(name)
	if value, ok := tag.Lookup("default"); ok {
		must(flag.Value.Set(value))
		flag.DefValue = flag.Value.String()
	}
	if shown, ok := tag.Lookup("shown"); ok {
		flag.DefValue = shown
	}
	if text := tag.Get("deprecated"); text != "" {
		must(set.MarkDeprecated(name, text))
	}
	flag.Hidden = flag.Hidden || tag.Get("hidden") != ""
	if other := tag.Get("exclusive"); other != "" {
		cmd.MarkFlagsMutuallyExclusive(name, other)
	}
	complete(cmd, flag, tag.Get("offer"), usage)
}

// complete has shells offer what a flag takes.
func complete(cmd *cobra.Command, flag *pflag.Flag, endings, usage string) {
	words := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if v, ok := flag.Value.(interface{ offers() []cobra.Completion }); ok {
			return v.offers(), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	switch {
	case endings == "-":
		return
	case endings != "":
		words = cobra.FixedCompletions(strings.Split(endings, ","), cobra.ShellCompDirectiveFilterFileExt)
	case strings.Contains(usage, "`DIR`"):
		words = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case strings.Contains(usage, "`FILE`"), flag.NoOptDefVal != "":
		return
	}
	must(cmd.RegisterFlagCompletionFunc(flag.Name, words))
}

// must panics if a tag is wrong.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
