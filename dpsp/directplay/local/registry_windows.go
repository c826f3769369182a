package local

import (
	"errors"
	"os/exec"
	"strconv"
	"syscall"

	winreg "golang.org/x/sys/windows/registry"

	"dplay4/dpsp/directplay"
)

// raw gives a program a command line as it stands, for what a game registered has its own quotation marks.
func raw(cmd *exec.Cmd, line string) { cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: line} }

func registry() directplay.Registry { return windowsRegistry{} }

// windowsRegistry is the registry below directplay.RegistryApplications, in the half of 32-bit programs, as games are.
type windowsRegistry struct{}

func open(key string, access uint32) (winreg.Key, error) {
	if key != "" {
		key = `\` + key
	}
	return winreg.OpenKey(winreg.LOCAL_MACHINE, directplay.RegistryApplications+key, access|winreg.WOW64_32KEY)
}

// Keys returns the names of the applications.
func (windowsRegistry) Keys() ([]string, error) {
	k, err := open("", winreg.ENUMERATE_SUB_KEYS)
	if errors.Is(err, winreg.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer k.Close()
	return k.ReadSubKeyNames(-1)
}

// Values returns the values of an application that are texts or numbers.
func (windowsRegistry) Values(key string) (map[string]string, error) {
	k, err := open(key, winreg.QUERY_VALUE)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	names, err := k.ReadValueNames(-1)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, n := range names {
		if v, _, err := k.GetStringValue(n); err == nil {
			values[n] = v
		} else if v, _, err := k.GetIntegerValue(n); err == nil {
			values[n] = strconv.FormatUint(v, 10)
		}
	}
	return values, nil
}

// Write sets the values of an application, which takes an administrator.
func (windowsRegistry) Write(key string, values map[string]string) error {
	k, _, err := winreg.CreateKey(winreg.LOCAL_MACHINE, directplay.RegistryApplications+`\`+key, winreg.SET_VALUE|winreg.WOW64_32KEY)
	if err != nil {
		return err
	}
	defer k.Close()
	for n, v := range values {
		if err := set(k, n, v); err != nil {
			return err
		}
	}
	return nil
}

func set(k winreg.Key, name, value string) error {
	if name != directplay.RegistryFlags {
		return k.SetStringValue(name, value)
	}
	flags, err := strconv.ParseUint(value, 10, 32)
	if err != nil {
		return err
	}
	return k.SetDWordValue(name, uint32(flags))
}

// Remove removes an application.
func (windowsRegistry) Remove(key string) error {
	k, err := open("", winreg.ENUMERATE_SUB_KEYS)
	if err != nil {
		return err
	}
	defer k.Close()
	return winreg.DeleteKey(k, key)
}
