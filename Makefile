# Each target is one line; what is more than that is in scripts/, and says there why. scripts/go is the go command.
GO := ./scripts/go

.PHONY: all build dist run test check test-long test-race test-race-user test-owned test-dist test-wine test-kernels test-places test-profiles test-hosts lint vet fuzz stress bench npm-cache generate clean
all: build

build: ; CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...
dist: ; $(GO) run ./scripts/dist
run: ; @$(GO) version >/dev/null && echo "compiling: up to two minutes the first time, seconds later" >&2 && CGO_ENABLED=0 $(GO) run -trimpath ./scripts/demo
test: ; ./scripts/test -short -p 3
check: ; .ci/run -all
test-long: ; ./scripts/test -p 3
test-race: ; MCP_SANDBOX_TEST_PART='race both' ./scripts/test -short -race -p 2
test-race-user: ; MCP_SANDBOX_TEST_PART=race-user ./scripts/test-owned ./scripts/test -short -race -p 2
test-owned: ; ./scripts/test-owned make test
test-dist: ; ./scripts/test-dist
test-wine: ; ./scripts/test-wine
lint: ; ./scripts/lint
vet: ; ./scripts/vet
fuzz: ; ./scripts/fuzz 1m
stress: ; ./scripts/stress 3000
bench: ; $(GO) run ./scripts/bench
test-kernels: ; $(GO) run ./scripts/kernels
test-places: ; $(GO) run ./scripts/places
test-profiles: ; $(GO) run ./scripts/profiles
test-hosts: ; $(GO) run ./scripts/hosts
npm-cache: ; ./scripts/npm-cache
generate: ; $(GO) generate ./...
clean: ; rm -rf bin .cache
