# Sourced by the scripts that build. Sets build_options, the options for swift build and swift test, and build_scratch,
# the folder.
#
# One optimized build with testing enabled serves the programs, the tests, the documentation and the examples.
# SCRUB_CONFIGURATION=debug builds in debug, with every precondition and quick changes.
# SCRUB_TRAITS names the package's traits if not all are wanted: CommandLine omits the viewer's server.
build_scratch=.build
# SwiftPM writes the traits' conditions in the order of a set, which differs in each process: without this, half of all
# calls recompile the whole package. Tests run without it.
export SWIFT_DETERMINISTIC_HASHING=1
if [ "${SCRUB_CONFIGURATION:-release}" = debug ]; then
    build_options=(-c debug)
else
    # A section for each function: the linker removes what testing exports and no program calls. SwiftPM does not
    # recompile when a frontend option changes: remove .build/*/release then.
    build_options=(-c release -Xswiftc -enable-testing -Xswiftc -Xfrontend -Xswiftc -function-sections)
fi
# The C libraries that the library links, by their pkg-config names.
native_packages=(libswscale libavutil libpng libturbojpeg libwebpmux libxxhash zlib)
build_options+=(--scratch-path "$build_scratch")
if [ -n "${SCRUB_TRAITS:-}" ]; then build_options+=(--traits "$SCRUB_TRAITS"); fi
