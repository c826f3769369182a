package show

import _ "embed"

// NDJSON describes in Markdown what JSON writes.
//
//go:embed NDJSON.md
var NDJSON string
