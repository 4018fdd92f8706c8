// dump_words.c - reads the words of one chip in one read-out from the files of a dump.
#include <stdio.h>

#include "collect/readout/dump_parts.h"

enum {
    CONTROL_WORDS_V1 = 32,
    V0_BUFFER_WORDS = 51,
    REGION_BYTES_USUAL = 48000,
    BANKS_MOST = DUMP_CORES_MOST, // of one core each
};

struct bank {
    bool is_tried, is_open;
    struct file file;
};

struct chip_read {
    struct dump_reader *r;
    const struct plan_chip *plan;
    struct chip_record *chip;
    uint32_t number, readout; // index of the chip, of the folder
    uint32_t region_bytes;
    struct bank *banks;
    struct full_buffers full;
};

// One of its cores.
struct place {
    const struct plan_core *plan;
    size_t core;
    struct core_health *health;
    struct file l1;
    bool has_l1;
    uint32_t control[TT_CONTROL_WORDS]; // in layout v2
};

static bool open_file(struct chip_read *q, const char *kind, int number, struct file *f,
                      struct err *e)
{
    char name[96];
    (void)snprintf(name, sizeof name, "%s%s_%d_%d.bin", q->r->folders[q->readout], kind,
                   q->chip->id, number);
    return q->r->source->open(q->r->source->context, name, f, e);
}

// Position and number of words in a file.
struct extent {
    uint64_t at; // bytes
    size_t n;
};

static void add_file_block(struct chip_read *q, const struct place *p, int risc,
                           enum block_source source, const struct file *f, struct extent x)
{
    struct collection *c = q->r->c;
    size_t bytes = f && x.at < f->text.n ? f->text.n - (size_t)x.at : 0;
    size_t n = bytes / 4 < x.n ? bytes / 4 : x.n;
    uint32_t *words = push_many(&c->block_arena, uint32_t, n);
    if (n)
        memcpy(words, f->text.p + x.at, 4 * n);
    if (source != BLOCK_DRAM)
        chunk_stamp(words, n, c->layout, p->plan->core.flat, risc);
    vec_push(&c->blocks, (struct word_block){
                             .chip = q->number,
                             .core = (uint32_t)p->core,
                             .readout = q->readout,
                             .risc = (uint8_t)risc,
                             .source = (uint8_t)source,
                             .words = words,
                             .n = n,
                             .n_missing = x.n - n,
                             .clock = q->plan->clock,
                         });
}

// --- control vectors -------------------------------------------------------------------

// Layout v1 has the same words in other places: {from, to, count}.
static const uint8_t words_of_v1[][3] = {
    {0, TT_CONTROL_HOST_END, 5},         {5, TT_CONTROL_DEVICE_END, 5},
    {10, TT_CONTROL_FW_RESET_H, 12},     {22, TT_CONTROL_DRAM_ADDRESSES, 4},
    {26, TT_CONTROL_DRAM_ADDRESS_T2, 1},
};

static void control_from_v1(uint32_t control[TT_CONTROL_WORDS])
{
    uint32_t old[CONTROL_WORDS_V1];
    memcpy(old, control, sizeof old);
    memset(control, 0, TT_CONTROL_WORDS * sizeof *control);
    for (size_t i = 0; i < sizeof words_of_v1 / sizeof *words_of_v1; i++)
        memcpy(control + words_of_v1[i][1], old + words_of_v1[i][0],
               words_of_v1[i][2] * sizeof *old);
}

// False: there is none.
static bool read_control_file(struct chip_read *q, struct place *p)
{
    struct file f;
    struct err e = {0};
    if (!open_file(q, "ctrl", p->plan->core.flat, &f, &e)) {
        p->health->is_damaged = true;
        plan_note(&q->r->notes, "%s; the core at %d,%d is skipped", e.text, p->plan->core.x,
                  p->plan->core.y);
        return false;
    }
    bool is_v1 = q->r->c->layout == WORDS_V1;
    size_t want = 4 * (size_t)(is_v1 ? CONTROL_WORDS_V1 : TT_CONTROL_WORDS);
    size_t have = f.text.n < want ? f.text.n : want;
    if (have)
        memcpy(p->control, f.text.p, have);
    file_close(&f);
    if (have < want) {
        p->health->is_damaged = true;
        plan_note(&q->r->notes, "the control vector of the core at %d,%d is truncated",
                  p->plan->core.x, p->plan->core.y);
    }
    if (is_v1)
        control_from_v1(p->control);
    return true;
}

static void check_control(const struct chip_read *q, struct place *p)
{
    uint32_t cap = q->region_bytes / 4;
    bool is_damaged = p->control[TT_CONTROL_FLAT_ID] != (uint32_t)p->plan->core.flat;
    int n = core_riscs(&p->plan->core);
    for (int risc = 0; risc < n; risc++) {
        uint32_t *host = &p->control[TT_CONTROL_HOST_END + risc],
                 *device = &p->control[TT_CONTROL_DEVICE_END + risc];
        is_damaged |= *host > cap || *device > TT_CHUNK_WORDS;
        *host = *host < cap ? *host : cap;
        *device = *device < TT_CHUNK_WORDS ? *device : TT_CHUNK_WORDS;
    }
    p->health->is_damaged |= is_damaged;
}

// --- DRAM and L1 -----------------------------------------------------------------------

static const struct file *bank_file(struct chip_read *q, int bank)
{
    struct bank *b = &q->banks[bank];
    struct err e = {0};
    if (!b->is_tried) {
        b->is_tried = true;
        b->is_open = open_file(q, "dram", bank, &b->file, &e);
        if (!b->is_open)
            plan_note(&q->r->notes, "%s; the words of its cores are missing", e.text);
    }
    return b->is_open ? &b->file : NULL;
}

