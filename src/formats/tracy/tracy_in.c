// tracy_in.c - the payload of a .tracy file: its end, counts and texts.
#include "formats/tracy/tracy_in.h"

#include <inttypes.h>

#include "base/text/buf.h"

#include "formats/diags.h"

const char tracy_in_zeros[TRACY_CARRY_MOST];

bool tracy_in_more(struct tracy_in *in, size_t n)
{
    while (!in->is_cut && in->text.n < n) {
        size_t before = in->text.n;
        if (tracy_blocks_next(in->blocks, &in->text))
            in->decoded += in->text.n - before;
        else
            tracy_in_stop(in, "the payload ends too early");
    }
    return !in->is_cut;
}

void tracy_in_stop(struct tracy_in *in, const char *wrong)
{
    if (in->is_cut)
        return;
    in->wrong = wrong;
    in->wrong_at = tracy_in_at(in);
    in->is_cut = true;
    in->text.n = 0;
}

// The rest of the file is no limit: if it is cut off, what is left of it can be read.
bool tracy_in_fits(struct tracy_in *in, uint64_t n, size_t least_bytes)
{
    if (n <= tracy_blocks_most(in->blocks) / least_bytes)
        return true;
    tracy_in_stop(in, "a count is larger than the file");
    return false;
}

uint64_t in_count(struct tracy_in *in, size_t least_bytes)
{
    uint64_t n = in_u64(in);
    return tracy_in_fits(in, n, least_bytes) ? n : 0;
}

uint64_t in_count32(struct tracy_in *in, size_t least_bytes)
{
    uint64_t n = in_u32(in);
    return tracy_in_fits(in, n, least_bytes) ? n : 0;
}

// Long bytes are gathered as they come, because their length may be a lie.
str in_bytes(struct tracy_in *in, uint64_t n)
{
    if (n <= in->text.n) {
        str s = arena_str(&in->t->arena, (str){in->text.p, (size_t)n});
        in->text = (str){in->text.p + n, in->text.n - (size_t)n};
        return s;
    }
    struct buf b = {0};
    for (uint64_t left = tracy_in_fits(in, n, 1) ? n : 0; left && !in->is_cut;) {
        size_t part = in->text.n < left ? in->text.n : (size_t)left;
        buf_str(&b, (str){tracy_in_take(in, part), part});
        left -= part;
        if (left)
            (void)tracy_in_more(in, 1);
    }
    str s = arena_str(&in->t->arena, buf_view(&b));
    buf_free(&b);
    return s;
}

str in_str(struct tracy_in *in)
{
    return in_bytes(in, in_u64(in));
}

void tracy_in_odd(struct tracy_in *in, const char *what, int64_t number)
{
    if (diag_count(&in->t->diag, DIAG_TRACY_REFERENCE))
        diag_note(&in->t->diag, DIAG_TRACY_REFERENCE,
                  "byte %" PRIu64 " of the payload: %s %" PRId64, tracy_in_at(in), what,
                  number);
}

uint32_t tracy_in_known_text(struct tracy_in *in, uint32_t text)
{
    if (text <= in->texts.n)
        return text ? in->texts.v[text - 1] + 1 : 0;
    tracy_in_odd(in, "text", text);
    return 0;
}

struct tracy_ref in_ref(struct tracy_in *in)
{
    uint64_t value = in_u64(in);
    uint8_t bits = in_u8(in);
    struct tracy_ref ref = {value, bits & 1, (bits & 2) != 0};
    if (!ref.is_number || !ref.is_set)
        return ref;
    if (value < in->texts.n) {
        ref.value = in->texts.v[value];
        return ref;
    }
    tracy_in_odd(in, "text", (int64_t)value);
    ref.value = TRACY_UNKNOWN;
    return ref;
}
