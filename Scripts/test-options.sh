# Sourced by the scripts that share the build of the tests: test_options, what they say to swift build and swift test.
# SCRUB_TEST_CONFIGURATION=release builds them optimized, in a folder of its own: they take half of the processor time then.
if [ "${SCRUB_TEST_CONFIGURATION:-debug}" = release ]; then
    test_options=(-c release --scratch-path .build-tests -Xswiftc -enable-testing)
    test_checkouts=.build-tests/checkouts
else
    test_options=(-c debug)
    test_checkouts=.build/checkouts
fi
