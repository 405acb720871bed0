#!/usr/bin/env bash
# Every public declaration that `import Scrub` shows, one per line and sorted, so that two commits can be compared:
#
#   bash Scripts/public-api.sh [FOLDER_OF_ANOTHER_CLONE] > api.txt
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$scripts/..}"

graphs=.build/public-api
bash "$scripts/symbol-graphs.sh" "$graphs"
python3 "$scripts/public-api.py" "$graphs"
