/// Allocations since the process began, of every library in it. To be preloaded: it stands in for glibc's malloc.
long counted_allocations(void);
