#!/usr/bin/env bash
# deploy/slurm on a real Slurm of two nodes, which deploy/slurm/slurm-cluster.sh makes out of Debian's packages. It runs
# an array over a folder of clips. One task is killed and put back (scontrol requeue), one meets its time limit, and one
# loses its node. The results have to be complete and, byte for byte, those of one undisturbed run.
#
#   deploy/slurm/slurm-test.sh [small|large]      small: 48 files, a minute and a half; large: 2,000
#
# SCRUB says which program (default .build/release/scrub). Exit code 69: this machine cannot do that.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=deploy/slurm/slurm-cluster.sh
. deploy/slurm/slurm-cluster.sh
case ${1:-small} in
small) files=48 shards=4 ;;
large) files=2000 shards=16 ;;
*) sed -n '2,9p' "$0" >&2; exit 64 ;;
esac
[ -n "${SCRUB_SLURM_INSIDE:-}" ] || slurm_packages
own_machine "$0" "$@"

scrub=$(realpath "${SCRUB:-.build/release/scrub}")
work=$(mktemp -d)
chmod 755 "$work"
finish() {
    local status=$?
    # What Slurm and the tasks said is worth more than the folder, when something went wrong.
    if [ "$status" -ne 0 ]; then tail -n 25 "$work"/logs/* "$work"/slurm/log/slurmctld >&2 2>/dev/null || true; fi
    scancel --quiet --user=root 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
step() { printf -- '--- %s (%ss)\n' "$1" "$SECONDS"; }

step "$files files"
media="$work/the films"
mkdir -p "$media/series" "$work/made" "$work/logs"
encode() { # NAME SIZE SECONDS OPTION…
    ffmpeg -v error -f lavfi -i "testsrc2=s=$2:r=25:d=$3" "${@:4}" "$work/made/$1"
}
encode h264.mp4 1280x720 20 -c:v libx264 -preset veryfast -bf 3 -g 125
encode hevc.mkv 640x360 10 -c:v libx265 -preset ultrafast -x265-params log-level=none
encode vp9.webm 640x360 10 -c:v libvpx-vp9 -deadline realtime -cpu-used 8
sources=("$work/made/"*)
for ((number = 1; number <= files - 3; number++)); do
    source=${sources[number % ${#sources[@]}]}
    # The same pictures under another title: other bytes, so a file of its own.
    ffmpeg -v error -i "$source" -c copy -metadata title="number $number" "$media/series/clip $number.${source##*.}"
done
# Not everything in a library can be read, and a shard must not fail because of it.
head -c 30000 "$work/made/h264.mp4" >"$media/half.mp4"
printf 'no film at all' >"$media/empty.mkv"
cp "$media/series/clip 1.${sources[1]##*.}" "$media/copy.${sources[1]##*.}"

options=(--profile "web,jellyfin" --every 1 --json)
step "Slurm"
start_cluster "$work/slurm"
timeout 10 sinfo --Node --format='%N %T %c processors'
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
here=$PWD
array=$(cd "$work/logs" && SCRUB=$scrub SBATCH_OPTIONS="--cpus-per-task=1 --mem=500M" \
    bash "$here/deploy/slurm/submit.sh" "$shards" "$work/the list.jsonl" "$media" "${options[@]}" --to "$work/cluster")

# A task is disturbed in its middle: it has a result and more to do. Three are held still there, so that a fast machine
# does not end them before Slurm, whose clocks are slow, has done its part.
programs() { # TASK: its processes
    # Processes end while they are looked at.
    { grep -lz "^SLURM_ARRAY_TASK_ID=$1\$" /proc/[0-9]*/environ 2>/dev/null || true; } | tr -dc '0-9\n' | while read -r process; do
        if [ "$(cat "/proc/$process/comm" 2>/dev/null)" = "${scrub##*/}" ]; then echo "$process"; fi
    done
}
signal() { programs "$2" | xargs --no-run-if-empty kill "-$1"; }
# TERM is bit 15 of what a process has not yet been told.
told_to_end() { programs "$1" | grep -q . && programs "$1" | while read -r process; do
    (((0x$(sed -n 's/^ShdPnd:[[:space:]]*//p' "/proc/$process/status") >> 14) & 1)) || exit 1; done; }
restarts() { [ "$(field "${array}_$1" Restarts)" -ge "$2" ]; }
down() { timeout 10 sinfo --noheader --Node --nodes="$1" --format=%T | grep -q '^down'; }
ended() { [ -z "$(timeout 10 squeue --noheader 2>&1)" ]; }

has_result() { grep -qs '"status" *: *"done"' "$work/logs/scrub-batch-${array}_$1.log"; }
all_held() {
    for task in 2 3 4; do
        if [ -z "${held[task]:-}" ] && has_result "$task"; then
            signal STOP "$task"
            if has_ended "$task"; then
                echo "slurm-test: task $task has ended before it could be disturbed" >&2
                exit 1
            fi
            held[task]=yes
        fi
    done
    [ "${#held[@]}" -eq 3 ]
}
has_ended() { grep -qs '"summary"' "$work/logs/scrub-batch-${array}_$1.log"; }
held=()
until_true 300 "tasks 2, 3 and 4 have a result each" all_held
step "task 2 is killed and put back, task 3 meets its time limit"
timeout 10 scontrol update "JobId=${array}_3" TimeLimit=1
timeout 10 scontrol requeue "${array}_2"
until_true 60 "task 2 is put back" restarts 2 1
until_true 90 "task 3 is told that its time is over" told_to_end 3
signal CONT 3
until_true 60 "task 3 puts itself back" restarts 3 1
timeout 10 scontrol update "JobId=${array}_3" TimeLimit=60

node=$(field "${array}_4" BatchHost)
step "task 4 loses its node, $node"
cut_power "$node"
until_true 60 "the node is missed" down "$node"
until_true 60 "task 4 is put back" restarts 4 1
start_node "$node"

until_true 1800 "all tasks have ended" ended
step "one run of the same list that nobody disturbs"
XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache \
    "$scrub" batch run "$work/the list.jsonl" "${options[@]}" --to "$work/alone" >"$work/logs/alone"

step "what came of it"
for ((task = 1; task <= shards; task++)); do
    echo "task $task: $(field "${array}_$task" JobState), exit $(field "${array}_$task" ExitCode), restarts $(field "${array}_$task" Restarts)"
done >"$work/logs/tasks"
cat "$work/logs/tasks"
if grep -qv 'COMPLETED, exit 0:0' "$work/logs/tasks"; then exit 1; fi
python3 deploy/slurm/slurm-test.py "$media" "$work/logs/alone" "$work/logs/scrub-batch-${array}_"*.log
# What a batch needs for itself beside the results: locks.
diff -r --exclude=.scrub-batch "$work/alone" "$work/cluster"
echo "the results of both runs are the same, byte for byte: $(find "$work/cluster" -name .scrub-batch -prune -o -type f -print | wc -l) files"
