// tracy_packer.c - the container of .tracy files: writing the blocks.
#include <lz4.h>
#include <zstd.h>

#include "base/data/mem.h"
#include "base/file/file.h"

#include "formats/tracy/tracy_blocks.h"

// A block may be overfilled by what was put last; that goes to the next one.
enum { SLOT_BYTES = TRACY_BLOCK_BYTES + TRACY_CARRY_MOST, USUAL_LEVEL = 3 };

static char *slot(const struct tracy_packer *p, uint64_t block)
{
    return p->ring + block % (2 * (uint64_t)p->c.n_streams) * SLOT_BYTES;
}

static void *start_stream(const struct tracy_packer *p)
{
    if (p->c.packing == TRACY_LZ4)
        return LZ4_createStream();
    ZSTD_CCtx *z = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, p->level);
    (void)ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, 0);
    return z;
}

static void put_header(struct tracy_packer *p)
{
    bool is_lz4 = p->c.packing == TRACY_LZ4;
    if (!p->c.is_new) {
        buf_str(&p->out->b, is_lz4 ? S("tlZ\x04") : S("tZst"));
        return;
    }
    buf_str(&p->out->b, S("tr\xfdP"));
    buf_char(&p->out->b, is_lz4 ? 0 : 1);
    buf_char(&p->out->b, (char)p->c.n_streams);
}

void tracy_packer_start(struct tracy_packer *p, struct out *out, struct tracy_container c,
                        int level)
{
    *p = (struct tracy_packer){.out = out, .c = c, .level = level ? level : USUAL_LEVEL};
    p->ring = mem_resize(NULL, mem_bytes(SLOT_BYTES, (size_t)2 * c.n_streams));
    p->packed_most = c.packing == TRACY_LZ4 ? (size_t)LZ4_compressBound(TRACY_BLOCK_BYTES)
                                            : ZSTD_compressBound(TRACY_BLOCK_BYTES);
    p->packed = mem_resize(NULL, p->packed_most);
    p->streams = mem_alloc(mem_bytes(sizeof *p->streams, c.n_streams));
    p->at = slot(p, 0);
    p->full = p->at + TRACY_BLOCK_BYTES;
    put_header(p);
}

static size_t pack(struct tracy_packer *p, str text)
{
    void *stream = p->streams[p->n % p->c.n_streams];
    if (!stream)
        stream = p->streams[p->n % p->c.n_streams] = start_stream(p);
    if (p->c.packing == TRACY_LZ4)
        return (size_t)LZ4_compress_fast_continue(stream, text.p, p->packed, (int)text.n,
                                                  (int)p->packed_most, 1);
    ZSTD_inBuffer in = {text.p, text.n, 0};
    ZSTD_outBuffer out = {p->packed, p->packed_most, 0};
    (void)ZSTD_compressStream2(stream, &out, &in, ZSTD_e_flush);
    return out.pos;
}

static void write_block(struct tracy_packer *p, size_t bytes)
{
    uint32_t n = (uint32_t)pack(p, (str){slot(p, p->n), bytes});
    buf_str(&p->out->b, (str){(const char *)&n, sizeof n});
    buf_str(&p->out->b, (str){p->packed, n});
    out_flush_some(p->out);
    p->n++;
}

void tracy_packer_flush(struct tracy_packer *p)
{
    size_t more = (size_t)(p->at - p->full);
    const char *rest = p->full;
    write_block(p, TRACY_BLOCK_BYTES);
    p->at = slot(p, p->n);
    p->full = p->at + TRACY_BLOCK_BYTES;
    memcpy(p->at, rest, more);
    p->at += more;
}

static void end_stream(const struct tracy_packer *p, unsigned i)
{
    if (p->c.packing == TRACY_LZ4)
        (void)LZ4_freeStream(p->streams[i]);
    else
        (void)ZSTD_freeCCtx(p->streams[i]);
}

void tracy_packer_end(struct tracy_packer *p)
{
    size_t rest = (size_t)(p->at - slot(p, p->n));
    if (rest)
        write_block(p, rest);
    for (unsigned i = 0; i < p->c.n_streams; i++)
        end_stream(p, i);
    mem_free(p->streams);
    mem_free(p->packed);
    mem_free(p->ring);
    *p = (struct tracy_packer){0};
}
