#!/usr/bin/env bash
# Prints the version that the built program reports: 1.0.0.
set -euo pipefail
cd "$(dirname "$0")/.."
line=$("${SCRUB:-.build/release/scrub}" --version | head -n 1)
version=${line#scrub }
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "version: the program reports '$line'" >&2; exit 65; }
echo "$version"
