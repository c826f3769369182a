package directplay

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dplay4/wire"
)

// ApplicationHidden is the flag of an application that EnumLocalApplications does not tell of, DPLAPP_NOENUM. Others are kept.
const ApplicationHidden = 0x80000000

// Application is a game that a lobby can start, DPAPPLICATIONDESC or DPAPPLICATIONDESC2: a key below RegistryApplications.
type Application struct {
	WrongSize        bool   // dwSize is not that of the structure
	Name             string // of its key
	Flags            uint32
	GUID             wire.GUID
	File             string // the program's name
	Launcher         string // the name of another program in Path that is started instead, and starts the game; empty: none
	CommandLine      string // what it is given, without the program
	Path             string // the folder that the program is in
	CurrentDirectory string // empty: Path
	Description      string
}

// Block returns DPLAPPINFO, which EnumLocalApplications tells.
func (a *Application) Block(f Face) Block {
	l := layout{face: f}
	l.word(uint32(16 + 2*f.pointer()))
	l.guid(a.GUID)
	l.text(&a.Name)
	return l.block()
}

// RegistryApplications is the key below HKEY_LOCAL_MACHINE that has a key for each application, in its 32-bit half.
const RegistryApplications = `SOFTWARE\Microsoft\DirectPlay\Applications`

// RegistryFlags is the value of an application that Windows has as a number: a Registry gives it in digits.
const RegistryFlags = "dwFlags"

// A Registry is what is below RegistryApplications. All values are texts.
type Registry interface {
	Keys() ([]string, error) // in any order; none if the registry has no applications
	Values(key string) (map[string]string, error)
	Write(key string, values map[string]string) error // makes the key
	Remove(key string) error
}

// MapRegistry is a Registry in memory, by key.
type MapRegistry map[string]map[string]string

// Keys returns the names of the applications.
func (m MapRegistry) Keys() ([]string, error) { return slices.Collect(maps.Keys(m)), nil }

// Values returns the values of an application.
func (m MapRegistry) Values(key string) (map[string]string, error) { return maps.Clone(m[key]), nil }

// Write sets the values of an application.
func (m MapRegistry) Write(key string, values map[string]string) error {
	m[key] = maps.Clone(values)
	return nil
}

// Remove removes an application.
func (m MapRegistry) Remove(key string) error {
	delete(m, key)
	return nil
}

// values returns what the registry says of an application. The names are those that games write there by themselves.
func (a Application) values() map[string]string {
	values := map[string]string{
		"Guid": a.GUID.String(), "File": a.File, "CommandLine": a.CommandLine, "Path": a.Path,
		"CurrentDirectory": a.CurrentDirectory, "Description": a.Description,
	}
	if a.Launcher != "" {
		values["Launcher"] = a.Launcher
	}
	if a.Flags != 0 {
		values[RegistryFlags] = strconv.FormatUint(uint64(a.Flags), 10)
	}
	return values
}

// applicationOf reads what the registry says of an application; ok is false if it has no GUID. Values' names may be in either
// case.
func applicationOf(key string, values map[string]string) (a Application, ok bool) {
	lower := make(map[string]string, len(values))
	for name, v := range values {
		lower[strings.ToLower(name)] = v
	}
	g, err := wire.ParseGUID(strings.TrimSpace(lower["guid"]))
	flags, _ := strconv.ParseUint(lower[strings.ToLower(RegistryFlags)], 10, 32) // most have none
	return Application{Name: key, Flags: uint32(flags), Launcher: lower["launcher"], GUID: g, File: lower["file"],
		CommandLine: lower["commandline"], Path: lower["path"], CurrentDirectory: lower["currentdirectory"],
		Description: lower["description"]}, err == nil
}

// applications returns the applications of a registry, by name. What is no application is passed over.
func applications(r Registry) []Application {
	keys, err := r.Keys()
	if err != nil {
		return nil
	}
	slices.Sort(keys)
	var list []Application
	for _, key := range keys {
		values, _ := r.Values(key) // none with an error
		if a, ok := applicationOf(key, values); ok {
			list = append(list, a)
		}
	}
	return list
}

// Command is a program to be started.
type Command struct {
	File        string
	CommandLine string // for Windows: the program itself in quotation marks, and what it is given; else Arguments
	Arguments   []string
	Directory   string
	Environment []string // NAME=value, besides what this process has
}

// command returns how the application is started.
func (a Application) command() Command {
	file := cmp.Or(a.Launcher, a.File)
	if a.Path != "" {
		file = strings.TrimSuffix(a.Path, `\`) + `\` + file
	}
	line := `"` + file + `"`
	if a.CommandLine != "" {
		line += " " + a.CommandLine
	}
	return Command{File: file, CommandLine: line, Directory: cmp.Or(a.CurrentDirectory, a.Path)}
}

// EnumLocalApplications is IDirectPlayLobby::EnumLocalApplications: what the callback is given, if the game gave one.
func (l *Lobby) EnumLocalApplications(flags uint32, callback bool) ([]Application, wire.HResult) {
	if flags != 0 || !callback {
		return nil, wire.ErrInvalidParams
	}
	hidden := func(a Application) bool { return a.Flags&ApplicationHidden != 0 }
	return slices.DeleteFunc(applications(l.machine.Registry), hidden), wire.OK
}

// RegisterApplication is IDirectPlayLobby3::RegisterApplication. A name that cannot be that of a key, and no file or GUID, are
// DPERR_INVALIDPARAMS; which of them Windows refuses is not known.
func (l *Lobby) RegisterApplication(flags uint32, a *Application) wire.HResult {
	if flags != 0 || a == nil || a.WrongSize || a.Name == "" || len(a.Name) > 255 || strings.Contains(a.Name, `\`) || a.File == "" || a.GUID.IsZero() {
		return wire.ErrInvalidParams
	}
	if _, known := l.registered(func(k Application) bool { return k.GUID == a.GUID || strings.EqualFold(k.Name, a.Name) }); known {
		return wire.ErrAlreadyRegistered
	}
	return written(l.machine.Registry.Write(a.Name, a.values()))
}

// UnregisterApplication is IDirectPlayLobby3::UnregisterApplication.
func (l *Lobby) UnregisterApplication(flags uint32, application *wire.GUID) wire.HResult {
	if flags != 0 || application == nil {
		return wire.ErrInvalidParams
	}
	a, known := l.registered(func(a Application) bool { return a.GUID == *application })
	if !known {
		return wire.ErrNotRegistered
	}
	return written(l.machine.Registry.Remove(a.Name))
}

// written returns the code for an error of a registry.
func written(err error) wire.HResult {
	if err != nil {
		return wire.ErrGeneric
	}
	return wire.OK
}

// registered returns the first application that is wanted.
func (l *Lobby) registered(wanted func(Application) bool) (Application, bool) {
	return pick(applications(l.machine.Registry), wanted)
}
