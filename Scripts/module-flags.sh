# Sourced, after Scripts/test-options.sh and a build, by scripts that read the built modules as a compiler does: built,
# the folder of what was built; target, the machine; flags, where the C modules are, which are needed to load the Swift
# ones, although nothing of them is public.
built=$(swift build "${test_options[@]}" --show-bin-path)
flags=()
for include in Sources/C/*/include; do
    module=$(basename "$(dirname "$include")")
    [ -f "$built/$module.build/module.modulemap" ] || continue
    flags+=(-Xcc "-fmodule-map-file=$built/$module.build/module.modulemap" -Xcc "-I$include")
done
for map in Sources/C/*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for map in "$test_scratch"/checkouts/*/Sources/*/include/module.modulemap; do
    flags+=(-Xcc "-fmodule-map-file=$map" -Xcc "-I$(dirname "$map")")
done
for map in "$test_scratch"/checkouts/*/Sources/*/module.modulemap; do flags+=(-Xcc "-fmodule-map-file=$map"); done
for flag in $(pkg-config --cflags-only-I libavformat libpng libturbojpeg libwebpmux libxxhash); do flags+=(-Xcc "$flag"); done
target=$(swift -print-target-info | sed -n 's/.*"triple": "\(.*\)".*/\1/p' | head -n 1)
