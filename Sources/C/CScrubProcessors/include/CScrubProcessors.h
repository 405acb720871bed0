#ifndef CPROCESSORS_H
#define CPROCESSORS_H

/// The number of processors that the calling thread may run on; 0 when the system does not say.
int scrub_allowed_processors(void);

#endif
