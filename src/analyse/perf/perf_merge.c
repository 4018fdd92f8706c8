// perf_merge.c - merges ops that ran on all devices into one row.
#include <stdlib.h>

#include "analyse/diags.h"
#include "analyse/perf/perf.h"

// The device ops of one device in current order, and how many are consumed.
struct queue {
    int32_t device;
    struct pick *v;
    size_t n, head;
};

struct merge {
    struct perf *p;
    struct queue *queues; // by device id, ascending
    size_t n_queues;
    struct pick *out; // merged rows, and those that are not device ops
    size_t n_out;
    struct pick **block; // the matching heads at one index
    size_t n_block;
    size_t n_notes; // about ops missing on a device
};

static int by_device(const void *a, const void *b)
{
    const struct queue *x = a, *y = b;
    return (x->device > y->device) - (x->device < y->device);
}

// Rows are distinct, so each pick has its own slot among those of the table.
static struct pick *in_order_of_rows(const struct perf *p, struct pick *v, size_t n)
{
    uint32_t *place = mem_alloc(mem_bytes(sizeof *place, p->table.n_rows));
    for (size_t i = 0; i < n; i++)
        place[v[i].row] = (uint32_t)i + 1;
    struct pick *sorted = mem_alloc(mem_bytes(sizeof *sorted, n));
    size_t kept = 0;
    for (size_t row = 0; row < p->table.n_rows; row++)
        if (place[row])
            sorted[kept++] = v[place[row] - 1];
    mem_free(place);
    mem_free(v);
    return sorted;
}

static uint32_t op_code(const struct merge *m, const struct pick *k)
{
    return ops_text_id(&m->p->table, OPS_OP_CODE, k->row);
}

static bool is_device_op(const struct merge *m, const struct pick *k)
{
    struct perf *p = m->p;
    if (ops_text_id(&p->table, OPS_OP_TYPE, k->row) != p->device_op)
        return false;
    if (p->table.device[k->row] != OPS_NO_DEVICE)
        return true;
    if (diag_count(&p->diag, DIAG_OP_WITHOUT_DEVICE))
        diag_note(&p->diag, DIAG_OP_WITHOUT_DEVICE, "%.*s",
                  STR(ops_place(&p->table, OPS_DEVICE_ID, k->row)));
    return false;
}

// The distinct devices of the picks, of any type.
static int32_t *distinct_devices(struct perf *p, const struct picks *picks, size_t *n)
{
    int32_t most = -1;
    for (size_t i = 0; i < picks->n; i++)
        if (p->table.device[picks->v[i].row] > most)
            most = p->table.device[picks->v[i].row];
    bool *seen = mem_alloc((size_t)most + 2);
    for (size_t i = 0; i < picks->n; i++)
        seen[p->table.device[picks->v[i].row] + 1] = true;
    int32_t *ids = mem_alloc(sizeof *ids * ((size_t)most + 2));
    *n = 0;
    for (int32_t d = 0; d <= most; d++)
        if (seen[d + 1])
            ids[(*n)++] = d;
    mem_free(seen);
    return ids;
}

static struct queue *queue_of(struct merge *m, int32_t device)
{
    struct queue key = {.device = device};
    return bsearch(&key, m->queues, m->n_queues, sizeof key, by_device);
}

// Distributes the picks to the queues; other rows go straight to the result.
static void distribute_picks(struct merge *m, struct picks *picks)
{
    bool *is_op = mem_alloc(picks->n + 1);
    for (size_t i = 0; i < picks->n; i++) {
        is_op[i] = is_device_op(m, &picks->v[i]);
        if (is_op[i])
            queue_of(m, m->p->table.device[picks->v[i].row])->n++;
    }
    for (size_t q = 0; q < m->n_queues; q++) {
        m->queues[q].v = mem_alloc(mem_bytes(sizeof *m->queues[q].v, m->queues[q].n));
        m->queues[q].n = 0;
    }
    for (size_t i = 0; i < picks->n; i++) {
        if (!is_op[i]) {
            m->out[m->n_out++] = picks->v[i];
            continue;
        }
        struct queue *q = queue_of(m, m->p->table.device[picks->v[i].row]);
        q->v[q->n++] = picks->v[i];
    }
    mem_free(is_op);
    // A device without device ops takes no part.
    size_t kept = 0;
    for (size_t q = 0; q < m->n_queues; q++) {
        if (m->queues[q].n)
            m->queues[kept++] = m->queues[q];
        else
            mem_free(m->queues[q].v);
    }
    m->n_queues = kept;
}

// tt-perf-report prints every one; beyond this many nobody reads them.
enum { MERGE_NOTES_MOST = 10000 };

static bool may_say(struct merge *m)
{
    return m->n_notes++ < MERGE_NOTES_MOST;
}

