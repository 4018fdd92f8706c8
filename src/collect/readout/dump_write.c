// dump_write.c - writes read-outs as files of raw words. Written from the collection, so a
// dump costs the device nothing.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/folder.h"

#include "collect/readout/dump_parts.h"

struct dump_writer {
    struct collection *c;
    const struct dump_geometry *geometry;
    char *root;
    uint32_t number;    // of the current folder, from 1; 0: none yet
    uint32_t n_written; // read-outs whose blocks are written
    VEC(int) chips;     // in that folder
    struct buf json;    // their entries
    struct buf first;   // those of the first folder
};

struct dump_writer *dump_writer_new(struct collection *c, const char *folder,
                                    const struct dump_geometry *geometry)
{
    struct dump_writer *w = mem_alloc(sizeof *w);
    w->c = c;
    w->geometry = geometry;
    w->root = mem_alloc(strlen(folder) + 1);
    memcpy(w->root, folder, strlen(folder));
    return w;
}

void dump_writer_free(struct dump_writer *w)
{
    if (!w)
        return;
    vec_free(&w->chips);
    buf_free(&w->json);
    buf_free(&w->first);
    mem_free(w->root);
    mem_free(w);
}

// --- folders ---------------------------------------------------------------------------

static void folder_path(const struct dump_writer *w, uint32_t number, struct buf *path)
{
    path->n = 0;
    buf_z(path, w->root);
    if (number > 1)
        buf_printf(path, "/readout_%u", number);
}

// A file in the current folder.
static const char *file_path(const struct dump_writer *w, struct buf *path,
                             const char *kind, int chip, int number)
{
    folder_path(w, w->number, path);
    buf_printf(path, "/%s_%d_%d.bin", kind, chip, number);
    buf_char(path, '\0');
    return path->p;
}

// An older dump in the same place must not look like part of this one.
static void forget_old_dump(const struct dump_writer *w)
{
    struct buf path = {0};
    for (uint32_t i = 1;; i++) {
        folder_path(w, i, &path);
        buf_z(&path, "/dump.json");
        buf_char(&path, '\0');
        if (unlink(path.p) != 0 && i > 1)
            break;
    }
    buf_free(&path);
}

// Starts a new folder when a chip comes for the second time.
static bool choose_folder(struct dump_writer *w, int chip, struct err *e)
{
    bool is_new = w->number == 0;
    for (size_t i = 0; i < w->chips.n; i++)
        is_new |= w->chips.v[i] == chip;
    if (is_new) {
        if (w->number == 0)
            forget_old_dump(w);
        if (++w->number == 2)
            buf_str(&w->first, buf_view(&w->json));
        w->chips.n = 0;
        w->json.n = 0;
        struct buf path = {0};
        folder_path(w, w->number, &path);
        buf_char(&path, '\0');
        bool ok = folder_make(path.p, e);
        buf_free(&path);
        if (!ok)
            return false;
    }
    vec_push(&w->chips, chip);
    return true;
}

// --- words -----------------------------------------------------------------------------

// Words at a position in a file; gaps between pieces read as zeros.
struct piece {
    uint64_t at; // bytes
    const void *data;
    size_t bytes;
};
typedef VEC(struct piece) pieces;

static bool write_pieces(const char *path, const pieces *list, struct err *e)
{
    if (!list->n) {
        (void)unlink(path); // of an older dump
        return true;
    }
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    uint64_t at = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct piece *p = &list->v[i];
        if (p->at > at)
            out_hole(&o, p->at - at);
        buf_str(&o.b, (str){p->data, p->bytes});
        out_flush_some(&o);
        at = p->at + p->bytes;
    }
    return out_close(&o, e);
}

