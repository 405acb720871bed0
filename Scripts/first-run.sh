#!/usr/bin/env bash
# Installs what the build needs, builds scrub and its viewer, and runs scrub's main job on a clip in testdata/.
# Afterwards, everything in the README's "Use" works.
# SCRUB_TRAITS without Viewer omits the viewer, as Scripts/build-options.sh says.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=(scrub)
case ,${SCRUB_TRAITS-Viewer}, in *,Viewer,*) programs+=(scrub-view) ;; esac

step() { printf 'first-run: %s (%ss)\n' "$1" "$SECONDS"; }

step "installing what the build needs"
bash Scripts/install-packages.sh --build
step "building ${programs[*]}: about ten minutes the first time on two processors, seconds later"
bash Scripts/build.sh "${programs[@]}"
step "done: the programs are in .build/release"

echo
echo '$ scrub seek testdata/clips/demo.mp4 0.42 --output frame.png'
.build/release/scrub seek testdata/clips/demo.mp4 0.42 --output frame.png
