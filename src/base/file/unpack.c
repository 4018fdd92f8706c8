// unpack.c - zlib and libzstd, each in a loop that keeps all text before damage.
#include "base/file/unpack.h"

#include <zstd.h>
#include <zstd_errors.h>

#include "base/file/zlib_stream.h"

enum {
    STEP = 256 * 1024,      // least room for text; more than a block of zstd (128 KB)
    FIRST_RATIO = 2,        // of text to packed data, the first guess
    PLAUSIBLE_RATIO = 1024, // stated sizes may be wrong
    WINDOW_GZIP = 15 + 16,  // see inflateInit2
    WINDOW_LOG_MOST = 30,   // 1 GB; `zstd -d` needs an option above 128 MB
};

struct unpacking {
    str packed;
    size_t at; // bytes consumed
    uint64_t most;
    struct buf *text;
};

const char unpack_over[] = "the text is larger than the limit";

// Grows by extrapolating the ratio so far: far less memory than doubling for large texts. A
// wrong guess is bounded by the actual sizes.
static void make_room(struct unpacking *u)
{
    struct buf *b = u->text;
    if (b->cap - b->n >= STEP)
        return;
    double ratio = u->at ? (double)b->n / (double)u->at : FIRST_RATIO;
    size_t guess = (size_t)(ratio * 1.05 * (double)(u->packed.n - u->at));
    size_t least = b->n / 8, most = b->n + FIRST_RATIO * u->packed.n;
    guess = guess < least ? least : guess > most ? most : guess;
    b->cap = b->n + guess + STEP;
    b->p = mem_resize(b->p, b->cap);
}

// --- gzip ---

// Unpacks one member and stops after it.
static const char *unpack_member(struct unpacking *u, z_stream *z)
{
    for (;;) {
        make_room(u);
        struct buf *b = u->text;
        size_t left = u->packed.n - u->at, room = b->cap - b->n;
        size_t give = left < ZLIB_PIECE ? left : ZLIB_PIECE;
        room = room < ZLIB_PIECE ? room : ZLIB_PIECE;
        z->next_in = (const unsigned char *)u->packed.p + u->at;
        z->avail_in = (unsigned)give;
        z->next_out = (unsigned char *)b->p + b->n;
        z->avail_out = (unsigned)room;
        int status = inflate(z, Z_NO_FLUSH);
        u->at += give - z->avail_in;
        b->n += room - z->avail_out;
        if (b->n > u->most)
            return unpack_over;
        if (status == Z_STREAM_END)
            return NULL;
        if (status != Z_OK && status != Z_BUF_ERROR)
            return "the gzip stream is damaged";
        if (u->at == u->packed.n && z->avail_out > 0)
            return "the gzip stream is truncated";
    }
}

// A member is followed by another, or by zeros up to the end, as on tapes and block
// devices.
static const char *step_to_member(struct unpacking *u)
{
    str rest = str_from(u->packed, u->at);
    if (rest.n == 0 || rest.p[0] == '\x1f')
        return NULL;
    while (u->at < u->packed.n && u->packed.p[u->at] == '\0')
        u->at++;
    return u->at < u->packed.n ? "other bytes follow the gzip stream" : NULL;
}

static const char *unpack_gzip(struct unpacking *u)
{
    z_stream z = zlib_stream();
    const char *damage = NULL;
    (void)inflateInit2(&z, WINDOW_GZIP);
    while (!damage && u->at < u->packed.n) {
        damage = unpack_member(u, &z);
        if (!damage)
            damage = step_to_member(u);
        (void)inflateReset(&z);
    }
    (void)inflateEnd(&z);
    return damage;
}

// --- zstd ---

static const char *zstd_damage(size_t status)
{
    static const struct {
        ZSTD_ErrorCode code;
        const char *what;
    } known[] = {
        {ZSTD_error_prefix_unknown, "other bytes follow the zstd stream"},
        {ZSTD_error_dictionary_wrong, "the zstd stream needs a dictionary"},
        {ZSTD_error_frameParameter_windowTooLarge,
         "the zstd stream needs a window of more than 1 GB"},
        {ZSTD_error_memory_allocation, "not enough memory for the zstd stream"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code == ZSTD_getErrorCode(status))
            return known[i].what;
    return "the zstd stream is damaged";
}

// The size stated by the first frame, if plausible, saves growing later.
static void make_room_for_frame(struct unpacking *u)
{
    unsigned long long size = ZSTD_getFrameContentSize(u->packed.p, u->packed.n);
    unsigned long long most = (unsigned long long)u->packed.n * PLAUSIBLE_RATIO;
    most = most < u->most ? most : u->most;
    if (size != ZSTD_CONTENTSIZE_UNKNOWN && size != ZSTD_CONTENTSIZE_ERROR)
        buf_grow(u->text, (size_t)(size < most ? size : most) + (size_t)2 * STEP);
}

// A failing call does not return what it has decompressed so far. So each call gets at most
// one block: the hint of the last call is the rest of a block and the 3-byte header of the
// next, or between blocks only that header.
static const char *unpack_frames(struct unpacking *u, ZSTD_DCtx *z)
{
    enum { HEAD = 3 };
    size_t hint = 0; // 0: the frame is complete
    while (u->at < u->packed.n) {
        make_room(u);
        struct buf *b = u->text;
        size_t give = hint > HEAD ? hint - HEAD : 1, left = u->packed.n - u->at;
        ZSTD_inBuffer in = {u->packed.p + u->at, give < left ? give : left, 0};
        ZSTD_outBuffer out = {b->p + b->n, b->cap - b->n, 0};
        hint = ZSTD_decompressStream(z, &out, &in);
        if (ZSTD_isError(hint))
            return zstd_damage(hint);
        u->at += in.pos;
        b->n += out.pos;
        if (b->n > u->most)
            return unpack_over;
    }
    return hint ? "the zstd stream is truncated" : NULL;
}

static const char *unpack_zstd(struct unpacking *u)
{
    ZSTD_DCtx *z = ZSTD_createDCtx();
    if (!z)
        return "not enough memory for the zstd stream";
    (void)ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
    make_room_for_frame(u);
    const char *damage = unpack_frames(u, z);
    (void)ZSTD_freeDCtx(z);
    return damage;
}

// --- both ---

static bool is_gzip(str s)
{
    return str_starts(s, S("\x1f\x8b"));
}

// A frame, or a skippable one: its first byte is 0x50 to 0x5f.
static bool is_zstd(str s)
{
    return str_starts(s, S("\x28\xb5\x2f\xfd")) ||
           (s.n >= 4 && (s.p[0] & 0xf0) == 0x50 && memcmp(s.p + 1, "\x2a\x4d\x18", 3) == 0);
}

const char *unpack_ending(str data)
{
    return is_gzip(data) ? ".gz" : is_zstd(data) ? ".zst" : NULL;
}

const char *unpack(str packed, uint64_t most, struct buf *text)
{
    struct unpacking u = {.packed = packed, .most = most, .text = text};
    return is_gzip(packed) ? unpack_gzip(&u) : unpack_zstd(&u);
}
