# `make` lists the targets. Nothing but Go is needed: tools are Go modules of
# their own (tools.mod), so that they never reach the users of the library.

SHELL := bash
GO    ?= go
GOFMT  = $(shell $(GO) env GOROOT)/bin/gofmt
NESTED = $(patsubst ./%/go.mod,%,$(sort $(shell find . -mindepth 2 -name go.mod)))

# BENCHTIME and FUZZTIME are for each benchmark and each fuzz target.
BENCHTIME ?= 2s
FUZZTIME  ?= 5s
SCRIPTS   ?= 200000

# in_modules runs a command in the root module and in each nested one.
in_modules = for dir in . $(NESTED); do (cd $$dir && $(1)) || { echo "in $$dir: $(1)" >&2; exit 1; }; done

.PHONY: help demo test race property simulation fuzz bench cover check fmt-check vet lint rules layering compat interop generate tidy tidy-check ci

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## Run a regional outage, azcosmos alone against azcosmos with the policies
	cd examples && $(GO) run ./outage

test: ## Run every test; time is virtual, so that takes seconds once it is compiled
	@$(call in_modules,$(GO) test -timeout 120s ./...)

race: ## Run every test of the library under the race detector (needs a C compiler)
	$(GO) test -race -timeout 300s ./...
	$(GO) test -race -timeout 300s -run ConcurrentSafe -count 20 -cpu 1,4 ./...

property: ## Run SCRIPTS (200,000) random fault scripts against the properties that must hold of all
	PROPERTY_SCRIPTS=$(SCRIPTS) $(GO) test -count 1 -timeout 1800s -run 'TestProperties$$' -v ./compat/conformance/property

simulation: ## Simulate a day of outages on 100 partitions, with the breaker and without
	$(GO) test -count 1 -timeout 600s -run TestSimulation -v ./compat/conformance/simulation -hours 24

fuzz: ## Fuzz every target for FUZZTIME (5s)
	@scripts/fuzz.sh $(FUZZTIME)

bench: ## Measure what the policies cost while nothing fails
	cd bench && $(GO) test -run '^$$' -bench Paired -benchtime $(BENCHTIME) .

cover: ## Measure how much of the library its tests run
	$(GO) test -timeout 120s -coverprofile=cover.out -coverpkg=./internal/...,./regioncache,./policies/...,./compat/... ./...
	@$(GO) tool cover -func=cover.out | awk '$$3 == "0.0%" && $$2 != "NonRetriable" { print } END { print }'

check: fmt-check vet lint rules layering test ## Run what must pass before a commit

fmt-check: ## Fail if a file is not formatted
	@files=$$($(GOFMT) -l .); test -z "$$files" || { echo "not formatted, run gofmt -w on:" >&2; echo "$$files" >&2; exit 1; }

vet: ## Run go vet
	@$(call in_modules,$(GO) vet ./...)

lint: fmt-check vet tidy-check ## Run gofmt, go vet, go mod tidy, go fix and staticcheck; nothing is changed
	@$(call in_modules,$(GO) fix -diff ./...)
	@for dir in . $(NESTED); do \
		(cd $$dir && $(GO) tool -modfile=$(CURDIR)/tools.mod staticcheck -checks all ./...) || { echo "in $$dir: staticcheck" >&2; exit 1; }; \
	done

rules: ## Check the rules of this repository that no linter knows
	@scripts/rules.sh

layering: ## Check which package imports which
	@scripts/layering.sh

compat: ## Run the tests against every supported version of azcosmos
	@failed=; for mod in compat/versions/*.mod; do \
		echo "$$mod"; \
		$(GO) test -timeout 120s -modfile=$$mod ./... || failed="$$failed $$mod"; \
	done; test -z "$$failed" || { echo "fails with$$failed" >&2; exit 1; }

interop: ## Run the clients for Go and, where Node.js is installed, JavaScript against cosmostest
	cd compat/interop/go && $(GO) run .

generate: ## Write the parts of the documentation that come from the code
	$(GO) generate ./...

tidy: ## Tidy go.mod everywhere, and derive compat/versions/ from it
	@scripts/tidy.sh

tidy-check: ## Fail if make tidy would change something
	@scripts/tidy.sh -check

ci: ## Run what continuous integration runs
	@.ci/run
