# replanbench. `make help` lists the targets. Everything needs Go alone.

GOLANGCI   := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DEADCODE   := golang.org/x/tools/cmd/deadcode@v0.51.0
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.16.0

# The race detector needs cgo; where there is no C compiler the tests run without.
RACE     := $(if $(filter 1,$(shell go env CGO_ENABLED)),-race)
# With it every program waits a second before it ends, and the tests start many.
export GORACE := atexit_sleep_ms=0
FUZZTIME := 10s
# A package may take so long; Go's ten minutes are too few where others load the machine.
TESTTIME := 30m

# What a user installs is $(MODULE)/cmd/replanbench. The path stands in go.mod and in
# imports, and nowhere else: make module TO=host/owner/replanbench moves it.
MODULE  := $(shell go list -m)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help build release size image module check test test-race test-bulk test-rest test-long bench benchmarks peers fuzz mutants growth exam cluster-test kubernetes-test lint update

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/replanbench
	go build -o bin/replanbench ./cmd/replanbench

release: ## build static programs for every system into bin/release: archives and checksums (see .goreleaser.yaml)
	go run $(GORELEASER) release --snapshot --clean

# Libraries may cost size, but not without anyone noticing: see harness/DECISIONS.md.
MOST_BYTES := 60000000

size: ## build the static program, and fail if it has MOST_BYTES (60 MB) or more
	@mkdir -p bin; CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/replanbench-static ./cmd/replanbench
	@bytes=$$(wc -c <bin/replanbench-static); echo "$$bytes bytes"; test "$$bytes" -lt $(MOST_BYTES)

image: ## build a container image that holds the program alone
	docker build -f cmd/replanbench/Dockerfile --build-arg VERSION="$(VERSION)" -t replanbench .

module: ## give the module the path TO=host/owner/replanbench, in go.mod and in every import
	@test -n "$(TO)" || { echo "say which: make module TO=host/owner/replanbench"; exit 1; }
	grep -rlF --include='*.go' '"$(MODULE)/' . | xargs sed -i.before 's#"$(MODULE)/#"$(TO)/#g'
	find . -name '*.go.before' -delete
	go mod edit -module $(TO)
	gofmt -w $$(grep -rlF --include='*.go' '"$(TO)/' .)

check: ## run the gate on the built-in data
	go run ./cmd/replanbench check

