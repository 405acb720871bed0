#!/usr/bin/env bash
# Types the commands in the README's "Install" and "Use" word for word in bare Debians, as a user with sudo, and
# prints how long each line takes: once with the packages, once from source.
#
#   packaging/check/readme-trial.sh 12|13 [WHAT…]      WHAT: packages, source, tests; default: packages and source
#
# The packages are those that packaging/check/package-check.sh makes for that release; SCRUB_TRIAL is its folder
# (/var/tmp/scrub-package-check). `source` is the second block without its tests, which take long; `tests` is all of it.
# The toolchain is this machine's, available in PATH, with the packages that Swift's own installation requires.
# Exit code 69: this machine cannot do that, or those packages do not exist.
set -euo pipefail
cd "$(dirname "$0")/../.."
case ${1:-} in 12 | 13) ;; *) sed -n '2,11p' "$0" >&2; exit 64 ;; esac
if [ -z "${SCRUB_OWN_MOUNTS:-}" ]; then
    if [ "$(id -u)" -ne 0 ] || ! unshare --mount --propagation private true 2>/dev/null; then
        echo "readme-trial: only root can mount folders; nothing was tried" >&2
        exit 69
    fi
    SCRUB_OWN_MOUNTS=1 exec unshare --mount --propagation private bash packaging/check/readme-trial.sh "$@"
fi
release=$1
shift
if [ $# -eq 0 ]; then set -- packages source; fi
root=${SCRUB_TRIAL:-/var/tmp/scrub-package-check}
mkdir -p "$root"
root=$(cd "$root" && pwd)
scratch=$root/trial-$$
mkdir -p "$scratch"
trap 'umount --recursive --lazy "$scratch"/*/system 2>/dev/null || true; rm -rf --one-file-system "$scratch"' EXIT
. Scripts/bare-systems.sh
make_base "$release"

# block HEADING KIND NUMBER: the lines of the NUMBERth block of that kind below the README's heading.
block() {
    awk -v heading="## $1" -v begin="\`\`\`$2" -v number="$3" '
        /^## / { below = $0 == heading }
        below && inside && /^```$/ { inside = 0 }
        inside && count == number { print }
        below && $0 == begin { inside = 1; count++ }' README.md
}
# stranger NAME FOLDER LINE: types a line as the user, answers yes to questions, and prints how long it takes.
stranger() {
    local begun=$EPOCHREALTIME status=0 tenths
    inside "$1" su -l stranger -c "export PATH=/opt/toolchain/usr/bin:\$PATH; cd $2 && $3" < <(yes) >"$scratch/typed" 2>&1 || status=$?
    tenths=$(((${EPOCHREALTIME/./} - ${begun/./}) / 100000))
    printf 'Debian %s %6d.%d s  %s\n' "$release" $((tenths / 10)) $((tenths % 10)) "$3"
    if [ "$status" -ne 0 ]; then
        tail -30 "$scratch/typed" >&2
        echo "readme-trial: '$3' ended with $status" >&2
        exit 1
    fi
}
# person NAME: a user with sudo in the system, and the usual packages of a machine.
person() {
    apt "$1" update
    apt "$1" install --no-install-recommends sudo passwd ca-certificates "${@:2}"
    inside "$1" useradd --create-home --shell /bin/bash stranger
    echo 'stranger ALL=(ALL) NOPASSWD: ALL' >"$scratch/$1/system/etc/sudoers.d/stranger"
}
# uses NAME: the first lines of "Use".
uses() {
    cp testdata/clips/demo.mp4 "$scratch/$1/system/home/stranger/film.mp4"
    inside "$1" chown stranger: /home/stranger/film.mp4
    block Use console 1 | sed -n 's/^\$ //p' >"$scratch/lines"
    while IFS= read -r line <&3; do stranger "$1" /home/stranger "$line"; done 3<"$scratch/lines"
}

for what; do
    case $what in
    packages)
        packages=.build/packages
        . /etc/os-release
        [ "$release" = "$VERSION_ID" ] || packages=$root/build$release/scrub/.build/packages
        [ -e "$packages/SHA256SUMS" ] || { echo "readme-trial: there are no packages in $packages: packaging/check/package-check.sh $release" >&2; exit 69; }
        system packages "$base"
        person packages
        cp "$packages"/*.deb "$packages"/*.whl "$scratch/packages/system/home/stranger/"
        block Install sh 1 >"$scratch/lines"
        while IFS= read -r line <&3; do stranger packages /home/stranger "$line"; done 3<"$scratch/lines"
        uses packages
        umount --recursive "$scratch/packages/system"
        ;;
    source | tests)
        system "$what" "$base"
        # shellcheck disable=SC2046 # several words
        person "$what" $(asked_by_swift "$release")
        home=$scratch/$what/system/home/stranger
        mkdir -p "$scratch/$what/system/opt/toolchain"
        mount --bind -o ro "$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")" "$scratch/$what/system/opt/toolchain"
        # A clone, with the packages that Swift would fetch.
        swift package resolve >/dev/null
        git clone -q . "$home/scrub"
        mkdir "$home/scrub/.build"
        for part in checkouts repositories workspace-state.json; do cp -a ".build/$part" "$home/scrub/.build/"; done
        inside "$what" chown -R stranger: /home/stranger/scrub
        block Install sh 2 >"$scratch/lines"
        while IFS= read -r line <&3; do
            case $what$line in source*Scripts/test.sh*) continue ;; esac
            stranger "$what" /home/stranger/scrub "$line"
        done 3<"$scratch/lines"
        uses "$what"
        umount --recursive "$scratch/$what/system"
        ;;
    *) echo "readme-trial: what is '$what'? packages, source or tests" >&2; exit 64 ;;
    esac
done
