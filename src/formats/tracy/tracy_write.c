// tracy_write.c - .tracy files, out: what a file must have, the order of the sections.
//
// A reader of the reference checks little, so a file must be right: a set of frames and
// the text "Frame" for key 0, thread 0, place 0, extra 0, all counts.
#include <inttypes.h>

#include "base/file/file.h"

#include "formats/diags.h"
#include "formats/tracy/tracy_file.h"
#include "formats/tracy/tracy_out.h"

enum { USUAL_STREAMS = 4 };

void out_bytes(struct tracy_out *o, str s)
{
    while (s.n) {
        size_t n = s.n < TRACY_CARRY_MOST ? s.n : TRACY_CARRY_MOST;
        tracy_out_put(o, s.p, n);
        s = str_from(s, n);
    }
}

void out_str(struct tracy_out *o, str s)
{
    out_u64(o, s.n);
    out_bytes(o, s);
}

void tracy_out_left(struct tracy_out *o, const char *what, uint64_t n)
{
    if (!n || !o->diag)
        return;
    if (diag_count(o->diag, DIAG_TRACY_UNWRITTEN))
        diag_note(o->diag, DIAG_TRACY_UNWRITTEN, "%" PRIu64 " %s", n, what);
    o->diag->entry[DIAG_TRACY_UNWRITTEN].count += n - 1;
}

void out_text(struct tracy_out *o, uint32_t text)
{
    if (text >> 24)
        tracy_out_left(o, "texts beyond number 16777214", 1);
    out_u24(o, text >> 24 ? 0 : text);
}

void out_ref(struct tracy_out *o, struct tracy_ref ref)
{
    // A number beyond the texts crashes readers; an unknown key is shown as ???.
    if (ref.is_set && ref.is_number && ref.value >= o->n_texts)
        ref = (struct tracy_ref){UINT64_MAX, false, true};
    out_u64(o, ref.value);
    out_u8(o, (uint8_t)((unsigned)ref.is_number | (unsigned)ref.is_set << 1));
}

// --- texts and places that are added -----------------------------------------------------

static uint32_t add_text(struct tracy_out *o, str s)
{
    uint32_t known = map_get(&o->t->strings, s);
    if (known != MAP_NONE)
        return known;
    o->more_texts[o->n_texts - o->t->strings.keys.n] = s;
    return (uint32_t)o->n_texts++;
}

static void plan_places(struct tracy_out *o)
{
    const struct tracy *t = o->t;
    o->n_places = t->places.n ? t->places.n : 1;
    o->n_made = t->made_places.n;
    o->place_extras = t->extras.n ? (uint32_t)t->extras.n : 1;
    o->zone_extras = o->place_extras;
    o->is_shared = o->n_places > TRACY_PLACES_MOST + 1 || o->n_made > TRACY_PLACES_MOST;
    if (!o->is_shared)
        return;
    if (o->n_places > TRACY_PLACES_MOST)
        o->n_places = TRACY_PLACES_MOST;
    if (o->n_made > TRACY_PLACES_MOST)
        o->n_made = TRACY_PLACES_MOST;
    size_t beyond = t->places.n > o->n_places ? t->places.n - o->n_places : 0;
    o->zone_extras += (uint32_t)(beyond + t->made_places.n - o->n_made);
    o->shared_text = add_text(o, S("(places beyond 32767)"));
}

static struct tracy_out plan(const struct tracy *t, struct tracy_write_how how)
{
    struct tracy_out o = {.t = t,
                          .generation = how.generation,
                          .diag = how.diag,
                          .n_texts = t->strings.keys.n};
    o.frame_text = add_text(&o, S("Frame"));
    plan_places(&o);
    o.next_extra = o.zone_extras;
    tracy_out_count(&o);
    return o;
}

static void write_sections(struct tracy_out *o)
{
    out_bytes(o, S("tracy"));
    out_bytes(o, o->generation == TRACY_U14 ? S("\0\x0e\0") : S("\0\x0a\0"));
    tracy_write_head(o);
    tracy_write_frames(o);
    tracy_write_texts(o);
    tracy_write_places(o);
    tracy_write_locks(o);
    tracy_write_messages(o);
    tracy_write_extras(o);
    tracy_write_threads(o);
    tracy_write_gpus(o);
    tracy_write_plots(o);
    tracy_write_memory(o);
    tracy_write_stacks(o);
    tracy_write_images(o);
    tracy_write_switches(o);
    tracy_write_symbols(o);
}

void tracy_write_to(const struct tracy *t, struct out *out, struct tracy_write_how how)
{
    bool is_new = how.generation == TRACY_U14;
    struct tracy_container c = {.is_new = is_new, .packing = how.packing, .n_streams = 1};
    if (is_new)
        c.n_streams = how.n_streams ? how.n_streams : USUAL_STREAMS;
    if (c.n_streams > TRACY_STREAMS_MOST)
        c.n_streams = TRACY_STREAMS_MOST;
    struct tracy_out o = plan(t, how);
    tracy_packer_start(&o.pack, out, c, how.level);
    write_sections(&o);
    tracy_packer_end(&o.pack);
    tracy_out_free(&o);
}

bool tracy_write(const struct tracy *t, const char *path, struct tracy_write_how how,
                 struct err *e)
{
    struct out file;
    if (!out_open(&file, path, e))
        return false;
    tracy_write_to(t, &file, how);
    return out_close(&file, e);
}

struct tracy_write_how tracy_write_usual(enum tracy_generation generation)
{
    return (struct tracy_write_how){.generation = generation,
                                    .packing =
                                        generation == TRACY_U14 ? TRACY_ZSTD : TRACY_LZ4};
}
