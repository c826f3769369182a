package dropin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/dropin/dropintest"
)

// release makes a folder with our DLLs.
func release(t *testing.T, version string) Source {
	t.Helper()
	return Source{dropintest.Release(t, version)}
}

// tree returns all files below a folder with what is in them.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		files[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(folder)+"/")] = string(b)
		return err
	}))
	return files
}

// whats returns what was done, without the details.
func whats(steps []Step) (list []string) {
	for _, s := range steps {
		list = append(list, s.What+" "+s.Name)
	}
	return list
}