static void say_missing(struct merge *m, uint32_t code, size_t index,
                        const struct buf *devices, size_t n)
{
    str name = m->p->table.strings.keys.v[code];
    if (may_say(m))
        note(
            &m->p->notes, NOTE_WARNING,
            "Warning: %.*s at index %zu not present in CSV for %zu devices [%.*s] - do not trust data for this op or directly subsequent ops with the same name",
            STR(name), index, n, STR(*devices));
    if (diag_count(&m->p->diag, DIAG_OP_MISSING_ON_DEVICE))
        diag_note(&m->p->diag, DIAG_OP_MISSING_ON_DEVICE, "%s: %.*s at index %zu",
                  m->p->table.files[0].path, STR(name), index);
}

// Takes the heads with the name of the first one; reports the devices that have another.
static uint32_t take_block(struct merge *m, size_t index)
{
    uint32_t name = MAP_NONE;
    struct buf missing = {0};
    size_t n_missing = 0;
    m->n_block = 0;
    for (size_t i = 0; i < m->n_queues; i++) {
        struct queue *q = &m->queues[i];
        if (q->head == q->n) {
            str shown = name == MAP_NONE ? S("None") : m->p->table.strings.keys.v[name];
            if (may_say(m))
                note(&m->p->notes, NOTE_WARNING,
                     "Warning: Device %d is missing operation %.*s at index %zu", q->device,
                     STR(shown), index);
            if (diag_count(&m->p->diag, DIAG_OP_MISSING_ON_DEVICE))
                diag_note(&m->p->diag, DIAG_OP_MISSING_ON_DEVICE,
                          "%s: device %d at index %zu", m->p->table.files[0].path,
                          q->device, index);
            continue;
        }
        uint32_t code = op_code(m, &q->v[q->head]);
        if (name == MAP_NONE)
            name = code;
        if (code == name) {
            m->block[m->n_block++] = &q->v[q->head++];
        } else {
            buf_printf(&missing, "%s%d", n_missing ? ", " : "", q->device);
            n_missing++;
        }
    }
    if (n_missing)
        say_missing(m, name, index, &missing, n_missing);
    buf_free(&missing);
    return name;
}

// Devices wait for each other in a collective op: the mean is more useful than the maximum.
static struct pick mean_of_block(const struct merge *m)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < m->n_block; i++) {
        if (m->block[i]->has_duration) {
            sum += m->block[i]->duration;
            n++;
        }
    }
    struct pick k = *m->block[0];
    k.has_duration = n > 0;
    k.duration = n ? sum / (double)n : 0;
    return k;
}

static struct pick longest_of_block(const struct merge *m)
{
    size_t best = 0;
    for (size_t i = 1; i < m->n_block && m->block[0]->has_duration; i++)
        if (m->block[i]->has_duration && m->block[i]->duration > m->block[best]->duration)
            best = i;
    return *m->block[best];
}

static bool has_heads(const struct merge *m)
{
    for (size_t i = 0; i < m->n_queues; i++)
        if (m->queues[i].head < m->queues[i].n)
            return true;
    return false;
}

static void merge_queues(struct merge *m)
{
    for (size_t index = 0; has_heads(m); index++) {
        bool is_collective = fact_code(&m->p->facts, take_block(m, index))->is_collective;
        m->out[m->n_out++] = is_collective ? mean_of_block(m) : longest_of_block(m);
    }
}

void perf_merge(struct perf *p, struct picks *picks)
{
    size_t n;
    int32_t *ids = distinct_devices(p, picks, &n);
    if (n == 0 || (p->opt.no_merge_devices && n > 1)) {
        if (n)
            note(&p->notes, NOTE_INFO,
                 "Detected data from %zu devices. Keeping separate device data...", n);
        else
            note(&p->notes, NOTE_WARNING, "No device operations found in the CSV data.");
        mem_free(ids);
        return;
    }
    note(&p->notes, NOTE_INFO, "Detected data from %zu devices. Merging device data...", n);
    struct merge m = {.p = p, .n_queues = n};
    m.queues = mem_alloc(mem_bytes(sizeof *m.queues, n));
    m.block = mem_alloc(mem_bytes(sizeof *m.block, n));
    m.out = mem_alloc(mem_bytes(sizeof *m.out, picks->n));
    for (size_t i = 0; i < n; i++)
        m.queues[i].device = ids[i];
    distribute_picks(&m, picks);
    if (m.n_queues)
        merge_queues(&m);
    else
        m.n_out = 0; // like tt-perf-report: without a device op nothing is shown
    if (m.n_notes > MERGE_NOTES_MOST)
        note(&p->notes, NOTE_WARNING, "Warning: %zu more such warnings are not shown",
             m.n_notes - MERGE_NOTES_MOST);
    m.out = in_order_of_rows(p, m.out, m.n_out);
    for (size_t i = 0; i < m.n_queues; i++)
        mem_free(m.queues[i].v);
    mem_free(m.queues);
    mem_free(m.block);
    mem_free(ids);
    mem_free(picks->v);
    *picks = (struct picks){m.out, m.n_out};
}
