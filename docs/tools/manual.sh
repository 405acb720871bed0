#!/usr/bin/env bash
# The man pages and the completions for bash, zsh and fish, made from the commands themselves and proven to be readable.
#
#   docs/tools/manual.sh [FOLDER]      default: .build/manual; laid out as below /usr/share
#
# Nothing of it is in the repository: it would be another place to forget. `make install` and the packages install it.
#
# The program's name is scrub-video there, and `scrub` where no other program is called so: Debian has a disk wiper of
# that name (docs/packages.md). Its manual and its completions are its own: none of these files has a name that it may
# have, and none of them speaks for a `scrub` that is another program.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-.build/manual}
# Another folder may have files of others.
if [ $# -eq 0 ]; then rm -rf "$out"; fi
mkdir -p "$out"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d,fish/vendor_conf.d}

scrub=${SCRUB:-.build/release/scrub}
if [ ! -x "$scrub" ]; then
    bash Scripts/build.sh
fi
day=$(git log -1 --format=%cs 2>/dev/null || date +%F)

# describe NAME PROGRAM: everything for a program that is called so.
describe() {
    for shell in bash zsh fish; do
        (exec -a "$1" "$2" --generate-completion-script $shell) >"$out/$shell.txt"
    done
    # It is read by a shell and is not a program.
    sed '1{/^#!/d}' "$out/bash.txt" >"$out/bash-completion/completions/$1" && rm "$out/bash.txt"
    mv "$out/zsh.txt" "$out/zsh/site-functions/_$1"
    mv "$out/fish.txt" "$out/fish/vendor_completions.d/$1.fish"
    (exec -a "$1" "$2" --experimental-dump-help) | python3 docs/tools/manual.py "$day" >"$out/man/man1/$1.1"
}
describe scrub-video "$scrub"
viewer=$(dirname "$scrub")/scrub-view
if [ -x "$viewer" ]; then
    describe scrub-view "$viewer"
    # A program without verbs gets the verb help from ArgumentParser, which zsh refuses beside files.
    sed -i "/'(-): :->command'/d; /'(-)\*:: :->arg'/d" "$out/zsh/site-functions/_scrub-view"
fi

# `scrub` by another name than a wiper's files have; a page of the wiper's own is shown first.
ln -sf scrub-video.1 "$out/man/man1/scrub.1video"
function=$(sed -n 's/^complete .*-F \([^ ]*\) scrub-video$/\1/p' "$out/bash-completion/completions/scrub-video")
[ -n "$function" ] || { echo "manual: bash's completions name no function for scrub-video" >&2; exit 65; }
cat >"$out/bash-completion/completions/scrub.bash" <<END_OF_FILE
# Debian has a disk wiper called scrub: its words are not ours to complete.
[[ \$(readlink -f -- "\$(type -P scrub)") == */scrub-video ]] || return 1
. "\${BASH_SOURCE[0]%/*}/scrub-video" && complete -o filenames -F $function scrub
END_OF_FILE
cat >"$out/zsh/site-functions/_scrub-video-as-scrub" <<'END_OF_FILE'
#compdef scrub
# Debian has a disk wiper called scrub: its words are not ours to complete.
if [[ ${commands[scrub]:A} == */scrub-video ]]; then _scrub-video "$@"; else _default; fi
END_OF_FILE
cat >"$out/fish/vendor_conf.d/scrub-video.fish" <<'END_OF_FILE'
# Debian has a disk wiper called scrub: its words are not ours to complete.
if status is-interactive; and command -q scrub
    if string match -q '*/scrub-video' (realpath (command -s scrub))
        complete -c scrub -w scrub-video
    end
end
END_OF_FILE

# What reads them, where it is there. bash is.
for file in "$out"/bash-completion/completions/*; do bash -n "$file"; done
if command -v zsh >/dev/null; then for file in "$out"/zsh/site-functions/*; do zsh -n "$file"; done; fi
if command -v fish >/dev/null; then for file in "$out"/fish/*/*; do fish --no-execute "$file"; done; fi
complaints=
for page in "$out"/man/man1/*.1; do
    if command -v mandoc >/dev/null; then complaints+=$(mandoc -T lint -W warning "$page" || true); fi
    if command -v groff >/dev/null; then complaints+=$(groff -man -ww -z "$page" 2>&1); fi
done
if [ -n "$complaints" ]; then
    printf 'manual: %s\n' "$complaints" >&2
    exit 65
fi
echo "manual and completions: $out"
