// Package benchtshark times tshark and dplay side by side on the same capture ("make bench-tshark"): one of its own making, of
// a realistic mix, the same for everybody who gives the same seed. It is a benchmark that prints a table, and has no code
// besides.
package benchtshark
