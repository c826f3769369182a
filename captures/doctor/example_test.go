package doctor_test

import (
	"context"
	"fmt"
	"os"

	"dplay4/captures"
	"dplay4/captures/doctor"
)

func ExampleExamine() {
	f, err := os.Open("../lab/08-rzhost-full-max1-w10join.pcap")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	r, err := doctor.Examine(context.Background(), f, doctor.Options{Options: captures.Options{Name: "game.pcap"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Verdict())
	for _, f := range r.Findings {
		fmt.Printf("%s, %s: frame %d, %s\n", f.Severity, f.Code, f.Evidence[0].Frame, doctor.Title(f.Code))
	}
	// Output:
	// 1 finding: 10.77.0.2 got no player in the session "FULL": the session is full
	// failure, session-full: frame 38, The session is full
}
