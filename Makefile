# The verbs of the house; each calls a script that also works by itself.
.PHONY: first-run test check lint testdata bench fuzz install uninstall package

first-run:
	bash Scripts/first-run.sh

test:
	bash Scripts/test.sh

# Lint, the build and the tests of what changed since origin/main; `make check BASE=COMMIT` since another one.
check:
	python3 Scripts/check.py $(BASE)

lint:
	bash Scripts/lint.sh

testdata:
	bash testdata/generate.sh

bench:
	bash Benchmarks/open.sh

# FUZZ_SECONDS for each fuzzer.
fuzz:
	bash Fuzz/fuzz.sh run $(or $(FUZZ_SECONDS),60)

# The program is PREFIX/bin/scrub-video, and scrub where no other program has that name (docs/packages.md).
PREFIX = /usr/local
DESTDIR =
# A C library of Scripts/library.sh goes with it, and not one of older sources.
install:
	bash Scripts/build.sh scrub scrub-view
	[ ! -d .build/library ] || bash Scripts/library.sh
	bash packaging/install.sh install "$(PREFIX)" "$(DESTDIR)"

uninstall:
	bash packaging/install.sh uninstall "$(PREFIX)" "$(DESTDIR)"

package:
	bash packaging/package.sh
