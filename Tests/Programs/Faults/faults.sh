#!/usr/bin/env bash
# Faults of the system, against the release build: calls that fail, give less or are interrupted, files that change
# while they are open. Also folders that go away, signals, and readers that close their pipe. Every command, every call
# in turn (docs/security.md, Faults). All of it takes the better part of an hour on two cores. `--parts
# faults,changes,signals,viewer`, `--only NAME,...`, `--shares N` (each Nth read), `--sample N` (so many plans of each
# case) and `--seed N` take less or repeat a run.
set -euo pipefail
cd "$(dirname "$0")/../../.."

bash Scripts/build.sh scrub scrub-view
exec python3 Tests/Programs/Faults/run.py .build/release/scrub "$@"
