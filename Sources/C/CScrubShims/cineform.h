#ifndef SCRUB_CINEFORM_H
#define SCRUB_CINEFORM_H

#include <stdarg.h>

/// Processes a message of level AV_LOG_DEBUG from any decoder, on the thread that writes it.
///
/// Returns a description of a Cineform picture that is not fully decoded, or null.
const char *scrub_cineform_complaint(const char *format, va_list arguments);

#endif
