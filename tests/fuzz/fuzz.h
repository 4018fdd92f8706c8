// fuzz.h - one function per parser, called by a fuzzer or by replay.c.
#ifndef TTP_TESTS_FUZZ_H
#define TTP_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// An assert that no build option switches off.
#define must(holds)                                                                        \
    ((holds) ? (void)0                                                                     \
             : ((void)fprintf(stderr, "%s:%d: must be: %s\n", __FILE__, __LINE__, #holds), \
                abort()))

#endif