# The race detector makes tests take thrice as long or more, and everything is compiled
# again for it. So it watches where there is something to see: the packages below cmd that
# start goroutines or lock, in code or tests. Their tests whose names end in InBulk run
# without it: they repeat with many cases what shorter tests do with few. test-long runs
# everything with it, commands too.
packages = grep -rlE --include='*.go' --exclude-dir=testdata '$(1)' generators harness scenarios corpora reports | xargs -n 1 dirname | sort -u | sed 's|^|$(MODULE)/|'
CONCURRENT := ^\s*go (func\(|[a-zA-Z.]+\()|\.Go\(|\bsync\.(WaitGroup|RWMutex|Mutex)\b
# A fifth of the time would go into collecting garbage, and a tenth into what debuggers
# need. make lint runs go vet on the same files.
# As -ldflags=-w for the linker: without debugging data compilers take a quarter less time.
# Without the paths of files, what one clone has compiled serves the next one. What check,
# test and lint compile is shared, so all go without.
QUICK := -gcflags=all=-dwarf=false -trimpath
check test test-race test-bulk test-rest lint: export GOFLAGS := $(filter-out $(QUICK),$(shell go env GOFLAGS)) $(QUICK)
GOTEST = GOGC=400 $(NICE) go test -vet=off -ldflags='-s -w' -timeout $(TESTTIME)

test: ## formatting and every test, with the race detector where goroutines run
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	@GOGC=400 go build ./... # alone: the largest library takes 3 GB, and would be compiled twice at once
	@$(MAKE) --no-print-directory -j 2 test-rest test-race test-bulk # cmd alone leaves a processor idle

# The tests of cmd take longest, and some of them run alone: others take what time they leave.
test-race test-bulk: NICE := nice

# Optimizing the largest library for the race detector takes twice as long as compiling it.
test-race:
	$(GOTEST) $(RACE) -gcflags='github.com/openai/...=-N -l -dwarf=false' -skip 'InBulk$$' $$($(call packages,$(CONCURRENT)))

test-bulk:
	$(GOTEST) -run 'InBulk$$' $$($(call packages,^func Test.*InBulk))

test-rest:
	$(GOTEST) $$(go list ./... | grep -vxF "$$($(call packages,$(CONCURRENT)))")

test-long: ## every test in its long form: more cases, and the race detector in each process
	REPLANBENCH_TEST_LONG=1 go test -vet=all -timeout 2h $(RACE) ./...

bench: build ## how fast the program is, beside what is aimed at (takes minutes)
	PYTHON=$(PYTHON) go test ./cmd/growth -run Aims -v -count 1 -timeout 1h -program bin/replanbench

# As the commands have it: see campaignHeap.
benchmarks: ## run the benchmarks
	GOGC=800 go test -run '^$$' -bench . -benchmem ./...

# EXAM is the number of mutants of each dialect; 0 is all of them (hours).
EXAM := 30

exam: build ## how well campaigns separate bugs: mutants of engines written from the specification (takes minutes)
	$(PYTHON) cmd/exam/exam.py bin/replanbench --mutants $(EXAM)

PEERS := harness/hunt/campaign/testdata/peers
PYTHON := python3

peers: build ## compare the loop of fuzz with fast-check and Hypothesis, and its engines with bare loops (see its README)
	$(PYTHON) $(PEERS)/compare.py bin/replanbench
	$(PYTHON) $(PEERS)/wire.py bin/replanbench

# Minimizing an interesting input takes most of the time of a slow target, so it is off:
# only failures are minimized by hand. FUZZMIN is the number of executions that a target
# must reach in FUZZTIME, so that a target that hardly runs does not pass.
FUZZMIN := 500
# On a loaded machine Go ends a target with the error "context deadline exceeded" and no
# failing input when FUZZTIME is over. This is no failure of the target.
LATE := { grep -qx '    context deadline exceeded' "$$log" && ! grep -q 'Failing input' "$$log"; }

fuzz: ## run every native fuzz target for FUZZTIME (10s), at least FUZZMIN times (500)
	@set -e; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	for package in $$(go list ./...); do \
	  for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 0x $$package >"$$log" 2>&1 || $(LATE) || { cat "$$log"; exit 1; }; \
	    n=$$(sed -n 's/.* execs: \([0-9]*\) .*/\1/p' "$$log" | tail -n 1); \
	    printf '%10s  %s %s\n' "$${n:-0}" "$$package" "$$target"; \
	    test "$${n:-0}" -ge $(FUZZMIN) || { echo "$$target ran $${n:-0} times in $(FUZZTIME), at least $(FUZZMIN) are wanted"; exit 1; }; \
	  done; \
	done

MUTANTS := -n 216 -seed 1

mutants: ## change the rules in MUTANTS places, and see whether scenarios, campaigns or tests notice
	go run ./cmd/mutants $(MUTANTS)

growth: build ## time and memory of every long command on 1x and 10x of its input (takes minutes)
	go test ./cmd/growth -run Growth -v -count 1 -timeout 2h -program bin/replanbench

cluster-test: build ## shards on a Slurm that is started here, one killed and requeued (needs root, slurm-wlm, munge)
	cmd/replanbench/testdata/cluster/slurm.sh bin/replanbench

kubernetes-test: build ## read the manifest for Kubernetes strictly, as the published types of batch/v1
	cmd/replanbench/testdata/cluster/kubernetes.sh bin/replanbench

lint: ## golangci-lint with .golangci.yml, and deadcode: no function that no program reaches
	go run $(GOLANGCI) run --allow-parallel-runners ./... ./harness/testdata/*
	@unused=$$(go run $(DEADCODE) -test=false ./...); test -z "$$unused" || { echo "$$unused"; exit 1; }

update: ## rewrite goldens, the scripts' expected output and the scenarios' want.json
	@set -e; for dir in $$(grep -rl --include='*_test.go' '"$(MODULE)/harness/testdata/golden"' . | xargs -n 1 dirname | sort -u); do \
	  go test $$dir -update; \
	done
	go run ./cmd/replanbench run --update scenarios
