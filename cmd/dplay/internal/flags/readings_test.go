package flags

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/reliable"
)

func TestReadings(t *testing.T) {
	var f Readings
	assert.Empty(t, f.String())
	require.NoError(t, f.Set("Loose, ids"))
	require.NoError(t, f.Set("running"))
	assert.Equal(t, dpsp.Readings{Options: reliable.Options{Loose: true, Running: true}, WithIDs: true}, f.Readings)
	assert.Equal(t, "loose,ids,running", f.String())
	assert.ErrorContains(t, f.Set("loose,tight"), `"tight" is no reading; they are loose, shared, running, each-player, ids, no-nack`)
	assert.Error(t, f.Set(""))
}
