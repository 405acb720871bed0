/* What the header promises of its structures on machines with pointers of 64 bits: their sizes are part of the interface. */
#include "include/scrub.h"

_Static_assert(sizeof(scrub_error) == 1024, "scrub_error");
_Static_assert(sizeof(scrub_time) == 24, "scrub_time");
_Static_assert(sizeof(scrub_image) == 24, "scrub_image");
_Static_assert(sizeof(scrub_options) == 96, "scrub_options");
_Static_assert(sizeof(scrub_network) == 96, "scrub_network");
_Static_assert(sizeof(scrub_reader) == 48, "scrub_reader");
_Static_assert(sizeof(scrub_thumbnails) == 128, "scrub_thumbnails");
_Static_assert(sizeof(scrub_poster_options) == 40, "scrub_poster_options");
_Static_assert(sizeof(scrub_poster) == 232, "scrub_poster");
_Static_assert(sizeof(scrub_scene_options) == 40, "scrub_scene_options");
_Static_assert(sizeof(scrub_scene) == 64, "scrub_scene");
_Static_assert(sizeof(scrub_facts) == 200, "scrub_facts");
_Static_assert(sizeof(scrub_picture) == 496, "scrub_picture");
_Static_assert(sizeof(scrub_session_options) == 48, "scrub_session_options");
_Static_assert(sizeof(scrub_update) == 352, "scrub_update");
_Static_assert(sizeof(scrub_planes) == 144, "scrub_planes");
_Static_assert(sizeof(scrub_memory) == 64, "scrub_memory");
