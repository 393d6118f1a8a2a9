/// Allocations since the process began, of every library in it. To be preloaded: it stands in for glibc's malloc.
long counted_allocations(void);
/// The bytes of heap that are in use (glibc only).
long heap_bytes(void);
