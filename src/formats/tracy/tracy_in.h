// tracy_in.h - the payload of a .tracy file as a row of numbers and texts.
//
// After the end every number is 0 and `is_cut` is set: loops over counts of the file check
// it, so that the file's own length bounds them.
#ifndef TTP_FORMATS_TRACY_TRACY_IN_H
#define TTP_FORMATS_TRACY_TRACY_IN_H

#include "base/data/sort.h"
#include "base/data/vec.h"

#include "formats/tracy/tracy.h"
#include "formats/tracy/tracy_blocks.h"
#include "formats/tracy/tracy_colour.h"

struct tracy_in {
    struct tracy *t; // what is read
    str text;        // decoded, not read yet
    struct tracy_blocks *blocks;
    uint64_t decoded;    // bytes of the payload up to the end of `text`
    bool is_cut;         // nothing more can be read: the end was reached too early, or
    const char *wrong;   // what cannot be right; NULL: all was right so far
    uint64_t wrong_at;   // its offset in the payload
    VEC(uint32_t) texts; // number in `strings` by number in the file
    VEC(struct keyed) message_ids; // a: number of the message, b: a thread has it
};

bool tracy_in_more(struct tracy_in *in, size_t n); // see tracy_in_take
extern const char tracy_in_zeros[TRACY_CARRY_MOST];

// The next n bytes, at most TRACY_CARRY_MOST; zeros after the end.
static inline const char *tracy_in_take(struct tracy_in *in, size_t n)
{
    if (in->text.n < n && !tracy_in_more(in, n))
        return tracy_in_zeros;
    const char *p = in->text.p;
    in->text = (str){p + n, in->text.n - n};
    return p;
}

#define TRACY_IN_NUMBER(name, T)                                                           \
    static inline T in_##name(struct tracy_in *in)                                         \
    {                                                                                      \
        T v;                                                                               \
        memcpy(&v, tracy_in_take(in, sizeof v), sizeof v);                                 \
        return v;                                                                          \
    }
TRACY_IN_NUMBER(u8, uint8_t)
TRACY_IN_NUMBER(i8, int8_t)
TRACY_IN_NUMBER(u16, uint16_t)
TRACY_IN_NUMBER(i16, int16_t)
TRACY_IN_NUMBER(u32, uint32_t)
TRACY_IN_NUMBER(i32, int32_t)
TRACY_IN_NUMBER(u64, uint64_t)
TRACY_IN_NUMBER(i64, int64_t)
TRACY_IN_NUMBER(f32, float)
TRACY_IN_NUMBER(f64, double)
#undef TRACY_IN_NUMBER

static inline uint32_t in_u24(struct tracy_in *in)
{
    uint32_t v = 0;
    memcpy(&v, tracy_in_take(in, 3), 3);
    return v;
}
// A time that is stored as the difference to the one before it.
static inline int64_t in_time(struct tracy_in *in, int64_t *last)
{
    *last = (int64_t)((uint64_t)*last + in_u64(in));
    return *last;
}

// The offset of the next byte in the payload.
static inline uint64_t tracy_in_at(const struct tracy_in *in)
{
    return in->decoded - in->text.n;
}
// Stops reading: every number is 0 from here on.
void tracy_in_stop(struct tracy_in *in, const char *wrong);

// A count of records that have at least so many bytes each. One that no file of this size
// can hold stops the reading, and is 0. Nothing is reserved for a count: memory grows with
// what is read.
bool tracy_in_fits(struct tracy_in *in, uint64_t n, size_t least_bytes);
uint64_t in_count(struct tracy_in *in, size_t least_bytes);
uint64_t in_count32(struct tracy_in *in, size_t least_bytes);
// So many bytes, in the arena of the contents.
str in_bytes(struct tracy_in *in, uint64_t n);
str in_str(struct tracy_in *in); // with its length before it

// A text + 1 of the file as one of the contents.
uint32_t tracy_in_known_text(struct tracy_in *in, uint32_t text);
static inline uint32_t in_text(struct tracy_in *in)
{
    return tracy_in_known_text(in, in_u24(in));
}
struct tracy_ref in_ref(struct tracy_in *in);
// Counts a reference to something that the file does not have.
void tracy_in_odd(struct tracy_in *in, const char *what, int64_t number);

// --- sections, in the order of the file
void tracy_read_head(struct tracy_in *in);   // 1 to 4
void tracy_read_frames(struct tracy_in *in); // 5
void tracy_read_texts(struct tracy_in *in);  // 6 to 11
void tracy_read_places(struct tracy_in *in); // 12 to 16
void tracy_read_locks(struct tracy_in *in);
void tracy_read_messages(struct tracy_in *in); // 18 and 19
void tracy_read_threads(struct tracy_in *in);
void tracy_read_gpus(struct tracy_in *in);
void tracy_read_plots(struct tracy_in *in);
void tracy_read_memory(struct tracy_in *in);
void tracy_read_stacks(struct tracy_in *in);   // 24 to 26
void tracy_read_images(struct tracy_in *in);   // 27
void tracy_read_switches(struct tracy_in *in); // 28 to 31
void tracy_read_symbols(struct tracy_in *in);  // 32 to 36

#endif
