package draw

// shrink makes the items at most rows. First the alike among neighbours are folded, whatever they are, over longer and
// longer stretches; if that is not enough, stretches become bands.
func shrink(items []item, rows int) []item {
	items = whole(items)
	for window := 8; len(items) > rows && window < len(items)/2; window *= 2 {
		for from := 0; from < len(items); from += window {
			foldAlike(items[from:min(from+window, len(items))], 2)
		}
		items = whole(items)
	}
	if len(items) > rows {
		items = bands(items, rows)
	}
	return items
}

// bands makes stretches of items without findings one band each, so that there are at most rows items. The first rows
// stay as they are, for how a session begins is what people look for. If items with findings alone are too many,
// stretches hold them, too.
func bands(items []item, rows int) []item {
	keep := min(rows/4, len(items))
	rest := items[keep:]
	marked := 0
	for i := range rest {
		if len(rest[i].Findings) > 0 {
			marked++
		}
	}
	room := rows - keep
	apart := 2*marked < room // else findings are held by bands
	if apart {
		room -= 2 * marked // each may end a stretch
	}
	room = max(room, 1)
	stretch := (len(rest) + room - 1) / room
	out := items[:keep]
	var open *item
	held := 0
	for i := range rest {
		it := rest[i]
		if apart && len(it.Findings) > 0 {
			out, open = append(out, it), nil
			continue
		}
		if open == nil || held == stretch {
			out = append(out, it) // out never gets ahead of rest
			open, held = &out[len(out)-1], 1
			continue
		}
		held++
		open.take(&it)
		open.Kind, open.To, open.Command, open.burst = Band, nil, "", 0
		for _, f := range it.Findings {
			open.Findings = addOnce(open.Findings, f)
		}
	}
	return out
}
