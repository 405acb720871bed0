# Sourced after build-options.sh by the scripts that use the built modules without swift build. Sets module_flags, the
# flags that a compiler needs to import them, and built, the folder.
built=$(swift build "${build_options[@]}" --show-bin-path)
# The C modules are needed to load the Swift ones, although none of their contents is public.
module_flags=(-I "$built/Modules")
for include in Sources/C/*/include; do
    module=$(basename "$(dirname "$include")")
    [ -f "$built/$module.build/module.modulemap" ] || continue
    module_flags+=(-Xcc "-fmodule-map-file=$built/$module.build/module.modulemap" -Xcc "-I$include")
done
for map in Sources/C/*/module.modulemap; do module_flags+=(-Xcc "-fmodule-map-file=$map"); done
for map in "$build_scratch"/checkouts/*/Sources/*/{,include/}module.modulemap; do
    if [ -f "$map" ]; then module_flags+=(-Xcc "-fmodule-map-file=$map" -Xcc "-I$(dirname "$map")"); fi
done
for flag in $(pkg-config --cflags-only-I "${native_packages[@]}"); do
    module_flags+=(-Xcc "$flag")
done
