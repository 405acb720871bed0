#!/usr/bin/env bash
# Arranges the built files as they are installed: bin/, share/, and lib/ and include/ if the C library was built.
#
#   packaging/stage.sh FOLDER      its contents go below a prefix such as /usr or /usr/local
#
# The program is bin/scrub-video and never bin/scrub: Debian has a disk wiper with that name (docs/packages.md). Needs
# the output of `bash Scripts/build.sh scrub scrub-view`; without the viewer's build FOLDER has no viewer. Files get the
# date $SOURCE_DATE_EPOCH, or else that of the last commit, and their bytes depend only on the builds.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] || { sed -n '2,10p' "$0" >&2; exit 64; }
out=$1
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

. Scripts/build-options.sh
built=$build_scratch/release
[ -x "$built/scrub" ] || { echo "stage: $built/scrub has not been built: run bash Scripts/build.sh scrub scrub-view" >&2; exit 66; }
if [ -e "$out" ]; then echo "stage: '$out' already exists" >&2; exit 64; fi
mkdir -p "$out"/{bin,share/doc/scrub-video,share/thumbnailers}

lists=()
# place FILE TO: a stripped copy, which must need nothing of the machine that built it.
place() {
    strip --strip-unneeded --remove-section=.comment -o "$2" "$1"
    # Swift leaves a hash of each module for its next build: two builds of the same sources differ there, and in the
    # linker's build ID, which is made again from the rest. Without the section, strip would lose the segment that is
    # read only after relocation: it stays, with zeros.
    local name at size id_at= id_size
    while read -r name at size; do
        at=$((16#$at)) size=$((16#$size))
        # After the note's 16-byte header.
        if [ "$name" = .note.gnu.build-id ]; then at=$((at + 16)) size=$((size - 16)) id_at=$at id_size=$size; fi
        head -c "$size" /dev/zero | dd of="$2" bs=1 seek="$at" conv=notrunc status=none
    done < <(readelf -SW "$2" |
        sed -nE 's/.* (\.swift_modhash|\.note\.gnu\.build-id) +[A-Z]+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) .*/\1 \2 \3/p')
    if [ -n "$id_at" ]; then
        printf '%b' "$(sha256sum <"$2" | cut -c "1-$((2 * id_size))" | sed 's/../\\x&/g')" |
            dd of="$2" bs=1 seek="$id_at" conv=notrunc status=none
    fi
    if readelf -d "$2" | grep -E 'R(UN)?PATH|libswift|libFoundation|libdispatch'; then
        echo "stage: $1 needs Swift's libraries or a folder on this machine; build it with Scripts/build.sh" >&2
        exit 65
    fi
}
place "$built/scrub" "$out/bin/scrub-video"
lists+=("$built/scrub.product/Objects.LinkFileList")
if [ -x "$built/scrub-view" ]; then
    place "$built/scrub-view" "$out/bin/scrub-view"
    lists+=("$built/scrub-view.product/Objects.LinkFileList")
fi

bash docs/tools/manual.sh >/dev/null
cp -r .build/manual/. "$out/share/"
gzip -n -9 "$out"/share/man/man1/*.1
ln -sf scrub-video.1.gz "$out/share/man/man1/scrub.1video.gz" && rm "$out/share/man/man1/scrub.1video"
cp share/scrub.thumbnailer "$out/share/thumbnailers/scrub-video.thumbnailer"
cp LICENSE "$out/share/doc/scrub-video/"

# The output of Scripts/library.sh, which has its own version.
library=$build_scratch/library
for file in "$library"/libscrub.so.*.*.*; do
    [ -e "$file" ] || continue
    name=$(basename "$file")
    soname=$(readelf -d "$file" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    mkdir -p "$out"/{include,lib/pkgconfig}
    place "$file" "$out/lib/$name"
    ln -s "$name" "$out/lib/$soname"
    ln -s "$soname" "$out/lib/libscrub.so"
    cp "$library/scrub.h" "$library/scrub.hpp" "$out/include/"
    # Relative to the file's own location.
    sed -e 's|@prefix@|${pcfiledir}/../..|' -e 's|@libdir@|${prefix}/lib|' "$library/scrub.pc.in" >"$out/lib/pkgconfig/scrub.pc"
    if grep -n '@[A-Za-z_]*@' "$out/lib/pkgconfig/scrub.pc"; then
        echo "stage: scrub.pc.in has placeholders that were not replaced" >&2
        exit 65
    fi
    if [ -e "$built/ScrubC.product/Objects.LinkFileList" ]; then lists+=("$built/ScrubC.product/Objects.LinkFileList"); fi
done
python3 packaging/notices.py notices "${lists[@]}" >"$out/share/doc/scrub-video/NOTICES"
python3 packaging/notices.py copyright "${lists[@]}" >"$out/share/doc/scrub-video/copyright"

find "$out" -type d -exec chmod 755 {} +
find "$out" -type f -exec chmod 644 {} +
chmod 755 "$out"/bin/*
find "$out" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
