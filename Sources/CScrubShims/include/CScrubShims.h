#ifndef SCRUB_SHIMS_H
#define SCRUB_SHIMS_H
#endif
