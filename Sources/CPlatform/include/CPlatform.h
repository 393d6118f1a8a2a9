// System calls that Swift's own modules do not show.

#ifndef CPLATFORM_H
#define CPLATFORM_H

#include <stddef.h>

/// Reads on from where the descriptor stands, but only what needs no waiting for a disk. -1: it would have to wait, or the system or the
/// file system cannot tell; nothing was read then.
long cp_read_cached(int descriptor, void *_Nonnull buffer, size_t size);

#endif
