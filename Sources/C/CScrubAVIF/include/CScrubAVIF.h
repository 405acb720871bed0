#ifndef SCRUB_CAVIF_H
#define SCRUB_CAVIF_H

#include <avif/avif.h>

// libavif is loaded when the first AVIF file is written, not with the program. It brings in nineteen libraries that
// nothing else here needs, and linking them would add 6 ms to every start. Only types come from its header; a call that
// bypasses the table below is a linker error.

/// The libavif functions that are used, named as in its header.
typedef struct {
    __typeof__(avifVersion) *_Nonnull version;
    __typeof__(avifCodecName) *_Nonnull codecName;
    __typeof__(avifResultToString) *_Nonnull resultToString;
    __typeof__(avifImageCreate) *_Nonnull imageCreate;
    __typeof__(avifImageDestroy) *_Nonnull imageDestroy;
    __typeof__(avifImageAllocatePlanes) *_Nonnull imageAllocatePlanes;
    __typeof__(avifImageRGBToYUV) *_Nonnull imageRGBToYUV;
    __typeof__(avifRGBImageSetDefaults) *_Nonnull rgbImageSetDefaults;
    __typeof__(avifEncoderCreate) *_Nonnull encoderCreate;
    __typeof__(avifEncoderDestroy) *_Nonnull encoderDestroy;
    __typeof__(avifEncoderWrite) *_Nonnull encoderWrite;
    __typeof__(avifRWDataFree) *_Nonnull rwDataFree;
} cavif_library;

/// Returns libavif, loaded by the first call; null if it is not installed or has a different version than the one for
/// which this was built. It stays loaded. May be called from any thread.
const cavif_library *_Nullable cavif_load(void);

/// Loads libavif from a file. Returns 1, or 0 with an empty `library` if the file does not exist or has a different
/// version.
int cavif_load_file(const char *_Nonnull name, cavif_library *_Nonnull library);

/// The version for which this was built: "0.11", "1".
const char *_Nonnull cavif_version(void);

#endif
