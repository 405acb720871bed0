#!/usr/bin/env bash
# A day by proxy: 100,000 random seeks over 50 open files in one process; see SoakBenchmark.
#
# usage: Benchmarks/soak.sh [SEEKS [SEED]]
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --package-path Benchmarks -c release --product SoakBenchmark
# Small ones, of all kinds: what is looked for is what is left behind, not how fast it is. The refused ones cannot be
# opened.
mapfile -t files < <(find testdata/clips -maxdepth 1 -type f -size -300k ! -name 'refused-*' ! -name '*.json' ! -name '*.md' | LC_ALL=C sort)
chosen=()
for ((i = 0; i < 50; i++)); do chosen+=("${files[i * ${#files[@]} / 50]}"); done
Benchmarks/.build/release/SoakBenchmark "${1:-100000}" "${2:-1}" "${chosen[@]}"
