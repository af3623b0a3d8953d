# The two commands: `make demo` and `make test`. Everything else is for people who work on Mechanician.
T ?= 60
JOBS ?= $(shell nproc)
.PHONY: all deps demo test check fast core fmt tidy bench bench-deps bench-rivals fuzz install clean

all: deps
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS)
deps:
	@tools/install-deps
demo: all
	@tools/demo build/release
test: deps
	@tools/test
check: deps            # build and test with sanitizers, nothing else
	@cmake --preset dev >/dev/null && cmake --build --preset dev -j $(JOBS) && ctest --preset dev -j $(JOBS)
fast: deps             # unit and language tests only
	@cmake --preset dev >/dev/null && cmake --build --preset dev -j $(JOBS) && ctest --preset dev -j $(JOBS) -L 'unit|lang'
core: deps
	@cmake --preset core >/dev/null && cmake --build --preset core -j $(JOBS) && ctest --preset core -j $(JOBS)
fmt:
	@git ls-files '*.c' '*.h' | xargs clang-format -i
tidy:
	@cmake --preset dev >/dev/null && clang-tidy -p build/dev --quiet $$(git ls-files 'src/*.c' 'app/*.c')
bench: all
	@tools/bench build/release
bench-deps:            # the engines that bench-rivals measures beside ours
	@tools/install-deps rivals
bench-rivals: all
	@tools/bench-rivals build/release
fuzz:
	@tools/fuzz $(T)
install: all
	@cmake --install build/release
clean:
	@rm -rf build
