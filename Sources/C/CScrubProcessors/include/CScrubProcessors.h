#ifndef CPROCESSORS_H
#define CPROCESSORS_H

/// How many processors the calling thread may run on; 0 when the system does not say.
int scrub_allowed_processors(void);

#endif
