#include <stddef.h>
#include <turbojpeg.h>

// TurboJPEG's interface has no version. The headers' version is in jconfig.h, which belongs to another header package;
// null if that is not installed.
#if __has_include(<jconfig.h>)
#include <jconfig.h>
#endif
#define SCRUB_TEXT_OF(words) #words
#define SCRUB_TEXT(macro) SCRUB_TEXT_OF(macro)
static inline const char *_Nullable scrub_turbojpeg_built_version(void) {
#ifdef LIBJPEG_TURBO_VERSION
    return SCRUB_TEXT(LIBJPEG_TURBO_VERSION);
#else
    return NULL;
#endif
}
