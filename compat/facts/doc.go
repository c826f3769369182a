// Package facts holds what Windows and Wine really do: texts, cited by number throughout this repository, with a test
// that every citation resolves. It has no code.
package facts
