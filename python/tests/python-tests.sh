#!/usr/bin/env bash
# Checks the Python package: its types with mypy, and its behavior with pytest, over the program of .build/release (or
# SCRUB_PROGRAM) and over the C library of .build/library (or SCRUB_LIBRARY), which it builds where Swift is there.
# Without a library those tests are left out. It makes an environment of its own in .build/python. Ends with 69 if that
# cannot be had.
#
#   python/tests/python-tests.sh [PYTEST OPTION...]
set -euo pipefail
cd "$(dirname "$0")/../.."

environment=$PWD/.build/python
export SCRUB_PROGRAM=${SCRUB_PROGRAM:-$PWD/.build/release/scrub}
if [ ! -x "$SCRUB_PROGRAM" ]; then
    echo "python-tests: $SCRUB_PROGRAM is not there: build it with Scripts/build.sh" >&2
    exit 69
fi
if [ -z "${SCRUB_LIBRARY:-}" ] && [ ! -e .build/library/libscrub.so.1 ] && command -v swift > /dev/null; then
    bash Scripts/library.sh
fi
if ! "$environment/bin/python" -c 'import numpy, pytest, av, mypy' 2>/dev/null; then
    if ! { python3 -m venv --clear "$environment" &&
        "$environment/bin/python" -m pip install --quiet numpy pytest av mypy setuptools; }; then
        echo "python-tests: no environment with numpy, pytest, av and mypy can be made" >&2
        exit 69
    fi
fi

cd python
export PYTHONPATH=$PWD/src PYTHONDONTWRITEBYTECODE=1
"$environment/bin/python" -m mypy --cache-dir "$environment/mypy"
"$environment/bin/python" -m pytest -q -p no:cacheprovider "$@"
