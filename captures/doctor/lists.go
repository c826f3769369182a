package doctor

import "slices"

// where returns the elements of list for which so returns true.
func where[V any](list []V, so func(V) bool) (found []V) {
	for _, v := range list {
		if so(v) {
			found = append(found, v)
		}
	}
	return found
}

// few returns a copy of the first maxPairs elements.
func few[V any](list []V) []V { return slices.Clone(list[:min(len(list), maxPairs)]) }

// find returns the first element for which so returns true, nil if there is none.
func find[V any](list []*V, so func(*V) bool) *V {
	if i := slices.IndexFunc(list, so); i >= 0 {
		return list[i]
	}
	return nil
}

// exists reports whether so returns true for an element.
func exists[V any](list []V, so func(V) bool) bool { return slices.ContainsFunc(list, so) }

// first returns the first element, the zero value if there is none.
func first[V any](list []V) (v V) {
	if len(list) > 0 {
		v = list[0]
	}
	return v
}

// last returns the last element, the zero value if there is none.
func last[V any](list []V) V { return first(list[max(len(list)-1, 0):]) }

// mapped returns the results of a function for all elements.
func mapped[V, T any](list []V, of func(V) T) (all []T) {
	for _, v := range list {
		all = append(all, of(v))
	}
	return all
}

// flat returns the lists that a function returns for all elements, as one list.
func flat[V, T any](list []V, of func(V) []T) []T { return slices.Concat(mapped(list, of)...) }

// sum adds up the results of a function for all elements.
func sum[V any](list []V, of func(V) int) (n int) {
	for _, v := range list {
		n += of(v)
	}
	return n
}

// once returns the first element with each key.
func once[V any, K comparable](list []V, key func(V) K) []V {
	seen := map[K]bool{}
	return where(list, func(v V) bool {
		k := key(v)
		again := seen[k]
		seen[k] = true
		return !again
	})
}

// set returns the set of the elements.
func set[K comparable](list []K) map[K]bool {
	all := map[K]bool{}
	for _, k := range list {
		all[k] = true
	}
	return all
}

// index returns the elements with each key.
func index[V any, K comparable](list []V, key func(V) K) map[K][]V {
	all := map[K][]V{}
	for _, v := range list {
		all[key(v)] = append(all[key(v)], v)
	}
	return all
}

// groups returns the elements with each key as a list of their own. The groups are in the order of their first elements.
func groups[V any, K comparable](list []V, key func(V) K) [][]V {
	all := index(list, key)
	return mapped(once(list, key), func(v V) []V { return all[key(v)] })
}

// each returns a rule's function that calls judge with each element of a list. judge returns nil if nothing is wrong with the element.
func each[C, V any](list func(C) []V, judge func(C, V) *Finding) func(C) []*Finding {
	return func(c C) []*Finding {
		return mapped(list(c), func(v V) *Finding { return judge(c, v) })
	}
}

// one returns a rule's function for a rule that finds one thing, or nothing.
func one[C any](judge func(C) *Finding) func(C) []*Finding {
	return func(c C) []*Finding { return []*Finding{judge(c)} }
}

// all returns a rule's function that returns the findings of several ones.
func all[C any](rules ...func(C) []*Finding) func(C) []*Finding {
	return func(c C) []*Finding {
		return flat(rules, func(r func(C) []*Finding) []*Finding { return r(c) })
	}
}
