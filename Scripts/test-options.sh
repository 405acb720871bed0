# Sourced by the scripts that share the build of the tests: test_options, what they say to swift build and swift test.
# Optimized, in a folder of its own: the tests take less than half of the time then, and the build little more than a debug one.
# SCRUB_TEST_CONFIGURATION=debug takes the debug build in .build, as swift test by itself.
if [ "${SCRUB_TEST_CONFIGURATION:-release}" = debug ]; then
    test_options=(-c debug)
    test_checkouts=.build/checkouts
else
    test_options=(-c release --scratch-path .build-tests -Xswiftc -enable-testing)
    test_checkouts=.build-tests/checkouts
fi