// In stall mode a second buffer follows the first.
static uint64_t buffer_offset(const struct chip_read *q, const struct place *p, int risc)
{
    uint64_t bytes =
        (uint64_t)q->plan->processors * q->region_bytes * (uint64_t)q->plan->cores_per_bank;
    uint64_t address = risc < TT_RISCS ? p->control[TT_CONTROL_DRAM_ADDRESS_OF(risc)] : 0;
    return address == q->plan->dram_base + bytes ? bytes : 0;
}

static bool has_l1_words(const struct place *p, int risc)
{
    return p->has_l1 && p->l1.text.n > (size_t)risc * TT_PROFILER_BUFFER_BYTES;
}

static void add_l1(struct chip_read *q, const struct place *p, int risc)
{
    uint32_t end = p->control[TT_CONTROL_DEVICE_END + risc];
    bool is_partial = p->plan->is_partial && !end;
    struct extent x = {(uint64_t)risc * TT_PROFILER_BUFFER_BYTES,
                       is_partial ? TT_CHUNK_WORDS : end};
    add_file_block(q, p, risc, is_partial ? BLOCK_PARTIAL : BLOCK_L1, &p->l1, x);
}

static void read_risc(struct chip_read *q, const struct place *p, int risc)
{
    const struct profiler_options *o = &q->r->c->options;
    uint32_t in_dram = p->control[TT_CONTROL_HOST_END + risc],
             in_l1 = p->control[TT_CONTROL_DEVICE_END + risc];
    int flat = p->plan->core.flat;
    const struct file *f = in_dram ? bank_file(q, flat / q->plan->cores_per_bank) : NULL;
    // Without its bank, a core still has the words of its last program.
    bool is_saved = in_dram && !f && in_l1 && has_l1_words(p, risc);
    if (in_dram && !is_saved) {
        uint64_t region =
            (uint64_t)(flat % q->plan->cores_per_bank) * (uint64_t)q->plan->processors +
            (uint64_t)risc;
        add_file_block(
            q, p, risc, BLOCK_DRAM, f,
            (struct extent){region * q->region_bytes + buffer_offset(q, p, risc), in_dram});
    }
    bool is_kept = p->plan->is_partial || o->trace_only || o->accumulate;
    if (has_l1_words(p, risc) &&
        (is_kept ? in_l1 || p->plan->is_partial : in_l1 && (is_saved || !in_dram)))
        add_l1(q, p, risc);
}

static void read_core_v0(struct chip_read *q, const struct place *p)
{
    enum { BYTES = 4 * V0_BUFFER_WORDS };
    if (!p->has_l1) {
        p->health->is_damaged = true;
        return;
    }
    for (int risc = 0; risc < core_riscs(&p->plan->core); risc++)
        add_file_block(q, p, risc, BLOCK_L1, &p->l1,
                       (struct extent){(uint64_t)risc * BYTES, V0_BUFFER_WORDS});
}

static uint32_t region_said(const uint32_t control[TT_CONTROL_WORDS])
{
    uint32_t bytes = control[TT_CONTROL_REGION_BYTES] & ~3u;
    bool is_said = control[TT_CONTROL_MAGIC] == TT_PROFILER_MAGIC;
    return is_said && bytes <= DUMP_REGION_MOST ? bytes : REGION_BYTES_USUAL;
}

static void read_words(struct chip_read *q, struct place *p)
{
    const struct tt_core *core = &p->plan->core;
    if (q->r->c->layout == WORDS_V0) {
        read_core_v0(q, p);
        return;
    }
    if (!read_control_file(q, p))
        return;
    if (!q->region_bytes)
        q->region_bytes = region_said(p->control);
    check_control(q, p);
    for (int risc = 0; risc < core_riscs(core); risc++) {
        read_risc(q, p, risc);
        full_buffers_add(&q->full, core, risc, p->control);
    }
    collection_add_losses(q->chip, p->core, p->control);
}

static void read_core_files(struct chip_read *q, const struct plan_core *plan)
{
    struct err none = {0};
    size_t core = dump_find_core(q->chip, plan->core.flat);
    struct place p = {.plan = plan, .core = core, .health = &q->chip->core_health[core]};
    p.has_l1 = open_file(q, "l1", plan->core.flat, &p.l1, &none);
    p.health->is_partial |= plan->is_partial;
    for (int risc = 0; risc < TT_RISCS; risc++) {
        struct risc_health *h = &q->chip->riscs[core][risc];
        h->stalls = plan->stalls[risc] > h->stalls ? plan->stalls[risc] : h->stalls;
        h->stall_ns =
            plan->stall_ns[risc] > h->stall_ns ? plan->stall_ns[risc] : h->stall_ns;
    }
    read_words(q, &p);
    if (p.has_l1)
        file_close(&p.l1);
}

void dump_read_chip(struct dump_reader *r, size_t folder, const struct plan_chip *plan)
{
    struct chip_record *chip = dump_find_chip(r->c, plan->record.id);
    struct chip_read q = {
        .r = r,
        .plan = plan,
        .chip = chip,
        .number = (uint32_t)(chip - r->c->chips.v),
        .readout = (uint32_t)folder,
        .region_bytes = plan->region_bytes,
        .banks = mem_alloc(mem_bytes(sizeof(struct bank), BANKS_MOST)),
    };
    for (size_t i = 0; i < plan->cores.n; i++)
        read_core_files(&q, &plan->cores.v[i]);
    full_buffers_warn(&q.full, chip->id, r->notes.b);
    for (size_t i = 0; i < BANKS_MOST; i++)
        if (q.banks[i].is_open)
            file_close(&q.banks[i].file);
    mem_free(q.banks);
}
