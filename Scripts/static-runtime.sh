# Sourced after build-options.sh by the scripts that link Swift's runtime statically. Sets runtime, the folder of the
# toolchain's static libraries (which may not exist), and runtime_options, the end of the swiftc link command.

runtime=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')_static/linux
runtime_options=()
if [ -d "$runtime" ]; then
    # The parts of the shared libraries, which the objects' own lists of libraries name instead.
    libraries=()
    for archive in "$runtime"/lib{swift,Foundation,_Foundation,CoreFoundation,dispatch,BlocksRuntime}*.a; do
        name=$(basename "$archive" .a)
        case $name in *XML | *Networking | *Cxx*) continue ;; esac
        libraries+=(-Xlinker "-l${name#lib}")
    done
    read -r -a packages < <(pkg-config --libs "${native_packages[@]}")
    runtime_options=("${packages[@]}" -L "$runtime" -Xlinker --start-group "${libraries[@]}" -Xlinker --end-group -lstdc++ -lm)
fi
