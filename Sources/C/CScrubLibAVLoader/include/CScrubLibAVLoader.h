#ifndef SCRUB_LIBAV_LOADER_H
#define SCRUB_LIBAV_LOADER_H

/// libavcodec and libavformat bring in 110 other libraries, which add 20 ms to a program's start. Here, they are loaded
/// when one of their functions is first called: this target defines the functions that the package and its tests call.
///
/// If they cannot be loaded, the functions fail as if out of memory, and scrub_libav_failure returns the reason.

/// The two libraries.
typedef enum { SCRUB_LIBAV_CODEC, SCRUB_LIBAV_FORMAT } scrub_libav;

/// Loads both libraries now, for processes that may not open files later. May be called from any thread at any time.
void scrub_libav_load(void);

/// Starts loading them on a separate thread, for which scrub_libav_load and the first function wait. For programs that
/// will need them but have something else to do first. May be called from any thread at any time.
void scrub_libav_load_ahead(void);

/// The loader's reason why they could not be loaded; null if they were loaded or have not been requested.
const char *scrub_libav_failure(void);

/// The version of the library that is or would be loaded, taken from the file's name if possible. Otherwise, the
/// library is loaded. 0 if that fails.
unsigned scrub_libav_version(scrub_libav library);

#endif
