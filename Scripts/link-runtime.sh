#!/usr/bin/env bash
# Links optimized programs again with Swift's runtime inside, if the toolchain has it: they then run on machines without
# Swift, and start faster.
#
#   Scripts/link-runtime.sh [PRODUCT…]      default: scrub
#
# `swift build --static-swift-stdlib` would compile everything a second time, because the tests need the shared runtime:
# the option changes every compiler command, although it only affects the linker.
#
# SCRUB_LIBAV=FOLDER also links FFmpeg's libraries from that folder (static-libav.sh makes one): programs then start
# without loading libavcodec and the hundred libraries that it needs in Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

built=$(swift build "${build_options[@]}" --show-bin-path)
. Scripts/static-runtime.sh
[ -d "$runtime" ] || exit 0

libav=() libav_libraries=()
if [ -n "${SCRUB_LIBAV:-}" ]; then
    [ -f "$SCRUB_LIBAV/lib/libavcodec.a" ] || {
        echo "link-runtime: $SCRUB_LIBAV does not contain lib/libavcodec.a: create it with packaging/static-libav.sh" >&2
        exit 66
    }
    # Its functions keep their own names there, which the loader for the shared libraries must not define.
    linked=$built/CScrubLibAVLoader.build/linked.o
    clang -c -O2 -fPIC -DSCRUB_LIBAV_LINKED -ISources/C/CScrubLibAVLoader/include "-I$SCRUB_LIBAV/include" \
        -o "$linked" Sources/C/CScrubLibAVLoader/loader.c
    libav=("$linked" -L "$SCRUB_LIBAV/lib")
    libav_libraries=(-Xlinker --start-group -lavformat -lavcodec -lswscale -lavutil -Xlinker --end-group
        -ldav1d -lz -lbz2 -llzma -lm)
fi

for product in "${@:-scrub}"; do
    # The target's name in the letters that a module name may have.
    case $product in
    scrub) main=scrub_cli_main ;;
    *) main=${product//-/_}_main ;;
    esac
    objects=$built/$product.product/Objects.LinkFileList
    if [ ${#libav[@]} -gt 0 ]; then
        grep -v 'CScrubLibAVLoader.build/loader' "$objects" > "$objects.libav"
        objects=$objects.libav
    fi
    # The runtime's own options export every symbol, which keeps all functions, but no loaded library needs them. All
    # functions are bound at startup, so that their address table can be read-only.
    # Under another name first: a failed link leaves the program as it was.
    swiftc -static-stdlib -emit-executable -g -o "$built/$product.static" "${libav[@]}" "@$objects" \
        -Xlinker --gc-sections -Xlinker --no-export-dynamic -Xlinker --defsym -Xlinker "main=$main" \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now "${libav_libraries[@]}" "${runtime_options[@]}"
    mv "$built/$product.static" "$built/$product"
done
