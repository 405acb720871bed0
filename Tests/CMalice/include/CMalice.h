#ifndef CMALICE_H
#define CMALICE_H

// System calls past the C library, for a worker that has been taken over. Each gives what the call gives.
long malice_fork(void);
long malice_trace(int process);
long malice_read_memory(int process);

#endif
