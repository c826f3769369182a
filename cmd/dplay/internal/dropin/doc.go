// Package dropin places the drop-in DLLs of this project where games find them, says which DLL a game would load, and puts back
// what was there. It changes files alone: a Wine prefix is not started for it, for that may be of another Wine than ours.
package dropin

// Names are the DLLs: dplayx.dll, and dplay.dll, which games of DirectX 1 and 2 ask for.
var Names = []string{"dplayx.dll", "dplay.dll"}

// A Step is something that was done, or found as it should be.
type Step struct {
	What   string `json:"what"` // kept, placed, replaced, set, same, restored, removed, unset, left
	Name   string `json:"name"` // of the file, below the target's folder, or of the override
	Detail string `json:"detail"`
}
