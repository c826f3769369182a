# "make" alone lists the targets. "make check" is what CI runs.

GO       ?= go
FUZZTIME ?= 10s
# More for bench-tshark, such as "-packets 1000000 -runs 9", or for bench-session, such as "-rounds 9",
# and bench-reliable, or for bench-migration, such as "-kills 100 -stops 0".
BENCHFLAGS ?=
# For attack, such as "--only flood-udp --seconds 2 --format markdown".
ATTACKFLAGS ?=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help build dll test check fmt vet staticcheck race long browser fuzz release release-test release-wine weight bench bench-tshark bench-session bench-migration bench-reliable attack publish interop dll-interop bridge-nat bridge-wine bridge-interop sim sim-long damage damage-some checks clean

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

CHECKS := fmt vet staticcheck race long browser sim fuzz release-test weight damage-some

check: $(CHECKS) ## do everything that CI does, without root
	@echo "check: all passed"

checks: # what "make check" does, for .ci/run
	@echo $(CHECKS)

fmt: ## refuse files that gofmt would change
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) && \
	if [ -n "$$files" ]; then echo "not formatted (run gofmt -w):"; echo "$$files"; exit 1; fi

vet: ## run go vet
	$(GO) vet ./...

staticcheck: ## run staticcheck, which go.mod pins as a tool
	$(GO) tool staticcheck ./...

# What takes minutes is not in "go test ./...": DPLAY_LONG adds it. With the race detector that is what has goroutines, and all
# combinations of session flags; Wine's tests are those of "make interop". "make long" has what would take ten times as long with it
# and has no goroutines. PURE are packages that have none, whose tests take long with it.
PURE := dpsp/bridge/plan dpsp/bridge/filter dpsp/reliable hostmigrate hostmigrate/object playerlist
race: ## run all tests that have goroutines, the long ones too, with the race detector (needs a C compiler)
	@command -v "$$($(GO) env CC)" >/dev/null || { echo "the race detector needs a C compiler; install gcc"; exit 1; }
	DPLAY_LONG=1 CGO_ENABLED=1 $(GO) test -race $$($(GO) list ./... | grep -v $(PURE:%=-e /%$$))

long: ## run what takes too long for the race detector: all orders of messages about objects, random sessions and lists, captures of a gigabyte, splits, 300 bridged sessions, a relay's cost
	DPLAY_LONG=1 $(GO) test -count=1 -run 'Memory|Splits|SameSeed' ./captures/... ./internal/sim
	DPLAY_LONG=1 $(GO) test -count=1 ./hostmigrate/... ./playerlist ./dpsp/reliable
	DPLAY_LONG=1 $(GO) test -count=1 -run TestCost ./dpsp/bridge/relay
	DPLAY_LONG=1 $(GO) test -count=1 ./dpsp/bridge/filter
	DPLAY_LONG=1 $(GO) test -count=1 ./dpsp/bridge/plan -seeds 300 -base 0x$$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1)

browser: ## vet and run compat/browser, a module of its own, with the race detector and Chromium
	cd compat/browser && $(GO) vet ./... && "$$(cd ../.. && $(GO) tool -n staticcheck)" ./... && CGO_ENABLED=1 $(GO) test -race ./...

sim: ## simulate 2,000 sessions with faults, seeds from the commit's hash, and all seeds that ever failed
	GO="$(GO)" .ci/sim

sim-long: ## simulate sessions with other seeds for an hour
	GO="$(GO)" MINUTES=60 SEEDS=1000 .ci/sim

damage: ## put 50,000 damaged captures through decode, doctor, draw, replay and annotate (half an hour)
	DPLAY_DAMAGE=$${DPLAY_DAMAGE:-50000} $(GO) test -count=1 -v -timeout 6h -run '^TestDamage(Reliable)?$$' ./captures

damage-some:
	@DPLAY_DAMAGE=400 $(MAKE) -s damage

fuzz: ## run each fuzz target for FUZZTIME (10s)
	GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz

release: ## make archives, packages and their sums of a commit in build/VERSION, VERSION=v0.9.0
	@cd .ci/release && GO="$(GO)" $(GO) run . -version "$(VERSION)"

# One that is thrown away: of the files as they are. build/test keeps what was made, for release-wine.
release-test: ## make a release twice, compare octets, unpack it and run what runs here
	cd .ci/release && $(GO) vet ./... && "$$(cd ../.. && $(GO) tool -n staticcheck)" ./... && \
		GO="$(GO)" DPLAY_RELEASE="$(CURDIR)/build/test" $(GO) test -count=1 -timeout 20m ./...

release-wine: ## run what release-test made under Wine and in Debian (root; needs what "make interop" sets up)
	DPLAY_RELEASE="$(CURDIR)/build/test" DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -run TestRelease ./compat/wine

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

attack: ## attack a host of ours as strangers and members would, and say what held (ATTACKFLAGS="--only idle --seconds 2")
	$(GO) run ./compat/attack $(ATTACKFLAGS)

publish: ## prove that others can go get and go install this project under a path, MODULE=host.example/path
	GO="$(GO)" .ci/publish "$(MODULE)"

interop: ## let Wine 10's own dplayx join our host (root; the first time two and a half minutes and 4 GB)
	compat/wine/setup.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -run 'TestOurHost|TestWine' ./compat/wine

# SKIP is for where other things run meanwhile: TestDLLSpeed compares times.
SKIP := ^$$

dll-interop: ## let games, Wine's own tests and launchers use our dplayx.dll under Wine 10 (as "make interop")
	compat/wine/setup.sh
	compat/wine/winetests.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -timeout 14m -parallel 4 -run TestDLL -skip '$(SKIP)' ./compat/wine

bridge-nat: ## play over an internet of namespaces, from behind routers of every kind, with "dplay bridge" (root, nftables)
	DPLAY_REQUIRE_NAT=1 $(GO) test -count=1 -v -timeout 14m -parallel 4 ./compat/nat

bridge-wine: ## the same with Wine's dplayx, our DLL and dplay.exe behind the routers (as "make interop")
	compat/wine/setup.sh
	DPLAY_REQUIRE_WINE=1 $(GO) test -count=1 -v -timeout 14m -parallel 4 -run TestBridge ./compat/wine

bridge-interop: bridge-nat bridge-wine ## both

clean: ## remove what was built
	rm -f dplay dplay.exe
	rm -rf build
