#!/usr/bin/env bash
# Checks the house style, and that the repository does not contain what must never be in it.
set -euo pipefail
cd "$(dirname "$0")/.."

swift format lint --strict --recursive --parallel Sources Tests Benchmarks Fuzz/Sources Fuzz/Tests Fuzz/Package.swift Package.swift \
    examples/Sources examples/Package.swift

python3 Scripts/memory-safety.py
python3 Scripts/map.py
python3 Scripts/names.py
python3 Scripts/index.py
python3 Scripts/words.py --all
python3 Scripts/wrap.py
python3 docs/tools/site.py --check
# The pages of measurements match their figures; this does not measure anything.
python3 Benchmarks/report_test.py --quiet
python3 Benchmarks/report.py --write --check
python3 Benchmarks/growth_test.py --quiet
python3 Benchmarks/growth.py --write --check
# The parts of CI, and which paths trigger them; this does not run them.
python3 .ci/parts.py check
python3 .ci/parts_test.py --quiet
# The promises of the last version that can be checked without a build; CompatibilityTests check the program.
python3 docs/tools/compatibility.py
python3 docs/tools/compatibility.py --self-test

# The path of this clone must not occur in it.
if git grep -nF "$PWD/" -- .; then
    echo "lint: the path of this machine's clone must not occur in it" >&2
    exit 1
fi

# What a merge that was not finished leaves. A line of "=" alone is also a heading's underline.
if git grep -nE '^(<{7}|>{7}|\|{7})( |$)' -- .; then
    echo "lint: these files contain an unresolved merge: choose one side of each" >&2
    exit 1
fi

# A file with more than 400 lines is more than one concept, unless its head says why ("Length:").
status=0
while read -r lines file; do
    if [ "$lines" -gt 400 ] && ! head -n 20 "$file" | grep -q 'Length:'; then
        echo "lint: $file has $lines lines, more than 400" >&2
        status=1
    fi
done < <(git ls-files '*.swift' '*.c' '*.h' | xargs wc -l | grep -v ' total$')
exit $status
