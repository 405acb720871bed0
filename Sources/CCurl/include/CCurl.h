#pragma once

/// Loads libcurl once; what is wrong, or NULL.
const char *_Nullable ccurl_load(void);
