#!/usr/bin/env bash
# Builds the C library into .build/library: libscrub.so.1.0.0 with its links, scrub.h, scrub.hpp, and scrub.pc.in, in
# which an installer replaces @prefix@ and @libdir@. Needs Swift 6.3.
#
# Linked here and not by SwiftPM, which cannot give a library a soname, a symbol list or a built-in Swift runtime: C
# programs do not need Swift, and see only the names in scrub.h.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

header=Sources/Library/CScrub/include/scrub.h
number() { sed -n "s/^#define SCRUB_VERSION_$1 //p" "$header"; }
# Its functions need 6.3; with earlier versions the library would be empty.
if ! printf '%s\n' '#if compiler(>=6.3)' '#else' '#error("old")' '#endif' | swiftc -typecheck - 2>/dev/null; then
    echo "library.sh: the C library needs Swift 6.3; this is $(swift --version 2>/dev/null | head -n 1)" >&2
    exit 69
fi
major=$(number MAJOR)
version=$major.$(number MINOR).$(number PATCH)

swift build ${SCRUB_IGNORE_LOCK:+--ignore-lock} "${build_options[@]}" --product ScrubC
built=$(swift build "${build_options[@]}" --show-bin-path)
objects=$built/ScrubC.product/Objects.LinkFileList
. Scripts/static-runtime.sh
if [ ! -d "$runtime" ]; then
    echo "library.sh: the toolchain has no static runtime ($runtime): install a complete one" >&2
    exit 69
fi

library=.build/library
rm -rf "$library" && mkdir -p "$library"
# The names of each version stay in its node forever; later functions get their own nodes.
{
    echo 'SCRUB_1.0 { global:'
    grep -o '^\(scrub_status\|void\|uint32_t\|const char \*[A-Z_]*\) *scrub_[a-z_]*(' "$header" | grep -o 'scrub_[a-z_]*($' | sed 's/($/;/'
    echo 'local: *; };'
} > "$library/scrub.map"
swiftc -static-stdlib -emit-library -g -o "$library/libscrub.so.$version" "@$objects" \
    -Xlinker "--version-script=$library/scrub.map" -Xlinker -soname="libscrub.so.$major" \
    -Xlinker --gc-sections -Xlinker -z -Xlinker now -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker nodelete \
    "${runtime_options[@]}"
ln -s "libscrub.so.$version" "$library/libscrub.so.$major"
ln -s "libscrub.so.$major" "$library/libscrub.so"
cp "$header" cpp/scrub.hpp "$library/"
cat > "$library/scrub.pc.in" <<PC
prefix=@prefix@
libdir=@libdir@
includedir=@prefix@/include

Name: scrub
Description: Exact frames of video files
Version: $version
Libs: -L\${libdir} -lscrub
Cflags: -I\${includedir}
PC
