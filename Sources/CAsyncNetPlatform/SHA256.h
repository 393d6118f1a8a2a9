#ifndef SHA256_H
#define SHA256_H

#include <stddef.h>
#include <stdint.h>

/// K of FIPS 180-4 §4.2.2, aligned as vectors are.
extern const uint32_t cp_sha256_constants[64];

/// 1 if the processor has the instructions that `cp_sha256_with_instructions` uses. Asks the processor each time, which a
/// virtual machine may intercept.
int cp_sha256_finds_instructions(void);

/// As `cp_sha256_blocks`.
void cp_sha256_with_instructions(uint32_t *state, const void *blocks, size_t count);

#endif
