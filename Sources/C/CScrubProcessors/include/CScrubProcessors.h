#ifndef CPROCESSORS_H
#define CPROCESSORS_H

/// The number of processors that the calling thread may run on; 0 if the system does not report it.
int scrub_allowed_processors(void);

#endif
