# Sourced by the scripts that share the build of the tests: test_scratch, its folder, and test_options, what they say to
# swift build and swift test. SCRUB_TEST_CONFIGURATION=release builds the tests optimized, in a folder of their own:
# they take half of the processor time.
# SCRUB_TEST_TRAITS names the package's traits where not all are wanted: CommandLine leaves out the viewer's server.
if [ "${SCRUB_TEST_CONFIGURATION:-debug}" = release ]; then
    test_scratch=.build-tests
    test_options=(-c release -Xswiftc -enable-testing --scratch-path "$test_scratch")
else
    test_scratch=.build
    test_options=(-c debug --scratch-path "$test_scratch")
fi
if [ -n "${SCRUB_TEST_TRAITS:-}" ]; then test_options+=(--traits "$SCRUB_TEST_TRAITS"); fi
