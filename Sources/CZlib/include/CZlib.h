// The part of zlib's stable C API that compresses, found at run time, the way libcurl is: whoever has libcurl has zlib.

#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>
#include <stdint.h>

typedef struct lz_stream lz_stream;

enum { LZ_OK = 0, LZ_STREAM_END = 1, LZ_BUFFER_ERROR = -5 };

/// Loads a zlib by name; not to be called by two threads at once. NULL: it is there; otherwise why not.
const char *_Nullable lz_load(const char *_Nonnull library);

/// A compressor; `window_bits` 31 for gzip, 15 for zlib's own format. NULL without memory or before a successful load.
lz_stream *_Nullable lz_new(int32_t level, int32_t window_bits);
void lz_free(lz_stream *_Nonnull stream);

/// Compresses from `input` to `output` and says in `taken` and `given` how much of each was used. With `finish`, `input` is all that
/// is left: to be called again until it returns LZ_STREAM_END. LZ_BUFFER_ERROR means only that there is nothing to do.
int32_t lz_deflate(
    lz_stream *_Nonnull stream, const void *_Nullable input, size_t input_size, void *_Nonnull output, size_t output_size, int32_t finish,
    size_t *_Nonnull taken, size_t *_Nonnull given);

#endif
