// The parts of the stable C APIs of zlib, libbrotlidec and libzstd that compress and decompress, found at run time, the way libcurl is:
// a libcurl that decodes has brought them into the process.

#ifndef CCOMPRESSION_H
#define CCOMPRESSION_H

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

/// Loads libbrotlidec or libzstd by name; not to be called by two threads at once. Whether it is there.
int32_t lz_load_brotli(const char *_Nonnull library);
int32_t lz_load_zstd(const char *_Nonnull library);

typedef struct lz_decoder lz_decoder;

/// Kinds of decoders, and how a step of one ends: `LZ_OK` wants more input or more room.
enum { LZ_ZLIB = 0, LZ_BROTLI = 1, LZ_ZSTD = 2 };
enum { LZ_DECODED = 1, LZ_INVALID = -1, LZ_NO_MEMORY = -2 };

/// A decoder of one compressed stream; `window_bits` is zlib's: 31 for gzip, 15 for its own format, -15 for bare deflate. NULL without
/// memory or without the library.
lz_decoder *_Nullable lz_decoder_new(int32_t kind, int32_t window_bits);
void lz_decoder_free(lz_decoder *_Nonnull decoder);

/// Decodes from `input` to `output` and says in `taken` and `given` how much of each was used. After `LZ_DECODED` the stream has ended;
/// what was not taken does not belong to it.
int32_t lz_decode(
    lz_decoder *_Nonnull decoder, const void *_Nullable input, size_t input_size, void *_Nonnull output, size_t output_size,
    size_t *_Nonnull taken, size_t *_Nonnull given);

#endif
