#!/usr/bin/env bash
# deploy/container/Dockerfile, built and run as far as a machine without a registry of images can. `buildah` carries out
# the recipe as it stands, and `crun`, which many clusters use too, runs the result as the Kubernetes Jobs say. That is
# with their words, another user, a root that cannot be written, no rights, no network, and the runtime's filter of
# system calls.
#
#   deploy/container/container-check.sh [FOLDER]      default /var/tmp/scrub-container; it stays, so that a second run is quicker
#
# What it does not prove: the two images that the recipe begins with are not the published ones. Debian's is made by
# debootstrap, Swift's is that with this machine's toolchain; and the packages that Swift fetches are those fetched
# here. Exit code 69: this machine cannot do that (no root, no mounts, no Debian packages).
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${SCRUB_OWN_MOUNTS:-}" ]; then
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount --propagation private true 2>/dev/null; then
        echo "container-check: only root may mount folders; the container recipe was not tried" >&2
        exit 69
    fi
    SCRUB_OWN_MOUNTS=1 exec unshare --mount --propagation private bash "$0" "$@"
fi
root=${1:-/var/tmp/scrub-container}
mkdir -p "$root"
root=$(cd "$root" && pwd)
step() { printf -- '--- %s (%ss)\n' "$1" "$SECONDS"; }

bash Scripts/install-packages.sh debootstrap buildah crun golang-github-containers-common python3 python3-yaml >/dev/null

# Images and containers of this script's own; nothing else on the machine is touched.
driver=vfs
if grep -q overlay /proc/filesystems; then driver=overlay; fi
build() { buildah --root "$root/storage" --runroot "$root/run" --storage-driver "$driver" "$@"; }

step "stand-ins for the images that it begins with"
release=bookworm
if ! build inspect "localhost/$release" >/dev/null 2>&1; then
    rm -rf --one-file-system "$root/base"
    debootstrap --variant=minbase "$release" "$root/base" >"$root/base.log" 2>&1 || {
        tail -5 "$root/base.log" >&2
        echo "container-check: there is no Debian to be had; the container recipe was not tried" >&2
        exit 69
    }
    made=$(build from scratch)
    build add --quiet "$made" "$root/base" / >/dev/null
    build commit --quiet --rm "$made" "localhost/$release" >/dev/null
    rm -rf --one-file-system "$root/base"
fi
if ! build inspect localhost/swift >/dev/null 2>&1; then
    # What the published image has beside the compiler, which is mounted where that has it.
    build build --quiet --isolation chroot --tag localhost/swift - >/dev/null <<END
FROM localhost/$release
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates git tzdata gcc binutils libc6-dev libstdc++-12-dev \
    libncurses6 libxml2 libcurl4 libedit2 libsqlite3-0 libz3-4 zlib1g-dev libpython3.11
ENV PATH=/opt/toolchain/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin
END
fi

step "the recipe"
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
swift package resolve >/dev/null
rm -rf "$root/source"
git clone -q . "$root/source"
mkdir "$root/source/.build"
cp -a .build/{checkouts,repositories,workspace-state.json} "$root/source/.build/"
printf '.git\n' >"$root/ignored"
build build --quiet --isolation chroot --layers --tag localhost/scrub --file deploy/container/Dockerfile --ignorefile "$root/ignored" \
    --build-arg SWIFT_IMAGE=localhost/swift --build-arg "DEBIAN_IMAGE=localhost/$release" \
    --volume "$toolchain:/opt/toolchain:ro" "$root/source" >"$root/build.log" 2>&1 || { tail -30 "$root/build.log" >&2; exit 1; }

step "what is in it"
container=$(build from localhost/scrub)
image=$(build mount "$container")
finish() { build rm "$container" >/dev/null 2>&1 || true; }
trap finish EXIT
du -sh "$image" | sed 's/\t.*/ in all/'
for program in scrub-video scrub-view; do
    if chroot "$image" ldd "/usr/local/bin/$program" | grep 'not found\|libswift'; then
        echo "container-check: $program asks for libraries that are not there" >&2
        exit 1
    fi
done
[ "$(chroot "$image" readlink /usr/local/bin/scrub)" = scrub-video ] || { echo "container-check: there is no link scrub" >&2; exit 1; }
# crun knows control groups of one version only; what it sees is this script's own mount.
umount --recursive /sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 none /sys/fs/cgroup

pod=$root/pod
rm -rf "$pod"
mkdir -p "$pod"/{media/series,results,scratch}
cp testdata/clips/{demo.mp4,h264-bf3.mkv,vp9-altref.webm,av1-aom.mp4,damaged-hevc.mkv} "$pod/media/series/"
cp testdata/clips/demo.mp4 "$pod/media/again.mp4"
chown -R 65532:65532 "$pod/results" "$pod/scratch"
build inspect --type image localhost/scrub >"$root/image.json"
name=scrub-check-$$
contain() { crun --root "$root/crun" --cgroup-manager=disabled "$@"; }
prepare() { # JOB INDEX [WORD…]: the words are the Job's, or others; the index is - for none
    rm -rf "$root/bundle" && mkdir "$root/bundle"
    /usr/bin/python3 deploy/container/container-bundle.py "$root/bundle" "$root/image.json" "$image" "$pod" "$@"
}
run() { prepare "$@" && contain run --bundle "$root/bundle" "$name"; }
batch=deploy/kubernetes/batch.yaml

step "run as the Jobs say"
run "$batch" 0 --version
run "$batch" 0 seek /media/series/demo.mp4 0.42 --hash --sandbox
status=0
run "$batch" 0 seek /media/none.mp4 0.42 2>/dev/null || status=$?
[ "$status" -eq 66 ] || { echo "container-check: no such file ended with $status" >&2; exit 1; }

run deploy/kubernetes/plan.yaml -
shards=$(sed -n 's/^ *completions: //p' "$batch")
for ((index = 0; index < shards; index++)); do run "$batch" "$index"; done >"$root/shards.log"
grep -c '"status" *: *"done"' "$root/shards.log" | sed "s/\$/ films done by $shards shards/"
run "$batch" - batch run /results/manifest.jsonl --profile web --to /results/alone >/dev/null
diff -r --exclude=.scrub-batch "$pod/results/sets" "$pod/results/alone"
echo "the same, byte for byte, as by one run: $(find "$pod/results/alone" -type f | wc -l) files"

step "a pod that has to go"
# Enough films that it is still working when it receives the signal.
for ((number = 0; number < 200; number++)); do
    ffmpeg -v error -i testdata/clips/demo.mp4 -c copy -metadata title="$number" "$pod/media/$number.mp4"
done
prepare "$batch" - batch run /media --profile web --every 0.1 --jobs 1 --to /results/gone --metrics-port 0 --json
contain run --bundle "$root/bundle" "$name" >"$root/gone.log" 2>"$root/gone.words" &
until grep -q '"status" *: *"done"' "$root/gone.log"; do sleep 0.05; done
contain kill "$name" TERM
status=0
wait $! || status=$?
done_count=$(grep -c '"status" *: *"done"' "$root/gone.log")
if [ "$status" -ne 75 ] || [ "$done_count" -ge 200 ]; then
    echo "container-check: told to end, it ended with $status after $done_count films" >&2
    exit 1
fi
echo "told to end after $done_count of 206 films: exit code 75"
grep 'serving metrics at http://127.0.0.1:' "$root/gone.words"
