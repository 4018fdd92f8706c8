// csv_block.h - finds commas, line feeds and quotes in blocks of 64 bytes: one bit per
// byte, lowest bit first. All instruction sets give the same result.
#ifndef TTP_BASE_TEXT_CSV_BLOCK_H
#define TTP_BASE_TEXT_CSV_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CSV_BLOCK = 64, CSV_BATCH_BLOCKS = 64 };

struct csv_masks {
    uint64_t comma[CSV_BATCH_BLOCKS];
    uint64_t newline[CSV_BATCH_BLOCKS];
    uint64_t quote[CSV_BATCH_BLOCKS];
    bool has_high; // any byte >= 0x80
};

// Classifies n_blocks * 64 bytes; adds to has_high.
typedef void csv_classify_fn(const char *p, size_t n_blocks, struct csv_masks *m);

csv_classify_fn *csv_classifier(void); // the best this machine has
csv_classify_fn csv_classify_portable;
#ifdef __x86_64__
csv_classify_fn csv_classify_sse2;
#endif

#endif
