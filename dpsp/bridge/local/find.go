package local

import "dplay4/dpsp/bridge/filter"

// A Game is a program that has ports of the plan.
type Game struct {
	Ports   filter.Ports // the first of each kind; 0: none
	Hosts   bool         // it, or a helper of it, has 47624
	Program string       // such as "game.exe (process 4711)", if the system tells
}

// Find returns the programs of this machine that have ports of the plan, such as a game that runs already. Who shares a session takes
// its ports for its slot; who joins one on a slot that nobody has does so as well, and else gives them to Open as Options.Game.
func Find() ([]Game, error) { return nil, nil }
