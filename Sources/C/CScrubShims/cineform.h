#ifndef SCRUB_CINEFORM_H
#define SCRUB_CINEFORM_H

#include <stdarg.h>

/// Takes a message of level AV_LOG_DEBUG of any decoder, on the thread that writes it.
///
/// Returns words about a Cineform picture that is not decoded in full, or null.
const char *scrub_cineform_complaint(const char *format, va_list arguments);

#endif
