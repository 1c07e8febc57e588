# Two commands on a fresh machine: `make demo` and `make test`. `make help` lists the others.
SHELL := /bin/bash
.DEFAULT_GOAL := help
LISTEN ?= 127.0.0.1:8080
DATA ?= target/demo-data

.PHONY: product nats fleet-kills bam-table growth help setup build demo serve test lint browser laws agreement calls plc-tests nightly engines bench-docs sbom guide-pictures kills second-solver load large-project api

help: ## What can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/'

setup: ## Fetches the solver libraries into .cvc5 (once)
	@.ci/cvc5

build: setup ## The release binary, target/release/scanproof; its debug symbols beside it
	cargo build --release
	@.ci/symbols target/release/scanproof

demo: build ## Verifies a handful of samples, prints the verdicts, then serves the pages; the data is thrown away
	target/release/scanproof selftest --only environment/
	@echo "All samples, which qualifies the installation: target/release/scanproof selftest"
	target/release/scanproof serve --demo --listen $(LISTEN)

serve: build ## Serves the pages on LISTEN (127.0.0.1:8080)
	@mkdir -p $(DATA)
	target/release/scanproof serve --listen $(LISTEN) --data $(DATA)

nats: ## Installs the broker that the tests of the fleet start (Debian package)
	@.ci/nats

browser: ## Installs the browser that the page tests drive (Debian packages)
	@.ci/browser

guide-pictures: setup browser ## Takes the pictures of the user guide again, docs/guide/pictures
	cargo build
	GUIDE_PICTURES=1 cargo test -p scanproof-browser-tests pictures_of

# The laws on random cases begin with the same number here, so that a run means the same everywhere; `make laws` and
# `cargo test` by hand choose others each time.
test: export PROPTEST_RNG_SEED ?= 20261122
test: setup browser nats ## Installs what tests need and runs all of them
	cargo test --workspace --no-fail-fast

lint: setup ## Format and lints, warnings are errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

sbom: setup ## Writes the bill of materials of the product, target/sbom.cdx.json (CycloneDX)
	@.ci/sbom

CASES ?= 30000
laws: setup ## Interpreter against model on CASES random programs (minutes), new ones each time; the checker on a tenth of them
	PROPTEST_CASES=$(CASES) cargo test --release -p testgen --test laws model::
	CASES=$$(( $(CASES) / 3 )) cargo test --release -p testgen --test laws rungs
	CASES=$$(( $(CASES) / 10 )) cargo test --release -p answer --lib certify::

agreement: setup ## Every engine against all states of 10,000 random small programs
	PROGRAMS=10000 cargo test --release -p testgen --test laws every_engine_agrees -- --nocapture

calls: setup ## Block-abstraction memoization against CEGAR on 10,000 random programs with calls
	PROGRAMS=10000 cargo test --release -p search random_programs_with_calls -- --nocapture

plc-tests: setup ## Test programs from the counterexamples of all samples, on the interpreter; drawings of 100 random networks
	SAMPLES=all cargo test --test integration plc_tests -- --nocapture
	NETWORKS=100 cargo test --test integration random_networks -- --nocapture

kills: setup ## 200 kills of the service and its workers at random moments: nothing confirmed is lost
	KILLS=200 cargo test --test integration kills -- --nocapture

EXAMPLES ?= 100
api: setup ## The API of a real service against its OpenAPI document: all checks of Schemathesis, without and with log-in
	cargo build
	cargo run -q -p xtask -- schemathesis target/debug/scanproof $(EXAMPLES)

SECONDS_OF_LOAD ?= 60
load: build ## Fifty clients against the service, with long runs queued and large files open: p50 and p99
	cargo run -q -p xtask -- load target/release/scanproof $(SECONDS_OF_LOAD)

large-project: setup ## Times of the pages of a project with 500 requirements and 200 versions, and of a run of 1,000 cycles
	LARGE_PROJECT=1 cargo test -p scanproof --lib projects_scale -- --nocapture --test-threads 1

fleet-kills: setup nats ## Kills agents and servers of a fleet at 200 random moments each
	FLEET_KILLS=200 cargo test --test integration fleet::faults

second-solver: build ## Certificates of all samples, checked by z3 instead of cvc5
	.ci/model-checkers
	target/release/scanproof selftest --solver "$(CURDIR)/.tools/model-checkers/bin/z3 -in"

product: build ## The release build: its self-test, its exports in other tools, its image without Docker, published programs
	target/release/scanproof selftest
	if [ -d ../shared/corpus ]; then cargo run -q -p xtask -- corpus ../shared/corpus; fi
	.ci/exports
	.ci/image

nightly: product laws agreement calls plc-tests kills fleet-kills api second-solver ## Everything that takes long: the release build, new random programs, every engine on 10,000, fuzzing
	.ci/fuzz 60

FAMILIES = alarm batch burner conveyor crane door elevator mixer motor parking press pump silo tank traffic valve voting

engines: build ## The tables of docs/engines.md: many small programs, then few large ones
	target/release/scanproof bench --quiet $(FAMILIES:%=samples/%) --configs docs/engines.yaml --time 2s --out target/engines
	@cat target/engines/summary.md
	target/release/scanproof bench --quiet samples/big --configs docs/engines.yaml --time 10s --out target/engines-big
	@cat target/engines-big/summary.md

growth: build ## How families of programs grow, beside Spacer, ABC and CBMC, into docs/engines.md (SIZES="1 10" SECONDS=10 is quicker)
	@.ci/model-checkers || echo "growth: tools that are missing are named in the table"
	cargo run -q -p xtask -- growth

bam-table: build ## Measures families of growing programs and puts the table into docs/bam.md (SIZES="1 10" is quicker)
	cargo run -q -p xtask -- bam-table

bench-docs: build ## Measures configurations and puts the tables into docs/cegar.md (hours; TIME=2s JOBS=2 is quicker)
	cargo run -q -p xtask -- bench-tables
