#!/usr/bin/env bash
# Installs the built files below a prefix, or removes them: `make install PREFIX=/usr/local`, `make uninstall`.
#
#   packaging/install.sh install|uninstall [PREFIX [DESTDIR]]      default: /usr/local
#
# The program is PREFIX/bin/scrub-video. PREFIX/bin/scrub links to it only if no other program with that name is found:
# Debian has a disk wiper called scrub. The installed files are listed in PREFIX/share/scrub-video/installed. With
# DESTDIR everything goes below that folder, for package builders; bin/scrub is then omitted. Where the caller cannot
# write, sudo copies; everything else is done without it.
set -euo pipefail
cd "$(dirname "$0")/.."
prefix=${2:-/usr/local} destination=${3:-}
case $prefix in /*) ;; *) echo "install: the prefix '$prefix' does not begin with /" >&2; exit 64 ;; esac
root=$destination$prefix
list=$root/share/scrub-video/installed
link=$root/bin/scrub

# The nearest existing folder decides who may write.
there=$root
while [ ! -e "$there" ]; do there=$(dirname "$there"); done
writing=()
if [ ! -w "$there" ]; then writing=(sudo); fi

is_ours() { [ -L "$link" ] && [ "$(readlink "$link")" = scrub-video ]; }

# remove_listed: what an earlier installation has left. Folders end with / and stay when others have put something
# there.
remove_listed() {
    [ -f "$list" ] || return 0
    local file
    while IFS= read -r file; do
        case /$file/ in */../* | //*) echo "install: '$file' in $list is not below it" >&2; exit 65 ;; esac
        case $file in
        */) "${writing[@]}" rmdir "$root/$file" 2>/dev/null || true ;;
        *) "${writing[@]}" rm -f "$root/$file" ;;
        esac
    done < <(cat "$list" && "${writing[@]}" rm "$list")
}

# tell_loader: brings the loader's list of libraries up to date, where that may be written.
tell_loader() {
    if [ -n "$destination" ]; then return 0; fi
    "${writing[@]}" env "PATH=$PATH:/usr/sbin:/sbin" ldconfig 2>/dev/null || true
}

case ${1:-} in
install)
    stage=$(mktemp -d)
    trap 'rm -rf "$stage"' EXIT
    bash packaging/stage.sh "$stage/all"
    remove_listed
    # Readable by all users, whatever the umask, for uninstalling.
    mkdir -p "$stage/all/share/scrub-video"
    chmod 755 "$stage/all/share" "$stage/all/share/scrub-video"
    (
        cd "$stage/all"
        find . ! -type d -printf '%P\n'
        # Only folders that did not exist before are removed again, the deepest first.
        find . -depth -mindepth 1 -type d -printf '%P\n' | while IFS= read -r folder; do
            if [ ! -d "$root/$folder" ]; then echo "$folder/"; fi
        done
    ) >"$stage/installed"
    "${writing[@]}" mkdir -p "$root"
    "${writing[@]}" cp -a --no-preserve=ownership "$stage/all/." "$root/"
    "${writing[@]}" install -m 644 "$stage/installed" "$list"
    echo "installed: $root/bin/scrub-video"
    if [ -n "$destination" ]; then exit 0; fi
    if library=$(grep -o '^lib.*/libscrub\.so\.[0-9]*$' "$stage/installed"); then
        tell_loader
        if PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -qF "=> $root/$library"; then
            echo "installed: $root/$library"
        else
            echo "installed: $root/$library; programs find it with LD_LIBRARY_PATH=$root/$(dirname "$library")"
        fi
    fi
    # All that are found, not only the first: another PATH may find another one first.
    others=()
    if [ -e "$link" ] && ! is_ours; then others+=("$link"); fi
    while IFS= read -r file; do
        if [ "$(readlink -f "$file")" != "$(readlink -f "$root/bin/scrub-video")" ]; then others+=("$file"); fi
    done < <(type -aP scrub || true)
    if [ ${#others[@]} -eq 0 ]; then
        "${writing[@]}" ln -sf scrub-video "$link"
        echo "installed: $link, its short name"
    else
        if is_ours; then "${writing[@]}" rm "$link"; fi
        echo "not installed: $link, because ${others[0]} is another program with that name; use scrub-video"
    fi
    ;;
uninstall)
    if is_ours; then "${writing[@]}" rm "$link"; fi
    has_library=$(grep -c 'libscrub\.so' "$list" 2>/dev/null || true)
    if [ ! -f "$list" ]; then echo "uninstall: nothing is installed in $root ($list does not exist)"; fi
    remove_listed
    if [ "${has_library:-0}" != 0 ]; then tell_loader; fi
    ;;
*)
    sed -n '2,9p' "$0" >&2
    exit 64
    ;;
esac
