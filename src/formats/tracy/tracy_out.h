// tracy_out.h - contents of a trace as the payload of a .tracy file.
//
// What the contents may lack and a file must have is made here: see tracy_write.c.
#ifndef TTP_FORMATS_TRACY_TRACY_OUT_H
#define TTP_FORMATS_TRACY_TRACY_OUT_H

#include "formats/tracy/tracy.h"
#include "formats/tracy/tracy_blocks.h"

// A place is a 16-bit number in a file. If there are more than TRACY_PLACES_MOST, the
// places beyond share one, and their zones get the name of the place as their own.
struct tracy_out {
    const struct tracy *t;
    struct tracy_packer pack;
    enum tracy_generation generation; // of the file
    struct diag *diag;                // what could not be kept

    // --- texts that are added
    size_t n_texts;
    str more_texts[2];
    uint32_t frame_text, shared_text;

    // --- places: those of `places` from n_places on and of `made_places` from n_made on
    // share the number n_places
    bool is_shared;
    size_t n_places, n_made;

    // --- extras that are added for zones of shared places: first one for each place, then
    // one for each zone that has an extra of its own
    uint32_t place_extras, zone_extras; // the first number of each
    uint32_t next_extra;

    // --- zones
    uint64_t *n_zones, *n_made_zones; // by place, those that ended; the shared one last
    uint64_t *n_gpu_zones, *n_made_gpu_zones;
    uint64_t zones, parents, gpu_zones, gpu_parents;
    size_t unplaced; // zones without a place
};

// --- numbers ---------------------------------------------------------------------------
static inline void tracy_out_put(struct tracy_out *o, const void *p, size_t n)
{
    memcpy(o->pack.at, p, n); // n is at most TRACY_CARRY_MOST
    o->pack.at += n;
    tracy_packer_some(&o->pack);
}
#define TRACY_OUT_NUMBER(name, T)                                                          \
    static inline void out_##name(struct tracy_out *o, T v)                                \
    {                                                                                      \
        tracy_out_put(o, &v, sizeof v);                                                    \
    }
TRACY_OUT_NUMBER(u8, uint8_t)
TRACY_OUT_NUMBER(i8, int8_t)
TRACY_OUT_NUMBER(u16, uint16_t)
TRACY_OUT_NUMBER(u32, uint32_t)
TRACY_OUT_NUMBER(i32, int32_t)
TRACY_OUT_NUMBER(u64, uint64_t)
TRACY_OUT_NUMBER(i64, int64_t)
TRACY_OUT_NUMBER(f32, float)
TRACY_OUT_NUMBER(f64, double)
#undef TRACY_OUT_NUMBER

static inline void out_u24(struct tracy_out *o, uint32_t v)
{
    tracy_out_put(o, &v, 3);
}
// A time as the difference to the one before it.
static inline void out_time(struct tracy_out *o, int64_t time, int64_t *last)
{
    out_u64(o, (uint64_t)time - (uint64_t)*last);
    *last = time;
}
void out_bytes(struct tracy_out *o, str s);
void out_str(struct tracy_out *o, str s); // its length before it

void out_text(struct tracy_out *o, uint32_t text); // text + 1
void out_ref(struct tracy_out *o, struct tracy_ref ref);
// The number of a place in the file.
int16_t tracy_out_place(const struct tracy_out *o, int32_t place);
bool tracy_out_is_shared(const struct tracy_out *o, int32_t place);
// Counts what the file cannot hold.
void tracy_out_left(struct tracy_out *o, const char *what, uint64_t n);

// --- sections, in the order of the file
void tracy_write_head(struct tracy_out *o);
void tracy_write_frames(struct tracy_out *o);
void tracy_write_texts(struct tracy_out *o);
void tracy_write_places(struct tracy_out *o);
void tracy_write_locks(struct tracy_out *o);
void tracy_write_messages(struct tracy_out *o);
void tracy_write_extras(struct tracy_out *o);
void tracy_write_threads(struct tracy_out *o);
void tracy_write_gpus(struct tracy_out *o);
void tracy_write_plots(struct tracy_out *o);
void tracy_write_memory(struct tracy_out *o);
void tracy_write_stacks(struct tracy_out *o);
void tracy_write_images(struct tracy_out *o);
void tracy_write_switches(struct tracy_out *o);
void tracy_write_symbols(struct tracy_out *o);

// Counts zones by place before anything is written.
void tracy_out_count(struct tracy_out *o);
void tracy_out_free(struct tracy_out *o);

#endif
