#include "CScrubAVIF.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

// Before 1.0, every minor version changed structures.
const char *cavif_version(void) {
    return AVIF_VERSION_MAJOR == 0 ? "0." TEXT(AVIF_VERSION_MINOR) : TEXT(AVIF_VERSION_MAJOR);
}

// The header does not contain the number in the file's name, which differs for each incompatible version (0.11 has 15,
// 1.0 to 1.3 have 16). A library that is found must report its version.
static const char *const names[] = {"libavif.so.15", "libavif.so.16", "libavif.so"};

static cavif_library found;
static int is_found;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Since 1.0, structures have only grown at their ends, so a later minor version contains everything in an earlier
// version's header.
static int is_version(const char *text) {
    int major, minor;
    if (!text || sscanf(text, "%d.%d", &major, &minor) != 2 || major != AVIF_VERSION_MAJOR)
        return 0;
    return major == 0 ? minor == AVIF_VERSION_MINOR : minor >= AVIF_VERSION_MINOR;
}

static int take(void *handle, const char *name, void *place) {
    void *symbol = dlsym(handle, name);
    // ISO C has no conversion from an object's address to a function's; POSIX guarantees that they have the same size.
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

int cavif_load_file(const char *name, cavif_library *library) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return 0;
    cavif_library all;
    if (take(handle, "avifVersion", &all.version) && is_version(all.version()) &&
        take(handle, "avifCodecName", &all.codecName) &&
        take(handle, "avifResultToString", &all.resultToString) &&
        take(handle, "avifImageCreate", &all.imageCreate) &&
        take(handle, "avifImageDestroy", &all.imageDestroy) &&
        take(handle, "avifImageAllocatePlanes", &all.imageAllocatePlanes) &&
        take(handle, "avifImageRGBToYUV", &all.imageRGBToYUV) &&
        take(handle, "avifRGBImageSetDefaults", &all.rgbImageSetDefaults) &&
        take(handle, "avifEncoderCreate", &all.encoderCreate) &&
        take(handle, "avifEncoderDestroy", &all.encoderDestroy) &&
        take(handle, "avifEncoderWrite", &all.encoderWrite) &&
        take(handle, "avifRWDataFree", &all.rwDataFree)) {
        *library = all;
        return 1;
    }
    dlclose(handle);
    return 0;
}

static void load(void) {
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_found; i++)
        is_found = cavif_load_file(names[i], &found);
}

const cavif_library *cavif_load(void) {
    pthread_once(&once, load);
    return is_found ? &found : NULL;
}
