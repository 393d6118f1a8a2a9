// What the block functions of digests share. Macros, since debug builds call inline functions and store each variable.

#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>

/// Words at any address, in memory of any type.
typedef uint32_t loose32 __attribute__((aligned(1), may_alias));
typedef uint64_t loose64 __attribute__((aligned(1), may_alias));

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BIG32(word) (word)
#define BIG64(word) (word)
#define LITTLE32(word) __builtin_bswap32(word)
#else
#define BIG32(word) __builtin_bswap32(word)
#define BIG64(word) __builtin_bswap64(word)
#define LITTLE32(word) (word)
#endif

#endif
