#!/usr/bin/env bash
# The man page and the completions for bash, zsh and fish, made from the commands themselves and proven to be readable.
#
#   Scripts/manual.sh [FOLDER]      default: .build/manual; laid out as below /usr/local/share
#
# Nothing of it is in the repository: it would be another place to forget. `cp -r .build/manual/. /usr/local/share/`
# installs it.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-.build/manual}
mkdir -p "$out/man/man1" "$out/bash-completion/completions" "$out/zsh/site-functions" "$out/fish/vendor_completions.d"

scrub=${SCRUB:-.build/release/scrub}
if [ ! -x "$scrub" ]; then
    bash Scripts/build.sh
fi
day=$(git log -1 --format=%cs 2>/dev/null || date +%F)
"$scrub" --generate-completion-script bash >"$out/bash-completion/completions/scrub"
"$scrub" --generate-completion-script zsh >"$out/zsh/site-functions/_scrub"
"$scrub" --generate-completion-script fish >"$out/fish/vendor_completions.d/scrub.fish"
"$scrub" --experimental-dump-help | python3 Scripts/manual.py "$day" >"$out/man/man1/scrub.1"

# What reads them, where it is there. bash is.
bash -n "$out/bash-completion/completions/scrub"
if command -v zsh >/dev/null; then zsh -n "$out/zsh/site-functions/_scrub"; fi
if command -v fish >/dev/null; then fish --no-execute "$out/fish/vendor_completions.d/scrub.fish"; fi
complaints=
if command -v mandoc >/dev/null; then complaints+=$(mandoc -T lint -W warning "$out/man/man1/scrub.1" || true); fi
if command -v groff >/dev/null; then complaints+=$(groff -man -ww -z "$out/man/man1/scrub.1" 2>&1); fi
if [ -n "$complaints" ]; then
    printf 'manual: %s\n' "$complaints" >&2
    exit 65
fi
echo "manual and completions: $out"
