package outfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// names returns the files in a folder.
func names(t *testing.T, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// content returns what stands in a file.
func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// begin begins a file with a text in it.
func begin(t *testing.T, name string, force bool) *File {
	t.Helper()
	f, err := Create(name, Options{Mode: Public, Force: force})
	require.NoError(t, err)
	_, err = f.Write([]byte("new"))
	require.NoError(t, err)
	assert.Equal(t, name, f.name)
	return f
}

// TestWhole holds that a file has its name when it is whole, and that one which was dropped leaves nothing.
func TestWhole(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "x")
	f := begin(t, name, false)
	assert.NoFileExists(t, name)
	f.Abort()
	assert.Empty(t, names(t, folder))
	f = begin(t, name, false)
	require.NoError(t, f.Commit())
	f.Abort()
	assert.Equal(t, "new", content(t, name))
	assert.Equal(t, []string{"x"}, names(t, folder))
}

// TestMeanwhile holds that a file which came under the name meanwhile is only replaced by force.
func TestMeanwhile(t *testing.T) {
	folder := t.TempDir()
	name := filepath.Join(folder, "x")
	for _, end := range []func(*File) error{(*File).Commit, (*File).Place} {
		f := begin(t, name, false)
		require.NoError(t, os.WriteFile(name, []byte("another's"), 0o600))
		assert.ErrorIs(t, end(f), fs.ErrExist)
		assert.Equal(t, "another's", content(t, name))
		require.NoError(t, os.Remove(name))
		assert.Empty(t, names(t, folder))

		f = begin(t, name, true)
		require.NoError(t, os.WriteFile(name, []byte("another's"), 0o600))
		require.NoError(t, end(f))
		f.Abort()
		assert.Equal(t, "new", content(t, name))
		require.NoError(t, os.Remove(name))
	}
}

// TestLinkMeanwhile holds that a link which came under the name meanwhile is replaced by force, and not the file behind it.
func TestLinkMeanwhile(t *testing.T) {
	for _, end := range []func(*File) error{(*File).Commit, (*File).Place} {
		folder := t.TempDir()
		name, other := filepath.Join(folder, "x"), filepath.Join(folder, "other")
		for _, dangles := range []bool{false, true} {
			f := begin(t, name, true)
			require.NoError(t, os.WriteFile(other, []byte("precious"), 0o600))
			target := other
			if dangles {
				target = filepath.Join(folder, "nothing")
			}
			if err := os.Symlink(target, name); err != nil {
				t.Skip(err)
			}
			require.NoError(t, end(f))
			f.Abort()
			assert.Equal(t, []string{"new", "precious"}, []string{content(t, name), content(t, other)})
			require.NoError(t, os.Remove(name))
		}
	}
}

// TestModes holds the modes of files that take the place of others, and that one which everybody can read is told.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are of Unix")
	}
	name := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct {
		text            string
		old, kind, want fs.FileMode
	}{
		{"", 0o666, Private, 0o600},
		{"", 0o600, Public, 0o600},
		{"old", 0o666, Private, 0o666},
		{"old", 0o640, Private, 0o640},
		{"old", 0o664, Public, 0o664},
	} {
		require.NoError(t, os.WriteFile(name, []byte(c.text), 0o600))
		require.NoError(t, os.Chmod(name, c.old))
		var told []string
		tell := func(note string) { told = append(told, note) }
		require.NoError(t, Write(name, []byte("new"), Options{Mode: c.kind, Force: c.text != "", Tell: tell}))
		if c.kind == Private && c.want == 0o666 {
			assert.Equal(t, []string{"every user of this machine can read " + name + ": chmod 600 mends that"}, told)
		} else {
			assert.Empty(t, told)
		}
		info, err := os.Stat(name)
		require.NoError(t, err)
		assert.Equal(t, c.want, info.Mode().Perm(), "%+v", c)
	}
}

// TestEmptyOfAnother holds that an empty file of another user is replaced by force alone, and then keeps its owner.
func TestEmptyOfAnother(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("takes root: only root makes files of others")
	}
	name := filepath.Join(t.TempDir(), "x")
	require.NoError(t, os.WriteFile(name, nil, 0o666))
	require.NoError(t, os.Chown(name, 4242, 4242))
	err := Write(name, []byte("new"), Options{Mode: Private})
	assert.ErrorIs(t, err, fs.ErrExist)
	assert.ErrorContains(t, err, "belongs to another user")
	assert.Empty(t, content(t, name))
	require.NoError(t, Write(name, []byte("new"), Options{Mode: Private, Force: true}))
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.True(t, isOthers(info), "it keeps its owner")
}

// TestBeside holds that an error about the temporary file tells of it, and of the folder that it takes.
func TestBeside(t *testing.T) {
	const want = "it is written as a temporary file in "
	folder := filepath.Join(t.TempDir(), "folder")
	name := filepath.Join(folder, "x")
	f := &File{name: name, target: name}
	err := f.named("write", &os.LinkError{Op: "rename", Old: "temporary", New: name, Err: syscall.EBUSY})
	assert.ErrorIs(t, err, syscall.EBUSY)
	assert.ErrorContains(t, err, want+folder+", and then renamed")

	_, err = Create(name, Options{Mode: Public})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.NotContains(t, err.Error(), want, "there is no folder")
	closed := "/sys" // nobody may make a file there, not even root
	if _, err := os.Stat(closed); err != nil {
		t.Skip("there is no " + closed)
	}
	_, err = Create(filepath.Join(closed, "x"), Options{Mode: Public})
	assert.ErrorContains(t, err, filepath.Join(closed, "x")+": ")
	assert.ErrorContains(t, err, want+closed+", and then renamed")
}

// TestGrows holds that a recording has its name before it is whole, and grows under it.
func TestGrows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x")
	f := begin(t, name, false)
	for range 2 {
		require.NoError(t, f.Place())
		_, err := f.Write([]byte("er"))
		require.NoError(t, err)
	}
	assert.Equal(t, "newerer", content(t, name))
	require.NoError(t, f.Commit())
	assert.Equal(t, "newerer", content(t, name))

	file, err := Begin(name, Options{Mode: Private, Force: true})
	require.NoError(t, err)
	defer file.Close()
	assert.Empty(t, content(t, name))
	_, err = Begin(filepath.Join(name, "no"), Options{Mode: Private})
	assert.Error(t, err)
}

// TestInput holds that the input is never replaced, by whatever name.
func TestInput(t *testing.T) {
	folder := t.TempDir()
	name, other := filepath.Join(folder, "x"), filepath.Join(folder, "y")
	require.NoError(t, Write(name, []byte("input"), Options{Mode: Public}))
	require.NoError(t, os.Link(name, other))
	info, err := os.Stat(name)
	require.NoError(t, err)
	for _, n := range []string{name, other} {
		_, err := Create(n, Options{Force: true, Input: info})
		assert.ErrorContains(t, err, "would write over the capture")
	}
	assert.Equal(t, []string{"x", "y"}, names(t, folder))
}
