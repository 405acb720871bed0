#ifndef CMALICE_H
#define CMALICE_H

// System calls past the C library, for a worker that has been taken over. Each gives what the call gives.
long malice_fork(void);
long malice_trace(int process);
long malice_read_memory(int process);

long malice_name_space(void);
/// A byte out of band.
long malice_out_of_band(int socket);
/// A hole in memory that others may share.
int malice_hole(void);
/// Makes threads that do nothing, and tells how many there are.
int malice_threads(int count);

/// From here on the kernel knows nothing of seccomp or landlock, for this process and what it becomes: it answers with
/// the error. 0, or -1 when that cannot be had.
int malice_unlearn(int error, int seccomp, int landlock);

#endif
