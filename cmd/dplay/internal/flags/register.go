// Package flags makes the fields of structs the flags of commands, and has the types that package pflag lacks.
package flags

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Register makes the fields of a struct the flags of a command, in their order, and returns the command. The value that a field has is
// the default. Tags:
//
//	flag:"name,n"       the name, and the letter if there is one; fields without this tag are no flags
//	usage:"..."         the help; <N> names the value
//	default:"5s"        the default, as it is typed
//	shown:"..."         the default that help shows, if it is another one
//	range:"1,10"        the least and the greatest value, as they are typed; without the second one there is no greatest
//	must:"..."          the error for a value out of range
//	choice:"text,json"  the words of a Choice; the first one is the default
//	offer:"svg"         the endings of files that shells offer; without the tag any for a <FILE>, folders for a <DIR>, else none;
//	                    "-" leaves it to the command
//	secret:"name"       the flag that reads the value from a file
//	hidden:"..."        help leaves it out
//	deprecated:"..."    help leaves it out, and who uses it is told this
//	exclusive:"name"    the flag that does not go with it
//	flags:"..."         the field is a struct of flags; help says this before each. An embedded struct needs no tag
func Register(cmd *cobra.Command, options any) *cobra.Command {
	cmd.Flags().SortFlags = false
	register(cmd, reflect.ValueOf(options).Elem(), "")
	return cmd
}

func register(cmd *cobra.Command, options reflect.Value, before string) {
	for i := range options.NumField() {
		field, about := options.Field(i), options.Type().Field(i)
		more, nested := about.Tag.Lookup("flags")
		if nested || about.Anonymous && field.Kind() == reflect.Struct {
			register(cmd, field, before+more)
		}
		if about.Tag.Get("flag") != "" {
			registerField(cmd, field, about.Tag, before)
		}
	}
}

// An adder makes a field a flag.
type adder func(set *pflag.FlagSet, field any, name, letter, usage string)

// builtin has the types of fields that package pflag makes flags of. A field of another type is a mistake, and Register panics.
var builtin = map[reflect.Type]adder{
	reflect.TypeFor[bool]():          by((*pflag.FlagSet).BoolVarP),
	reflect.TypeFor[string]():        by((*pflag.FlagSet).StringVarP),
	reflect.TypeFor[[]string]():      by((*pflag.FlagSet).StringArrayVarP),
	reflect.TypeFor[int]():           by((*pflag.FlagSet).IntVarP),
	reflect.TypeFor[int64]():         by((*pflag.FlagSet).Int64VarP),
	reflect.TypeFor[uint16]():        by((*pflag.FlagSet).Uint16VarP),
	reflect.TypeFor[uint32]():        by((*pflag.FlagSet).Uint32VarP),
	reflect.TypeFor[uint64]():        by((*pflag.FlagSet).Uint64VarP),
	reflect.TypeFor[float64]():       by((*pflag.FlagSet).Float64VarP),
	reflect.TypeFor[time.Duration](): by((*pflag.FlagSet).DurationVarP),
}

// by returns the adder that calls a method of package pflag.
func by[T any](add func(set *pflag.FlagSet, field *T, name, letter string, value T, usage string)) adder {
	return func(set *pflag.FlagSet, field any, name, letter, usage string) {
		value := field.(*T)
		add(set, value, name, letter, *value, usage)
	}
}

func registerField(cmd *cobra.Command, field reflect.Value, tag reflect.StructTag, before string) {
	name, letter, _ := strings.Cut(tag.Get("flag"), ",")
	usage := before + strings.NewReplacer("<", "`", ">", "`").Replace(tag.Get("usage"))
	set, value := cmd.Flags(), field.Addr().Interface()
	if v, ok := value.(interface {
		prepare(cmd *cobra.Command, name string, tag reflect.StructTag)
	}); ok {
		v.prepare(cmd, name, tag)
	}
	if v, ok := value.(pflag.Value); ok {
		set.VarP(v, name, letter, usage)
	} else {
		builtin[field.Type()](set, value, name, letter, usage)
	}
	flag := set.Lookup(name)
	if flag.Value.Type() == "bool" {
		flag.NoOptDefVal = "true"
	}
	if bounds, ok := tag.Lookup("range"); ok {
		flag.Value = newBounded(flag.Value, field, bounds, tag.Get("must"))
	}
	if value, ok := tag.Lookup("default"); ok {
		must(flag.Value.Set(value))
		flag.DefValue = flag.Value.String()
	}
	if shown, ok := tag.Lookup("shown"); ok {
		flag.DefValue = shown
	}
	flag.Deprecated = tag.Get("deprecated")
	flag.Hidden = flag.Deprecated+tag.Get("hidden") != ""
	if file := tag.Get("secret"); file != "" {
		set.Var(&Secret{text: value.(*string), tell: noteOf(cmd, file)}, file, "the password is the line in this `FILE`, so that the command line does not show it")
		cmd.MarkFlagsMutuallyExclusive(name, file)
	}
	if other := tag.Get("exclusive"); other != "" {
		cmd.MarkFlagsMutuallyExclusive(name, other)
	}
	complete(cmd, flag, tag.Get("offer"), usage)
}

// complete has shells offer what a flag takes.
func complete(cmd *cobra.Command, flag *pflag.Flag, endings, usage string) {
	words := func(*cobra.Command, []string, string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
		if v, ok := flag.Value.(interface{ offers() []cobra.Completion }); ok {
			list = v.offers()
		}
		return list, cobra.ShellCompDirectiveNoFileComp
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

// A bounded is a number with bounds.
type bounded struct {
	pflag.Value
	field       reflect.Value
	least, most float64
	why         string // the error for a number out of bounds
}

// newBounded returns the number in a field with its bounds.
func newBounded(value pflag.Value, field reflect.Value, bounds, why string) *bounded {
	b := &bounded{value, field, math.Inf(-1), math.Inf(1), why}
	was := field.Interface()
	least, most, _ := strings.Cut(bounds, ",")
	must(b.Set(least))
	b.least = b.number()
	if most != "" {
		must(b.Set(most))
		b.most = b.number()
	}
	field.Set(reflect.ValueOf(was))
	return b
}

func (b *bounded) number() float64 { return b.field.Convert(reflect.TypeFor[float64]()).Float() }

// Set takes a number within the bounds.
func (b *bounded) Set(s string) error {
	if err := b.Value.Set(s); err != nil {
		return err
	}
	if n := b.number(); max(b.least, min(n, b.most)) != n { // so that NaN is refused
		return outside{b.String(), errors.New(b.why)}
	}
	return nil
}

// outside is the error for a number out of bounds.
type outside struct {
	number string
	error
}
