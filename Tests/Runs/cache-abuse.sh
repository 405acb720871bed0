#!/usr/bin/env bash
# The media cache under 1,000 kills and on full disks: after each, `scrub cache verify` and the right picture.
# `cache-abuse.sh COUNT` kills so many times; SCRUB_ABUSE_SEED repeats a run. The suite itself does the same with few.
set -euo pipefail
cd "$(dirname "$0")/../.."

SCRUB_ABUSE_SEED=${SCRUB_ABUSE_SEED:-random} SCRUB_ABUSE_KILLS=${1:-1000} swift test --filter 'CacheAbuseTests' 2>&1 | grep -av '◇'
