# The verbs of the house; each calls a script that also works by itself.
.PHONY: first-run test lint testdata bench fuzz

first-run:
	bash Scripts/first-run.sh

test:
	bash Scripts/test.sh

lint:
	bash Scripts/lint.sh

testdata:
	bash testdata/generate.sh

bench:
	bash Benchmarks/open.sh

# FUZZ_SECONDS for each fuzzer.
fuzz:
	bash Scripts/fuzz.sh run $(or $(FUZZ_SECONDS),60)
