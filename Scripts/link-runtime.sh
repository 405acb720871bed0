#!/usr/bin/env bash
# Links optimized programs once more, with Swift's runtime inside, where the toolchain has it: they then run on machines
# without Swift, and start sooner.
#
#   Scripts/link-runtime.sh [PRODUCT…]      default: scrub
#
# `swift build --static-swift-stdlib` would compile everything a second time, because the tests need the runtime that is
# shared. The option changes each compiler's command, although it only changes what the linker takes.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

built=$(swift build "${build_options[@]}" --show-bin-path)
. Scripts/static-runtime.sh
[ -d "$runtime" ] || exit 0

for product in "${@:-scrub}"; do
    # The target's name with the letters that a module's may have.
    case $product in
    scrub) main=scrub_cli_main ;;
    *) main=${product//-/_}_main ;;
    esac
    # The runtime's own list of options exports every symbol, which keeps all functions: nothing is loaded that needs
    # them. Every function is bound at the start, so that the table of their addresses can be read only.
    # Under another name first: a link that fails leaves the program as it was.
    swiftc -static-stdlib -emit-executable -g -o "$built/$product.static" "@$built/$product.product/Objects.LinkFileList" \
        -Xlinker --gc-sections -Xlinker --no-export-dynamic -Xlinker --defsym -Xlinker "main=$main" \
        -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now "${runtime_options[@]}"
    mv "$built/$product.static" "$built/$product"
done
