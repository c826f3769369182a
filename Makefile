# "make" alone lists the targets. "make check" is what CI runs before a change is taken, "make nightly" is everything.

GO       ?= go
FUZZTIME ?= 10s
# More for bench-tshark, such as "-packets 1000000 -runs 9", or for bench-session, such as "-rounds 9",
# and bench-reliable, or for bench-migration, such as "-kills 100 -stops 0".
BENCHFLAGS ?=
# For attack, such as "--only flood-udp --seconds 2 --format markdown".
ATTACKFLAGS ?=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build dll test test-apart check nightly busy slow fmt vet staticcheck race race-long long faults doctor-sets browser modules platforms fuzz release release-test release-wine weight bench bench-tshark bench-session bench-migration bench-reliable bench-relay attack attack-table publish interop interop-some dll-interop dll-long bench-nat bench-dll bridge-nat bridge-some bridge-wine bridge-interop sim sim-long mutants model views damage clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1 \2/p' $(MAKEFILE_LIST) | awk '{printf "  %-4s %-15s", $$1, $$2; $$1 = $$2 = ""; print $$0}'

build: ## build ./dplay
	CGO_ENABLED=0 $(GO) build -o dplay$$($(GO) env GOEXE) ./cmd/dplay

dll: ## build dplayx.dll and dplay.dll for Windows in build/windows-386 and build/windows-amd64 (needs mingw)
	@for arch in 386 amd64; do \
		GO="$(GO)" .ci/dll $$arch build/windows-$$arch && wc -c build/windows-$$arch/*.dll | sed '$$d' || exit 1; \
	done

test: ## run all tests, the import-table test (TestLayers) among them
	$(GO) test ./...

check: ## do everything that CI does: the gate, in ten minutes
	.ci/run

nightly: ## do everything that takes longer, too: PARTS="sim fuzz" for some parts, PARTS=list for their names
	@GO="$(GO)" .ci/nightly

busy: ## run all tests three times beside eight processes that burn CPU and the tests of a second checkout
	@GO="$(GO)" .ci/busy

slow: ## run all tests, and print the slowest ten, the time of each package and the CPU time of all
	@GO="$(GO)" .ci/slow

test-apart: ## run all tests in a network namespace of their own, and beside a program that holds 127.0.0.1:47624
	@GO="$(GO)" .ci/apart

fmt: ## refuse files that gofmt would change
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) && \
	if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; fi

vet: ## run go vet for linux, windows and darwin
	$(GO) vet ./...
	GOOS=windows GOARCH=amd64 CGO_ENABLED=0 $(GO) vet ./...
	GOOS=darwin GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./...

staticcheck: ## run staticcheck, which go.mod pins as a tool
	$(GO) tool staticcheck ./...

# RACED lists the packages that start goroutines, in their code or their tests; the race detector finds nothing in others. The
# tests of compat/nat and compat/wine run other processes, which are not built with it, and cmd/dplayx is for Windows alone.
RACED = $$(grep -rlE --include='*.go' '^[[:space:]]*go (func|[a-zA-Z_.]+\()|\.Go\(' cmd compat captures dpsp hostmigrate internal playerlist wire | \
	xargs -n 1 dirname | sort -u | grep -vxE 'compat/(browser|nat|wine)(/.*)?|cmd/dplayx' | sed 's,^,./,')
WITH_RACE = command -v "$$($(GO) env CC)" >/dev/null || { echo "the race detector needs a C compiler; install gcc"; exit 1; }; \
	CGO_ENABLED=1 $(GO) test -race

race: ## run the tests of packages that have goroutines with the race detector (needs a C compiler)
	@$(WITH_RACE) $(RACED)

race-long: ## the same with what takes minutes
	@export DPLAY_LONG=1; $(WITH_RACE) -timeout 30m $(RACED)

# DPLAY_LONG adds what takes minutes to "go test ./...". Tests that the race detector would slow down ten times skip themselves with it.
long: ## run all tests, with what takes minutes: orders of messages, captures of a gigabyte, splits, 300 bridged sessions, machines that stand still
	DPLAY_LONG=1 $(GO) test -count=1 -timeout 30m ./...
	DPLAY_LONG=1 $(GO) test -count=1 -timeout 30m ./dpsp/bridge/plan -seeds 300 -base $${BASE:-1}

# Answers have to come in time there, so the machine must do nothing else.
faults: ## have "dplay doctor --live", join and sessions name the fault of each of 26 networks (root, nftables, tcpdump)
	DPLAY_FAULTS=1 $(GO) test -count=1 -timeout 30m -run '^TestFaults$$' ./cmd/dplay

# A case that hangs fails by its name when the timeout is near. All cases together take a minute at most on a quiet machine.
OLDER ?= 13a9bce
older: ## play sessions of this dplay and of an older release, built from the commit OLDER (13a9bce) of the history (root, git)
	DPLAY_OLDER="$(OLDER)" $(GO) test -count=1 -v -timeout 10m -run '^TestOlder$$' ./cmd/dplay

browser: ## vet and run compat/browser, a module of its own, with the race detector and Chromium
	cd compat/browser && $(GO) vet ./... && "$$(cd ../.. && $(GO) tool -n staticcheck)" ./... && CGO_ENABLED=1 $(GO) test -race -timeout 30m ./...

# compat/browser is vetted here so that the gate finds a change that keeps it from compiling. "make browser" runs it.
modules: ## vet and test the module .ci/release without making a release ("make release-test" does), and vet compat/browser
	cd .ci/release && $(GO) vet ./... && "$$(cd ../.. && $(GO) tool -n staticcheck)" ./... && $(GO) test -skip '^TestReproducible$$' ./...
	cd compat/browser && $(GO) vet ./...

platforms: ## build dplay for each released platform, and the DLLs where there is mingw
	@GO="$(GO)" .ci/platforms

# Recordings that fail are kept in build/doctor-sets.
doctor-sets: ## have the doctor find nothing in healthy recordings and the fault in others: made in memory and by real programs (root, nftables)
	@mkdir -p build/doctor-sets
	DPLAY_SETS_KEEP="$(CURDIR)/build/doctor-sets" $(GO) test -count=1 -run '^Test(Healthy|Faulty)Set$$' ./captures/doctor
	DPLAY_SETS_KEEP="$(CURDIR)/build/doctor-sets" DPLAY_REQUIRE_NAT=1 $(GO) test -count=1 -timeout 30m -parallel 4 -run '^TestRecordings$$' ./compat/nat

sim: ## simulate SEEDS (2,000) sessions with faults, from the seed BASE (1) on, and all seeds that ever failed
	GO="$(GO)" .ci/sim

sim-long: ## simulate sessions with the seeds of the day for an hour
	GO="$(GO)" MINUTES=60 SEEDS=1000 BASE=$$(date -u +%Y%m%d)0000 .ci/sim

WALKS ?= 600000
model: ## take WALKS (600,000) random walks through each world of the session protocol's model, from the seed BASE (1) on
	DPLAY_MODEL_WALKS=$(WALKS) DPLAY_MODEL_BASE=$${BASE:-1} DPLAY_MODEL_STATES=1000000 $(GO) test -count=1 -v -timeout 3h ./hostmigrate/model

VIEWSEEDS ?= 50000
views: ## run VIEWSEEDS (50,000) sessions of the core of views with faults, from the seed BASE (1) on, and all seeds that ever failed
	DPLAY_VIEW_SEEDS=$(VIEWSEEDS) DPLAY_VIEW_BASE=$${BASE:-1} DPLAY_VIEW_PROGRAMS=64 $(GO) test -count=1 -timeout 3h ./hostmigrate/view

# "go run ./internal/sim/mutants --help" lists the flags.
MUTANTSFLAGS ?=
mutants: ## take rules out of the engine, and count those that the simulator misses: MINUTES (5) of CPU time each, JOBS (2), WANT, ONLY=NAME,...
	@mkdir -p build
	GO="$(GO)" $(GO) run ./internal/sim/mutants --minutes "$${MINUTES:-5}" --jobs "$${JOBS:-2}" --want "$${WANT:--1}" --only "$${ONLY:-}" \
		--json build/mutants.json $(MUTANTSFLAGS)

DAMAGE ?= 50000
damage: ## put DAMAGE (50,000) damaged captures through decode, doctor, draw, replay and annotate (half an hour), from the seed BASE on
	DPLAY_DAMAGE=$(DAMAGE) DPLAY_DAMAGE_BASE=$${DPLAY_DAMAGE_BASE:-$(BASE)} $(GO) test -count=1 -v -timeout 6h -run '^TestDamage(Reliable)?$$' ./captures

fuzz: ## run each fuzz target for FUZZTIME (10s)
	GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz

release: ## make archives, packages and their sums of a commit in build/VERSION, VERSION=v0.9.0
	@cd .ci/release && GO="$(GO)" $(GO) run . -version "$(VERSION)"

# One that is thrown away: of the files as they are. build/test keeps what was made, for release-wine.
release-test: ## make a release twice, compare octets, unpack it and run what runs here
	cd .ci/release && $(GO) vet ./... && "$$(cd ../.. && $(GO) tool -n staticcheck)" ./... && \
		GO="$(GO)" DPLAY_RELEASE="$(CURDIR)/build/test" $(GO) test -count=1 -timeout 60m ./...

release-wine: ## run what release-test made under Wine and in Debian (root; needs what "make interop" sets up)
	DPLAY_RELEASE="$(CURDIR)/build/test" DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -timeout 60m -run TestRelease ./compat/wine

weight: ## build dplay.exe of 32 bits with the bridge and without, and refuse a bridge of more than 6 MB
	GO="$(GO)" .ci/weight

# The least of ten runs: what the code needs when the machine is not busy with something else.
bench: ## time decoding and encoding of single messages, the least of ten runs
	@$(GO) test -run '^$$' -bench . -benchmem -benchtime 0.2s -count 10 ./wire/... | awk ' \
		/^Benchmark/ { sub(/-[0-9]+$$/, "", $$1); if (!($$1 in ns)) order[++n] = $$1; \
			if (!($$1 in ns) || $$3 + 0 < ns[$$1]) { ns[$$1] = $$3 + 0; allocs[$$1] = $$(NF-1) } } \
		/^(ok|FAIL|---|panic)/ { print > "/dev/stderr" } \
		END { for (i = 1; i <= n; i++) printf "%-42s %9.1f ns %6s allocations\n", order[i], ns[order[i]], allocs[order[i]] }'

bench-tshark: build ## time dplay decode against tshark on one capture and print the ratio
	@$(GO) test -timeout 0 -run '^$$' -bench . -benchtime 1x ./compat/benchtshark -args $(BENCHFLAGS)

bench-session: ## time joins and messages on loopback beside sockets without the engine
	@$(GO) test -timeout 0 -run '^$$' -bench '^BenchmarkSession$$' -benchtime 1x ./dpsp/sock/internal/bench -args $(BENCHFLAGS)

bench-migration: ## time on loopback how long a session is without a host when its host dies
	@$(GO) test -timeout 0 -run '^$$' -bench '^BenchmarkMigration$$' -benchtime 1x ./dpsp/sock/internal/bench -args $(BENCHFLAGS)

# In the made-up network a run is the same each time; only the figures on loopback are the machine's.
bench-reliable: ## measure the reliable protocol under loss beside a model of TCP, and on loopback beside bare sockets
	@$(GO) test -timeout 0 -run '^$$' -bench '^BenchmarkReliable$$' -benchtime 1x ./dpsp/reliable
	@$(GO) test -timeout 0 -run '^$$' -bench '^BenchmarkReliable$$' -benchtime 1x ./dpsp/sock/internal/bench -args $(BENCHFLAGS)

bench-relay: ## measure the memory and CPU time of a relay: of 1,000 sessions at rest, and of one that plays (Linux)
	@$(GO) test -timeout 0 -run '^$$' -bench '^BenchmarkCost$$' -benchtime 1x ./dpsp/bridge/relay

bench-nat: ## measure the cost of the bridge beside a forwarded port, and the time until a session (root, nftables)
	DPLAY_REQUIRE_NAT=1 $(GO) test -run '^$$' -bench . -benchtime 1x -timeout 60m ./compat/nat

bench-dll: ## measure the cost of our dplayx.dll beside Wine's own (as "make interop", on a machine that does nothing else)
	compat/wine/setup.sh
	DPLAY_REQUIRE_WINE=1 DPLAY_QUIET=1 DPLAY_BENCH_ROUNDS=$${DPLAY_BENCH_ROUNDS:-5} $(GO) test -count=1 -v -timeout 60m \
		-run '^(TestDLLSpeed|TestDLLGame|TestDLLGameHostKilled|TestDLLShell)$$' ./compat/wine

attack: ## attack a host of ours as strangers and members would, and say what held (ATTACKFLAGS="--only idle --seconds 2")
	$(GO) run ./compat/attack $(ATTACKFLAGS)

attack-table: ## attack as "make attack" does, on a machine that does nothing else, and put the table into SECURITY.md
	mkdir -p build
	{ echo && $(GO) run ./compat/attack --quiet --format markdown && echo; } >build/attack-table.md
	sed -i -e '/^<!-- make attack-table -->$$/,/^<!-- the table ends -->$$/ {//!d}' -e '/^<!-- make attack-table -->$$/r build/attack-table.md' SECURITY.md

publish: ## prove that others can go get and go install this project under a path, MODULE=host.example/path
	GO="$(GO)" .ci/publish "$(MODULE)"

interop: ## let Wine 10's own dplayx join our host (root; the first time two and a half minutes and 4 GB)
	compat/wine/setup.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -timeout 60m -parallel 4 -run 'TestOurHost|TestWine' ./compat/wine

# One of each kind, for the gate.
interop-some: ## let a client of Wine 10 join our host, and a game host on our DLL (as "make interop")
	compat/wine/setup.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -timeout 30m -run '^(TestOurHost|TestDLLGame)$$/^(two-clients|DLL_hosts,_dplay_joins)$$' ./compat/wine

dll-interop: ## let games, Wine's own tests and launchers use our dplayx.dll under Wine 10 (as "make interop")
	compat/wine/setup.sh
	compat/wine/winetests.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -timeout 60m -parallel 4 -run TestDLL ./compat/wine

# The tests that "make dll-interop" skips or shortens. TestDLLWineTestsAMD64 may fail on a busy machine.
dll-long: ## run those tests of the DLL that take minutes, on a machine that does nothing else (as "make interop")
	compat/wine/setup.sh
	compat/wine/winetests.sh
	DPLAY_REQUIRE_WINE=1 DPLAY_LONG=1 $(GO) test -count=1 -v -timeout 60m \
		-run '^(TestDLLWineTestsAMD64|TestDLLWineTestsBuiltin|TestDLLHostile|TestDLLEnding)$$' ./compat/wine

bridge-some: ## let one session go over the bridge, for the gate (root, nftables)
	DPLAY_REQUIRE_NAT=1 $(GO) test -count=1 -v -timeout 30m -run '^TestNATs$$/^port-restricted,_port-restricted$$' ./compat/nat

bridge-nat: ## play over an internet of namespaces, from behind routers of every kind, with "dplay bridge" (root, nftables)
	DPLAY_REQUIRE_NAT=1 $(GO) test -count=1 -v -timeout 60m -parallel 4 ./compat/nat

bridge-wine: ## the same with Wine's dplayx, our DLL and dplay.exe behind the routers (as "make interop")
	compat/wine/setup.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -timeout 60m -parallel 4 -run TestBridge ./compat/wine

bridge-interop: bridge-nat bridge-wine ## both

clean: ## remove what was built
	rm -f dplay dplay.exe
	rm -rf build
