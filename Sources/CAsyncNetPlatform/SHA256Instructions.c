#include "SHA256.h"
#include "Words.h"

// Vector operators and compiler builtins instead of the functions of the intrinsics' headers: debug builds are twice as
// fast, since those functions store each parameter.
#if defined(__x86_64__)
#include <cpuid.h>

typedef int quad __attribute__((vector_size(16)));
typedef unsigned uquad __attribute__((vector_size(16)));
typedef char bytes16 __attribute__((vector_size(16)));
typedef quad loose_quad __attribute__((aligned(1), may_alias));

#define ADDED(x, y) (quad)((uquad)(x) + (uquad)(y))
#define LOADED(i) \
    (quad)__builtin_shufflevector((bytes16)p[i], (bytes16)p[i], 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
// The instruction computes two rounds, with the two lower words of its last operand.
#define FOUR_ROUNDS(i, w)                                \
    word = ADDED(w, k[i]);                               \
    cdgh = __builtin_ia32_sha256rnds2(cdgh, abef, word); \
    abef = __builtin_ia32_sha256rnds2(abef, cdgh, __builtin_shufflevector(word, word, 2, 3, 2, 3));
#define EXPANDED_ROUNDS(i, w, x, y, z)                                                                        \
    w = ADDED(__builtin_ia32_sha256msg1(w, x), __builtin_shufflevector(y, z, 1, 2, 3, 4));                    \
    w = __builtin_ia32_sha256msg2(w, z);                                                                      \
    FOUR_ROUNDS(i, w)

__attribute__((target("sha,sse4.1,ssse3"))) void
cp_sha256_with_instructions(uint32_t *state, const void *blocks, size_t count) {
    const quad *k = (const quad *)cp_sha256_constants;
    loose_quad *s = (loose_quad *)state;
    quad abef = __builtin_shufflevector(s[0], s[1], 5, 4, 1, 0), cdgh = __builtin_shufflevector(s[0], s[1], 7, 6, 3, 2);
    for (const loose_quad *p = blocks; count > 0; count--, p += 4) {
        quad word, abef0 = abef, cdgh0 = cdgh, w = LOADED(0), x = LOADED(1), y = LOADED(2), z = LOADED(3);
        FOUR_ROUNDS(0, w)
        FOUR_ROUNDS(1, x)
        FOUR_ROUNDS(2, y)
        FOUR_ROUNDS(3, z)
        for (int i = 4; i < 16; i += 4) {
            EXPANDED_ROUNDS(i, w, x, y, z)
            EXPANDED_ROUNDS(i + 1, x, y, z, w)
            EXPANDED_ROUNDS(i + 2, y, z, w, x)
            EXPANDED_ROUNDS(i + 3, z, w, x, y)
        }
        abef = ADDED(abef, abef0);
        cdgh = ADDED(cdgh, cdgh0);
    }
    s[0] = __builtin_shufflevector(abef, cdgh, 3, 2, 7, 6);
    s[1] = __builtin_shufflevector(abef, cdgh, 1, 0, 5, 4);
}

// All systems on x86-64 save the registers, so the processor's word suffices.
int cp_sha256_finds_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && (defined(__ARM_FEATURE_SHA2) || defined(__linux__))
#include <arm_neon.h>

#ifdef __ARM_FEATURE_SHA2
// So on all of Apple's processors.
#define WITH_INSTRUCTIONS
int cp_sha256_finds_instructions(void) { return 1; }
#else
#include <sys/auxv.h>
#define WITH_INSTRUCTIONS __attribute__((target("sha2")))
#define SHA2_CAPABILITY (1UL << 6)
int cp_sha256_finds_instructions(void) { return (getauxval(AT_HWCAP) & SHA2_CAPABILITY) != 0; }
#endif

typedef uint32x4_t loose_quad __attribute__((aligned(1), may_alias));
typedef uint8x16_t loose_bytes __attribute__((aligned(1), may_alias));

#define LOADED(i) \
    (uint32x4_t) __builtin_shufflevector(p[i], p[i], 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12)
#define FOUR_ROUNDS(i, w)                     \
    word = w + k[i];                          \
    before = abcd;                            \
    abcd = vsha256hq_u32(abcd, efgh, word);   \
    efgh = vsha256h2q_u32(efgh, before, word);
#define EXPANDED_ROUNDS(i, w, x, y, z)                   \
    w = vsha256su1q_u32(vsha256su0q_u32(w, x), y, z);    \
    FOUR_ROUNDS(i, w)

WITH_INSTRUCTIONS void cp_sha256_with_instructions(uint32_t *state, const void *blocks, size_t count) {
    const uint32x4_t *k = (const uint32x4_t *)cp_sha256_constants;
    loose_quad *s = (loose_quad *)state;
    uint32x4_t abcd = s[0], efgh = s[1];
    for (const loose_bytes *p = blocks; count > 0; count--, p += 4) {
        uint32x4_t word, before, abcd0 = abcd, efgh0 = efgh;
        uint32x4_t w = LOADED(0), x = LOADED(1), y = LOADED(2), z = LOADED(3);
        FOUR_ROUNDS(0, w)
        FOUR_ROUNDS(1, x)
        FOUR_ROUNDS(2, y)
        FOUR_ROUNDS(3, z)
        for (int i = 4; i < 16; i += 4) {
            EXPANDED_ROUNDS(i, w, x, y, z)
            EXPANDED_ROUNDS(i + 1, x, y, z, w)
            EXPANDED_ROUNDS(i + 2, y, z, w, x)
            EXPANDED_ROUNDS(i + 3, z, w, x, y)
        }
        abcd += abcd0;
        efgh += efgh0;
    }
    s[0] = abcd;
    s[1] = efgh;
}

#else
int cp_sha256_finds_instructions(void) { return 0; }
void cp_sha256_with_instructions(uint32_t *state, const void *blocks, size_t count) {
    (void)state, (void)blocks, (void)count;
}
#endif
