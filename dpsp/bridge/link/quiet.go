package link

import (
	"io"

	"github.com/pion/logging"
)

// silent makes logs of pion's that drop everything: what they would have is no news to players, and it is much.
var silent = &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}
