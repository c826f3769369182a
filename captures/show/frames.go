package show

import (
	"fmt"
	"strconv"

	"dplay4/captures"
)

// lineFrames is how many runs of frames stand in a line at most.
const lineFrames = 6

// LastFrame returns the number of the frame that completed a message; 0 where there is none.
func LastFrame(r *captures.Record) int {
	if len(r.Frames) == 0 {
		return 0
	}
	return r.Frames[len(r.Frames)-1]
}

// AppendFrames appends numbers of frames, neighbours as a run: "4-6,8". Of more than most runs the rest is "...", with
// how many frames there are.
func AppendFrames(b []byte, frames []int, most int) []byte {
	for i, runs := 0, 1; i < len(frames); runs++ {
		last := i
		for last+1 < len(frames) && frames[last+1] == frames[last]+1 {
			last++
		}
		if i > 0 {
			b = append(b, ',')
		}
		if runs > most {
			b = append(b, "...("...)
			b = strconv.AppendInt(b, int64(len(frames)), 10)
			return append(b, " in all)"...)
		}
		b = strconv.AppendInt(b, int64(frames[i]), 10)
		if last > i {
			b = strconv.AppendInt(append(b, '-'), int64(frames[last]), 10)
		}
		i = last + 1
	}
	return b
}

// AppendOrigin appends a line with the frames that a message came in, all of them, its conversation and its size.
func AppendOrigin(b []byte, r *captures.Record) []byte {
	if len(r.Frames) == 1 {
		b = append(b, "        frame "...)
	} else {
		b = append(b, "        frames "...)
	}
	b = AppendFrames(b, r.Frames, len(r.Frames))
	return fmt.Appendf(b, ", conversation %d, %d octets\n", r.Conversation, len(r.Raw))
}
