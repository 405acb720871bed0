#ifndef SCRUB_LOG_CALLBACK_H
#define SCRUB_LOG_CALLBACK_H

#include "CScrubShims.h"

#include <stdarg.h>
#include <stdbool.h>

// Which function libavutil calls, and which it called before ours.

typedef void scrub_log_callback(void *context, int level, const char *format, va_list arguments);

/// Ours, in log.c.
scrub_log_callback scrub_log_keep;

/// The callback that messages go on to: what was set before ours, or by a host later. Null when nobody wants any.
scrub_log_callback *scrub_log_next(void);

/// Whether a callback is libavutil's own, which prints to standard error.
bool scrub_log_is_default(scrub_log_callback *callback);

/// Sees to it that messages come to ours, and lets every decoder know when they did not.
void scrub_log_check(void);

/// Whether a message is the one that scrub_log_check looks for.
bool scrub_log_hears_probe(const void *context);

/// Counts a message against every decoder.
void scrub_log_note_all(const char *text);

#endif
