#include "cineform.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// libavcodec's Cineform decoder keeps a picture's coefficients in memory that it does not clear. If a band's code ends
// early or a band is missing, coefficients of an earlier picture are used; which picture depends on the threads. The
// decoder does not report this as an error, but its debug messages contain the actual and expected number of
// coefficients of each band (cfhd.c). A picture's messages are consecutive and on one thread.

enum { PLANES = 4, BANDS = 16 };

static _Thread_local struct {
    unsigned lowpass_count;
    unsigned band_count;
    // The bands of each plane, by their number in the plane.
    uint16_t seen[PLANES];
    unsigned number;
    // The size of the level below, in coefficients.
    int height, width;
} picture;

static bool begins(const char *format, const char *words) { return strncmp(format, words, strlen(words)) == 0; }

// Whether each plane has its lowpass band and all others once: nine, or sixteen in a group of two pictures
// (SMPTE ST 2073-1 has three levels of three).
static bool is_complete(void) {
    unsigned distinct = 0;
    for (int i = 0; i < PLANES; i++)
        distinct += (unsigned)__builtin_popcount(picture.seen[i]);
    return picture.lowpass_count > 0 && distinct == picture.band_count
           && (distinct == 9 * picture.lowpass_count || distinct == 16 * picture.lowpass_count);
}

static const char *level(int number, va_list arguments) {
    int plane = va_arg(arguments, int);
    int height = va_arg(arguments, int);
    int width = va_arg(arguments, int);
    bool fits = number == 1 || (height == 2 * picture.height && width == 2 * picture.width);
    picture.height = height;
    picture.width = width;
    if (number == 1 && plane == 0) {
        bool complete = is_complete();
        memset(picture.seen, 0, sizeof picture.seen);
        picture.lowpass_count = picture.band_count = 0;
        if (!complete)
            return "bands of coefficients are missing";
    }
    return fits ? NULL : "bands of coefficients have sizes that do not fit";
}

const char *scrub_cineform_complaint(const char *format, va_list arguments) {
    switch (format[0]) {
    case 'S':
        if (begins(format, "Subband number actual %")) {
            picture.number = va_arg(arguments, unsigned);
        } else if (begins(format, "Start subband coeffs plane %i")) {
            unsigned plane = va_arg(arguments, unsigned);
            picture.band_count += 1;
            if (plane < PLANES && picture.number < BANDS)
                picture.seen[plane] |= (uint16_t)(1u << picture.number);
        }
        return NULL;
    case 'L':
        if (begins(format, "Lowpass coefficients %"))
            picture.lowpass_count += 1;
        else if (begins(format, "Level 2 plane %i %i %i"))
            return level(2, arguments);
        else if (begins(format, "Level 3 plane %i %i %i"))
            return level(3, arguments);
        return NULL;
    case 'T':
        // In the header. Anything left from a failed picture is discarded.
        if (begins(format, "Transform type %"))
            memset(&picture, 0, sizeof picture);
        return NULL;
    case 'D': return begins(format, "Decoding level 1 plane %i %i %i") ? level(1, arguments) : NULL;
    case 'E':
        if (!begins(format, "End subband coeffs %i extra %i"))
            return NULL;
        (void)va_arg(arguments, int);
        return va_arg(arguments, int) == 0 ? NULL : "a band of coefficients ends early";
    default: return NULL;
    }
}
