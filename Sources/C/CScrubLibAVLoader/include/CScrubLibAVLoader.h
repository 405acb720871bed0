#ifndef SCRUB_LIBAV_LOADER_H
#define SCRUB_LIBAV_LOADER_H

/// libavcodec and libavformat bring 110 other libraries, which take 20 ms of a program's start. Here they are loaded
/// with the first function of theirs that is called: this target defines those that the package and its tests call.
///
/// Where they cannot be loaded, the functions fail as if memory had run out, and scrub_libav_failure has the reason.

/// The loaded libraries of the two.
typedef enum { SCRUB_LIBAV_CODEC, SCRUB_LIBAV_FORMAT } scrub_libav;

/// Loads both libraries now, for processes that may open no file later. Any thread may call it, at any time.
void scrub_libav_load(void);

/// Begins to load them on a thread of its own, which scrub_libav_load and the first function wait for. For programs
/// that will need them, and have something else to do first. Any thread may call it, at any time.
void scrub_libav_load_ahead(void);

/// The loader's reason why they could not be loaded; null where they were, or nothing has asked for them.
const char *scrub_libav_failure(void);

/// The version of the library that is loaded, or would be: from its file's name, if that tells it. Else it is loaded.
/// 0 if it cannot be.
unsigned scrub_libav_version(scrub_libav library);

#endif
