#include "CZlib.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// z_stream, whose layout is part of zlib's ABI.
struct lz_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc, *zfree, *opaque;
    int data_type;
    unsigned long adler, reserved;
};

#define DEFLATED 8
#define MEMORY_LEVEL 8
#define NO_FLUSH 0
#define FINISH 4
#define MOST 0x40000000

static struct {
    const char *(*version)(void);
    int (*init)(lz_stream *, int, int, int, int, int, const char *, int);
    int (*deflate)(lz_stream *, int);
    int (*end)(lz_stream *);
} zlib;

static char failure[256];

const char *lz_load(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason ? reason : "it cannot be loaded");
        return failure;
    }
    *(void **)&zlib.version = dlsym(library, "zlibVersion");
    *(void **)&zlib.init = dlsym(library, "deflateInit2_");
    *(void **)&zlib.deflate = dlsym(library, "deflate");
    *(void **)&zlib.end = dlsym(library, "deflateEnd");
    if (zlib.version && zlib.init && zlib.deflate && zlib.end) return NULL;
    zlib.init = NULL;
    snprintf(failure, sizeof failure, "%s is not zlib", name);
    return failure;
}

lz_stream *lz_new(int32_t level, int32_t window_bits) {
    if (!zlib.init) return NULL;
    lz_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    if (zlib.init(stream, level, DEFLATED, window_bits, MEMORY_LEVEL, 0, zlib.version(), (int)sizeof *stream) != LZ_OK) {
        free(stream);
        return NULL;
    }
    return stream;
}

void lz_free(lz_stream *stream) {
    zlib.end(stream);
    free(stream);
}

int32_t lz_deflate(
    lz_stream *stream, const void *input, size_t input_size, void *output, size_t output_size, int32_t finish, size_t *taken, size_t *given) {
    unsigned int in = input_size < MOST ? (unsigned int)input_size : MOST;
    unsigned int out = output_size < MOST ? (unsigned int)output_size : MOST;
    stream->next_in = input;
    stream->avail_in = in;
    stream->next_out = output;
    stream->avail_out = out;
    int result = zlib.deflate(stream, finish && in == input_size ? FINISH : NO_FLUSH);
    *taken = in - stream->avail_in;
    *given = out - stream->avail_out;
    return result;
}
