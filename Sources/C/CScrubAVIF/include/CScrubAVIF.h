#ifndef SCRUB_CAVIF_H
#define SCRUB_CAVIF_H

#include <avif/avif.h>

// libavif is loaded when the first AVIF file is written, not with the program. It brings nineteen libraries that
// nothing else here needs, and linking them takes 6 ms of every start. Only types come from its header; a call that
// does not go through the table below is an error of the linker.

/// The functions of libavif that are used, named as in its header.
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

/// libavif, loaded by the first call; null when it is not installed, or not as the version that this was built for. It
/// stays loaded. Any thread.
const cavif_library *_Nullable cavif_load(void);

/// Loads libavif from a file. Returns 1, or 0 and nothing in `library` when the file is not there or not that version.
int cavif_load_file(const char *_Nonnull name, cavif_library *_Nonnull library);

/// The version that this was built for: "0.11", "1".
const char *_Nonnull cavif_version(void);

#endif
