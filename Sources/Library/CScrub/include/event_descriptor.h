/* The descriptor of a session: what Swift's module of the C library lacks. Not installed. */
#ifndef SCRUB_EVENT_DESCRIPTOR_H
#define SCRUB_EVENT_DESCRIPTOR_H

#include <stdint.h>
#include <sys/eventfd.h>

/* Opens a descriptor that is not readable; -1 with errno. A program that this one starts does not inherit it. */
static inline int event_descriptor_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* Makes it readable. */
static inline void event_descriptor_raise(int descriptor) { (void)eventfd_write(descriptor, 1); }

/* Makes it not readable. Does not wait where it is not. */
static inline void event_descriptor_lower(int descriptor) {
    eventfd_t count;
    (void)eventfd_read(descriptor, &count);
}

#endif
