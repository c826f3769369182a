// Command release makes the files of a release: archives for each system, packages for Debian, and their sums. The same commit and
// the same Go give the same octets, whoever runs it, wherever and whenever. It is a module of its own, for what writes
// packages (nfpm) needs more than all of dplay.
//
//	make release VERSION=v0.9.0
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	r := release{platforms: platforms}
	flag.StringVar(&r.root, "root", filepath.Join("..", ".."), "the project's folder")
	flag.StringVar(&r.version, "version", "", "the release, such as v0.9.0")
	list := flag.Bool("platforms", false, "list the platforms and make nothing")
	flag.Parse()
	if *list {
		for _, p := range r.platforms {
			fmt.Printf("%s/%s\n", p.system, p.arch)
		}
		return
	}
	if err := r.make(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		if errors.Is(err, errUsage) {
			os.Exit(2)
		}
		os.Exit(1)
	}
	fmt.Printf("release: %s of commit %.12s is in %s\n", r.version, r.commit, r.out())
}
