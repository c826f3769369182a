package show

import (
	"regexp"
	"strings"
)

// snakeNames turns field names of the specification into keys of JSON objects, and remembers them. The zero value is
// ready.
type snakeNames struct {
	usual [64]snakeName // at most one for each sum of the octets that tell most names apart
	all   map[string]string
}

type snakeName struct{ name, key string }

func (s *snakeNames) key(name string) string {
	if name == "" {
		return ""
	}
	u := &s.usual[(2*len(name)+int(name[0])+int(name[len(name)-1]))%len(s.usual)]
	if u.name == name {
		return u.key
	}
	k, ok := s.all[name]
	if !ok {
		if s.all == nil {
			s.all = map[string]string{}
		}
		k = Snake(name)
		s.all[name] = k
	}
	*u = snakeName{name, k}
	return k
}

// Snake turns a name of the specification into snake case: "IDFrom" into "id_from", "InstanceGUID" into
// "instance_guid", "PlayerIDs" into "player_ids", "NACK MASK" into "nack_mask".
func Snake(name string) string {
	name = plurals.Replace(name)
	for _, begins := range words {
		name = begins.ReplaceAllString(name, "${1}_$2")
	}
	return strings.ToLower(name)
}

// words match where a word of a name begins: behind an abbreviation, and elsewhere.
var words = []*regexp.Regexp{regexp.MustCompile(`([^_])([A-Z][a-z])`), regexp.MustCompile(`([^A-Z_])([A-Z])`)}

// plurals keeps abbreviations one word, and words apart.
var plurals = strings.NewReplacer("IDs", "Ids", "GUIDs", "Guids", " ", "_")
