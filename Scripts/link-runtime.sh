#!/usr/bin/env bash
# Links optimized programs once more, with Swift's runtime inside, where the toolchain has it: they then run on machines
# without Swift, and start sooner.
#
#   Scripts/link-runtime.sh [PRODUCT…]      default: scrub
#
# `swift build --static-swift-stdlib` would compile everything a second time, because the tests need the runtime that is
# shared. The option changes each compiler's command, although it only changes what the linker takes.
#
# SCRUB_LIBAV=FOLDER puts FFmpeg's libraries of that folder inside, too (static-libav.sh makes one): programs then begin
# without loading libavcodec and the hundred libraries that it brings in Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

built=$(swift build "${build_options[@]}" --show-bin-path)
. Scripts/static-runtime.sh
[ -d "$runtime" ] || exit 0

libav=() libav_libraries=()
if [ -n "${SCRUB_LIBAV:-}" ]; then
    [ -f "$SCRUB_LIBAV/lib/libavcodec.a" ] || {
        echo "link-runtime: there is no lib/libavcodec.a in $SCRUB_LIBAV: packaging/static-libav.sh makes one" >&2
        exit 66
    }
    # Its functions have their own names in there: what loads them otherwise must not have these names.
    linked=$built/CScrubLibAVLoader.build/linked.o
    clang -c -O2 -fPIC -DSCRUB_LIBAV_LINKED -ISources/C/CScrubLibAVLoader/include "-I$SCRUB_LIBAV/include" \
        -o "$linked" Sources/C/CScrubLibAVLoader/loader.c
    libav=("$linked" -L "$SCRUB_LIBAV/lib")
    libav_libraries=(-Xlinker --start-group -lavformat -lavcodec -lswscale -lavutil -Xlinker --end-group
        -ldav1d -lz -lbz2 -llzma -lm)
fi

for product in "${@:-scrub}"; do
    # The target's name with the letters that a module's may have.
    case $product in
    scrub) main=scrub_cli_main ;;
    *) main=${product//-/_}_main ;;
    esac
    objects=$built/$product.product/Objects.LinkFileList
    if [ ${#libav[@]} -gt 0 ]; then
        grep -v 'CScrubLibAVLoader.build/loader' "$objects" > "$objects.libav"
        objects=$objects.libav
    fi
    # The runtime's own list of options exports every symbol, which keeps all functions: nothing is loaded that needs
    # them. Every function is bound at the start, so that the table of their addresses can be read only.
    # Under another name first: a link that fails leaves the program as it was.
    swiftc -static-stdlib -emit-executable -g -o "$built/$product.static" "${libav[@]}" "@$objects" \
        -Xlinker --gc-sections -Xlinker --no-export-dynamic -Xlinker --defsym -Xlinker "main=$main" \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now "${libav_libraries[@]}" "${runtime_options[@]}"
    mv "$built/$product.static" "$built/$product"
done
