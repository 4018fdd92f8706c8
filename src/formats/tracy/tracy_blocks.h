// tracy_blocks.h - the container of .tracy files: blocks of 64 KiB, compressed.
//
// Blocks are dealt to streams in turn. Each stream has a history of its own: with LZ4 the
// previous block of the stream, with zstd a context. All blocks but the last decode to
// exactly 64 KiB; together they are the payload.
#ifndef TTP_FORMATS_TRACY_TRACY_BLOCKS_H
#define TTP_FORMATS_TRACY_TRACY_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/err.h"
#include "base/text/str.h"

enum { TRACY_BLOCK_BYTES = 1 << 16, TRACY_STREAMS_MOST = 255 };

enum tracy_packing { TRACY_LZ4, TRACY_ZSTD, TRACY_PACKINGS };

// The first bytes of a file.
struct tracy_container {
    bool is_new; // the form of 0.11 and later
    enum tracy_packing packing;
    unsigned n_streams;
    size_t bytes; // of the container's own header
};
// False if the bytes are not those of a .tracy file.
bool tracy_container_of(str file, struct tracy_container *c);

// --- reading ---------------------------------------------------------------------------
struct tracy_blocks; // the blocks of a file in memory, decoded in turn

// The memory of a mapped file is released as it is read.
struct tracy_blocks *tracy_blocks_open(str file, struct tracy_container c, bool is_mapped);
void tracy_blocks_close(struct tracy_blocks *b);
// The payload that follows *text, as much as is at hand. The bytes of *text that are
// passed on, at most TRACY_CARRY_MOST, come first in the new text: they were not used yet.
// False at the end of the payload; then see tracy_blocks_damage.
enum { TRACY_CARRY_MOST = 256 };
bool tracy_blocks_next(struct tracy_blocks *b, str *text);
// NULL, or why the payload ends before the file does. *at is an offset of the file.
const char *tracy_blocks_damage(const struct tracy_blocks *b, uint64_t *at);
// Bytes of payload that a file of this size could have at most.
uint64_t tracy_blocks_most(const struct tracy_blocks *b);

// --- writing ---------------------------------------------------------------------------
struct out;

// Payload to blocks of a file. The bytes go to `at`, at most TRACY_CARRY_MOST between two
// calls of tracy_packer_some.
struct tracy_packer {
    struct out *out;
    struct tracy_container c;
    char *at, *full; // of the block that is being filled; full: where it ends
    char *ring;      // two slots per stream: the block that is filled, its history
    char *packed;    // room for a compressed block
    size_t packed_most;
    uint64_t n;     // blocks written
    void **streams; // a context of the compressor each
    int level;
};
// Writes the container's header, which is `c` without its size. level: of zstd, 0: usual.
void tracy_packer_start(struct tracy_packer *p, struct out *out, struct tracy_container c,
                        int level);
void tracy_packer_flush(struct tracy_packer *p); // see tracy_packer_some
// Writes the block if it is full.
static inline void tracy_packer_some(struct tracy_packer *p)
{
    if (p->at >= p->full)
        tracy_packer_flush(p);
}
void tracy_packer_end(struct tracy_packer *p); // writes the last block

#endif
