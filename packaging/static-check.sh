#!/usr/bin/env bash
# Compares scrub with FFmpeg's libraries inside (static-libav.sh) with the dynamic one: three frames of every clip must
# have the same bytes. The usual program is restored at the end.
#
#   packaging/static-check.sh [FOLDER]      where the libraries are or will be built; default: .build/libav
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

libav=$(realpath -m "${1:-.build/libav}")
bash packaging/static-libav.sh "$libav"
built=$(swift build "${build_options[@]}" --show-bin-path)
programs=$(mktemp -d)
cp "$built/scrub" "$programs/usual"
# Restore the usual program whatever happens.
trap 'cp "$programs/usual" "$built/scrub.usual" && mv "$built/scrub.usual" "$built/scrub"; rm -rf "$programs"' EXIT
SCRUB_LIBAV=$libav bash Scripts/link-runtime.sh scrub
cp "$built/scrub" "$programs/static"
if ldd "$programs/static" | grep -E 'libav(codec|format|util)|libswscale'; then
    echo "static-check: the program loads libraries that should be linked into it" >&2
    exit 1
fi
"$programs/static" --version
python3 - "$programs/usual" "$programs/static" testdata/clips/* <<'PY'
"""Compares exit codes and bytes."""
import hashlib, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

programs, files = sys.argv[1:3], sys.argv[3:]


def answer(program: str, file: str, position: str) -> tuple[int, str]:
    words = [program, "seek", file, position, "--no-cache", "--format", "rgb", "--output", "-"]
    done = subprocess.run(words, capture_output=True)
    return done.returncode, hashlib.md5(done.stdout).hexdigest()


jobs = [(file, position) for file in files for position in ("first", "37%", "last")]
with ThreadPoolExecutor(os.cpu_count()) as pool:
    pairs = list(pool.map(lambda job: [answer(program, *job) for program in programs], jobs))
wrong = [(job, pair) for job, pair in zip(jobs, pairs) if pair[0] != pair[1]]
for (file, position), (usual, static) in wrong:
    print(f"static-check: {file} {position}: exit code {usual[0]} and {static[0]}" + ("" if usual[0] != static[0] else ", other bytes"))
decoded = sum(pair[0][0] == 0 for pair in pairs)
print(f"static-check: {len(pairs)} positions in {len(files)} files, {decoded} decoded, {len(wrong)} differ")
sys.exit(1 if wrong or not decoded else 0)
PY
