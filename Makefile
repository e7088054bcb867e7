# One set of build flags everywhere: another one would compile every
# dependency again.
GO      ?= go
TAGS    := invariants
PKGS    := ./...
RACE    := ./exec/... ./state/... ./checkpoint/... ./connectors/... ./session/...
KAFKA   := ./connectors/kafka/...
FUZZTIME ?= 20s
TORTURE_MINUTES ?= 2
TORTURE ?=
MODEL   ?=
BENCH   ?=

.DEFAULT_GOAL := help
.PHONY: help build demo test race lint fuzz bench kafka-test torture mutants model conformance clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-12s %s\n", $$1, $$2}'

build: ## compile the binary to bin/sqlstream
	$(GO) build -o bin/sqlstream ./cmd/sqlstream

demo: build ## run the main job on real flights, kill it three times, check that nothing is lost or repeated
	bin/sqlstream demo $(DEMO)

test: ## run the tests (under 4 minutes)
	$(GO) test -tags $(TAGS) -timeout 10m $(PKGS)

race: ## run the tests of the concurrent packages under the race detector
	$(GO) test -race -short -tags $(TAGS) -timeout 15m $(RACE)

lint: ## check formatting, vet and staticcheck
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet -tags $(TAGS) $(PKGS)
	$(GO) tool staticcheck -tags $(TAGS) $(PKGS)

fuzz: ## fuzz each fuzz test for FUZZTIME (default 20s)
	@set -e; for f in $$(grep -rl --include='*_test.go' '^func Fuzz' .); do \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$f); do \
	    echo "fuzz $$t in $$(dirname $$f)"; $(GO) test -tags $(TAGS) -run '^$$' -fuzz "^$$t$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f); \
	  done; done

bench: build ## run Nexmark queries and print events per CPU-second (BENCH='--events N --queries q0,q2')
	$(GO) run ./bench $(BENCH)

kafka-test: ## run the tests against a real Apache Kafka (needs java and mvn)
	$(GO) test -tags $(TAGS),kafka -timeout 15m $(KAFKA)
	$(GO) test -tags $(TAGS),kafka -timeout 15m -run 'Kafka' ./torture/... ./cmd/...

torture: ## run a random schedule of faults for TORTURE_MINUTES (default 2; TORTURE='--seed N' repeats one)
	$(GO) build -tags $(TAGS) -o bin/torture ./torture/run
	bin/torture --minutes $(TORTURE_MINUTES) $(TORTURE)

mutants: ## break the rules of the exactly-once protocol one by one; each must make a fault test fail
	$(GO) test -tags $(TAGS),mutants -timeout 15m -run 'Mutants' -v ./torture

model: ## explore the exactly-once protocol's model: all scenarios (minutes, up to 7 GB; MODEL=-short: a few seconds)
	$(GO) build -o bin/model ./model
	bin/model -q $(MODEL)

conformance: ## compare 591 SQL cases with the reference system's answers
	$(GO) run ./conformance

clean: ## remove what was built
	rm -rf bin
