#!/usr/bin/env bash
# Puts a catalogue into Slurm's queue: one job that makes the manifest, and after it an array of N shards.
#
#   deploy/slurm/submit.sh SHARDS MANIFEST MEDIA OPTION…
#   deploy/slurm/submit.sh 64 /shared/thumbs.jsonl /shared/films --profile web,jellyfin --to /shared/thumbs
#
# MEDIA and what is written lie on storage that all nodes see. The options go to `scrub batch`. SBATCH_OPTIONS
# ("--partition=long --time=1-0") go to both jobs; SCRUB says where the program is, if it is not on the PATH. Prints the
# array's job number.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,8p' "$0" >&2; exit 64; }
shards=$1 manifest=$2 media=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
read -ra options <<<"${SBATCH_OPTIONS:-}"

plan=$(sbatch --parsable "${options[@]}" "$here/scrub-plan.sbatch" "$media" "$@" --manifest "$manifest")
# Without its manifest the array does not start, and does not stay in the queue either.
sbatch --parsable "${options[@]}" --array="1-$shards" --dependency="afterok:${plan%%;*}" --kill-on-invalid-dep=yes \
    "$here/scrub-batch.sbatch" "$manifest" "$@"
