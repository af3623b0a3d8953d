# The two commands: `make demo` and `make test`. Everything else is for people who work on Mechanician.
T ?= 60
JOBS ?= $(shell nproc)
# what is installed
BUILD ?= build/release
.PHONY: all deps demo test validate check fast core fmt tidy bench bench-deps bench-ranks bench-rivals robots bodies fuzz fuzz-one-sided differential agree mutate soak install dist deb deb-check ports clean

all: deps
	@cmake --preset release >/dev/null && cmake --build --preset release -j $(JOBS)
deps:
	@tools/install-deps
demo: all
	@tools/demo build/release
test: deps
	@tools/test
validate: all          # runs the published problems, writes docs/validation.md
	@tools/validate build/release page
check: deps            # build and test with sanitizers, nothing else
	@cmake --preset dev >/dev/null && cmake --build --preset dev -j $(JOBS) && ctest --preset dev -j $(JOBS)
fast: deps             # unit and language tests only
	@cmake --preset dev >/dev/null && cmake --build --preset dev -j $(JOBS) && ctest --preset dev -j $(JOBS) -L 'unit|lang'
core: deps
	@cmake --preset core >/dev/null && cmake --build --preset core -j $(JOBS) && ctest --preset core -j $(JOBS)
fmt:
	@git ls-files '*.c' '*.h' | xargs clang-format -i
	@git ls-files '*.c' '*.h' | xargs tools/wrap_comments.py
tidy:
	@cmake --preset dev >/dev/null && clang-tidy -p build/dev --quiet $$(git ls-files 'src/*.c' 'app/*.c')
bench: all
	@tools/bench build/release
bench-ranks: all       # sweeps by one and by two processes
	@tools/bench-ranks build/release
bench-deps:            # the engines that bench-rivals measures beside ours
	@tools/install-deps rivals
bench-rivals: all
	@tools/bench-rivals build/release
robots: all             # imported robots beside KDL, DART and MuJoCo
	@tools/install-deps robots && tools/robots build/release
fuzz-one-sided: all     # N random models with one-sided constraints: they end, no gap is passed, energy is balanced
	@python3 tools/fuzz-one-sided build/release/mech $(or $(SEED),1) $(or $(N),10000)
fuzz:
	@tools/fuzz $(T)
differential: all       # T seconds of random models against an independent reader; SEED=1 for certain ones
	@tools/differential build/release --seconds $(T) $(if $(SEED),--first $(SEED))
agree: all              # all methods, native or not, on every example and on N random models
	@build/release/test_property.agree_native examples/*/model.mech
	@python3 tests/differential/agree.py build/release --models $(or $(N),500)
bodies: all             # every model of bodies written in other ways, to its end; N random mechanisms, each body by itself
	@python3 tests/metamorphic/bodies.py build/release/mech --all $$(grep -l '^gravity ' examples/*/model*.mech)
	@tools/differential build/release --bodies --models $(or $(N),2000) $(if $(SEED),--first $(SEED))
mutate:                # do the tests notice a wrong library? About 300 mutants; docs/decisions/0017
	@tools/mutate/run.py
soak: all              # ten million steps: memory stays flat
	@build/release/test_property.soak 1e7
.PHONY: web
web:                   # the playground in the browser: build/web/playground.html
	@tools/install-deps && tools/install-deps web && tools/web
install: all           # PREFIX=/some/where (default: /usr/local), DESTDIR=/staging in front of it
	@DESTDIR='$(DESTDIR)' cmake --install '$(BUILD)' $(if $(PREFIX),--prefix '$(PREFIX)')
dist:                  # mechanician-VERSION.tar.gz in build/, of what is committed
	@tools/dist build
deb:                   # Debian packages in build/packages
	@tools/install-deps deb
	@cmake -S . -B build/deb -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -g' -DMECH_TESTS=OFF \
	  -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/$$(dpkg-architecture -qDEB_HOST_MULTIARCH) >/dev/null
	@cmake --build build/deb -j $(JOBS)
	@rm -rf build/packages && tools/deb build/deb build/packages
deb-check: deb         # they are installed in a bare Debian 12, used, and removed without a trace; needs root
	@tools/deb-check build/packages
ports:                 # the core on musl, aarch64 and Windows, with the cross compilers that are there
	@tools/install-deps ports
	@tools/ports build/ports
clean:
	@rm -rf build
