package show

import "strings"

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
	name = strings.NewReplacer("IDs", "Ids", "GUIDs", "Guids").Replace(name)
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c == ' ':
			c = '_'
		case upper(c) && i > 0 && name[i-1] != ' ' && name[i-1] != '_' && (!upper(name[i-1]) || i+1 < len(name) && lower(name[i+1])):
			b.WriteByte('_')
		}
		if upper(c) {
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }
func lower(c byte) bool { return c >= 'a' && c <= 'z' }