static int by_offset(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static bool write_banks(struct dump_writer *w, const struct dump_part *p, struct err *e)
{
    const struct dump_geometry *g = &w->geometry[p->chip];
    const struct chip_record *chip = &w->c->chips.v[p->chip];
    struct buf path = {0};
    pieces list = {0};
    int n_banks = 0;
    for (size_t i = 0; i < chip->n_cores; i++) {
        int bank = chip->cores[i].flat / g->cores_per_bank;
        n_banks = bank >= n_banks ? bank + 1 : n_banks;
    }
    bool ok = true;
    for (int bank = 0; ok && bank < n_banks; bank++) {
        list.n = 0;
        for (size_t i = 0; i < p->n_blocks; i++) {
            const struct word_block *b = p->blocks[i];
            int flat = chip->cores[b->core].flat;
            if (b->source != BLOCK_DRAM || flat / g->cores_per_bank != bank || !b->n)
                continue;
            uint64_t region =
                (uint64_t)(flat % g->cores_per_bank) * (uint64_t)g->processors + b->risc;
            vec_push(&list, (struct piece){region * g->region_bytes, b->words, 4 * b->n});
        }
        if (list.n)
            qsort(list.v, list.n, sizeof *list.v, by_offset);
        ok = write_pieces(file_path(w, &path, "dram", chip->id, bank), &list, e);
    }
    vec_free(&list);
    buf_free(&path);
    return ok;
}

static bool write_core(struct dump_writer *w, const struct dump_part *p,
                       const struct dump_core *core, struct err *e)
{
    const struct chip_record *chip = &w->c->chips.v[p->chip];
    int flat = chip->cores[core->core].flat;
    struct buf path = {0};
    pieces list = {0};
    if (core->is_read)
        vec_push(&list, (struct piece){0, core->control, sizeof core->control});
    bool ok = write_pieces(file_path(w, &path, "ctrl", chip->id, flat), &list, e);
    list.n = 0;
    for (size_t i = 0; i < p->n_blocks; i++) {
        const struct word_block *b = p->blocks[i];
        if (b->core == core->core && b->source != BLOCK_DRAM && b->n)
            vec_push(&list, (struct piece){(uint64_t)b->risc * TT_PROFILER_BUFFER_BYTES,
                                           b->words, 4 * b->n});
    }
    if (list.n)
        qsort(list.v, list.n, sizeof *list.v, by_offset);
    ok = ok && write_pieces(file_path(w, &path, "l1", chip->id, flat), &list, e);
    vec_free(&list);
    buf_free(&path);
    return ok;
}

static bool write_document(const struct dump_writer *w, uint32_t number, const char *arch,
                           const struct buf *chips, struct err *e)
{
    struct buf path = {0};
    struct out o;
    folder_path(w, number, &path);
    buf_z(&path, "/dump.json");
    buf_char(&path, '\0');
    bool ok = out_open(&o, path.p, e);
    buf_free(&path);
    if (!ok)
        return false;
    dump_put_document(&o.b, &w->c->options, arch, number == 1 ? w->number : 0,
                      buf_view(chips));
    return out_close(&o, e);
}

// The first folder knows how many there are.
static bool write_inventory(struct dump_writer *w, const char *arch, struct err *e)
{
    bool is_new = w->number > 1 && w->chips.n == 1;
    return write_document(w, w->number, arch, &w->json, e) &&
           (!is_new || write_document(w, 1, arch, &w->first, e));
}

// --- a read-out ------------------------------------------------------------------------

static bool write_part(struct dump_writer *w, const struct dump_part *p, struct err *e)
{
    const struct chip_record *chip = &w->c->chips.v[p->chip];
    if (!choose_folder(w, chip->id, e) || !write_banks(w, p, e))
        return false;
    for (size_t i = 0; i < p->n_cores; i++)
        if (!write_core(w, p, &p->cores[i], e))
            return false;
    struct json j = {.b = &w->json, .is_first = !w->json.n};
    dump_put_chip(&j, w->c, &w->geometry[p->chip], p);
    return write_inventory(w, chip->arch_name, e);
}

typedef VEC(const struct word_block *) block_list;

// Chooses the nth block of every RISC of a chip from those taken while programs ran.
static void choose_round(const struct dump_writer *w, uint32_t chip, size_t end, size_t nth,
                         block_list *out)
{
    out->n = 0;
    size_t n_cores = w->c->chips.v[chip].n_cores;
    uint32_t *seen = mem_alloc(mem_bytes(n_cores * RISCS_MOST, sizeof *seen));
    for (size_t i = 0; i < end; i++) {
        const struct word_block *b = &w->c->blocks.v[i];
        if (b->chip == chip && b->readout >= w->n_written &&
            seen[(size_t)b->core * RISCS_MOST + b->risc]++ == nth)
            vec_push(out, b);
    }
    mem_free(seen);
}

// Makes control vectors with which a reader finds exactly these blocks.
static void make_controls(const struct dump_writer *w, uint32_t chip,
                          const block_list *blocks, struct arena *a, struct dump_part *p)
{
    const struct chip_record *record = &w->c->chips.v[chip];
    struct dump_core *cores = push_many(a, struct dump_core, blocks->n);
    size_t n = 0;
    for (size_t i = 0; i < blocks->n; i++) {
        const struct word_block *b = blocks->v[i];
        size_t k = 0;
        while (k < n && cores[k].core != b->core)
            k++;
        uint32_t *control = cores[k].control;
        if (k == n) {
            cores[n++] = (struct dump_core){.core = b->core, .is_read = true};
            control[TT_CONTROL_MAGIC] = TT_PROFILER_MAGIC;
            control[TT_CONTROL_FLAT_ID] = (uint32_t)record->cores[b->core].flat;
            control[TT_CONTROL_REGION_BYTES] = w->geometry[chip].region_bytes;
        }
        bool is_dram = b->source == BLOCK_DRAM;
        control[(is_dram ? TT_CONTROL_HOST_END : TT_CONTROL_DEVICE_END) + b->risc] =
            (uint32_t)(b->n + b->n_missing);
    }
    *p = (struct dump_part){chip, cores, n, blocks->v, blocks->n};
}

static bool write_rounds(struct dump_writer *w, uint32_t chip, size_t end, struct err *e)
{
    bool ok = true;
    block_list blocks = {0};
    struct arena a = {0};
    for (size_t nth = 0; ok; nth++) {
        struct dump_part p;
        choose_round(w, chip, end, nth, &blocks);
        if (!blocks.n)
            break;
        make_controls(w, chip, &blocks, &a, &p);
        ok = write_part(w, &p, e);
    }
    arena_free(&a);
    vec_free(&blocks);
    return ok;
}

static bool write_names(const struct dump_writer *w, struct err *e)
{
    struct buf path = {0};
    buf_printf(&path, "%s/zone_ids.csv", w->root);
    buf_char(&path, '\0');
    bool ok = names_write_ids(&w->c->names, path.p, e);
    buf_free(&path);
    return ok;
}

bool dump_write(struct dump_writer *w, uint32_t chip, const struct dump_core *cores,
                size_t n_cores, size_t first_block, struct err *e)
{
    block_list blocks = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < w->c->chips.n; i++)
        ok = write_rounds(w, i, first_block, e);
    for (size_t i = first_block; i < w->c->blocks.n; i++)
        if (w->c->blocks.v[i].chip == chip)
            vec_push(&blocks, &w->c->blocks.v[i]);
    struct dump_part p = {chip, cores, n_cores, blocks.v, blocks.n};
    ok = ok && write_part(w, &p, e) && write_names(w, e);
    w->n_written = w->c->n_readouts + 1;
    vec_free(&blocks);
    return ok;
}
