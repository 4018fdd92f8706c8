// fuzz_words.c - any bytes as marker words. The first bytes say how they are laid out, in
// which mode they were recorded and in how many read-outs; the others are words.
#include "base/data/threads.h"

#include "../support/device_run.h"
#include "../support/memory_file.h"
#include "../support/words.h"
#include "formats/device_log/device_log_write.h"
#include "formats/diags.h"
#include "fuzz.h"

enum { HEAD = 4, PLACES = 3 };

static void holds(const char *broken)
{
    if (broken)
        (void)fprintf(stderr, "not so: %s\n", broken);
    must(!broken);
}

static void add_names(struct collection *c)
{
    static const char *const given[] = {"BRISC-FW",
                                        "BRISC-KERNEL",
                                        "A",
                                        "NCRISC-FW",
                                        "CQ-DISPATCH",
                                        "process_cmd_d_dispatch",
                                        "runtime_host_id_dispatch",
                                        "packed_data_dispatch",
                                        "packed_large_data_dispatch",
                                        "PROFILER-DRAM-PUSH"};
    for (uint32_t i = 0; i < sizeof given / sizeof *given; i++)
        words_name(c, 100 + i, given[i]);
    // These two share the id 16768.
    names_add_hashed(&c->names, S("LOAD,kernels/reader.cpp,14,KERNEL_PROFILER"));
    names_add_hashed(&c->names, S("BRISC-FW,x.cc,123745,KERNEL_PROFILER"));
}

static void set_mode(struct collection *c, const uint8_t *head)
{
    struct chip_record *chip = &c->chips.v[0];
    c->layout = (enum words_layout)(head[0] % 3);
    c->options.trace_only = head[0] & 4;
    c->options.accumulate = head[0] & 8;
    c->options.dispatch = head[0] & 16;
    c->options.flush_zones = head[0] & 32;
    chip->arch_name = head[0] & 64 ? "quasar" : "wormhole_b0";
    chip->clock_at_open = head[3] & 1 ? (UINT64_C(1) << 44) + 5 : 0;
    for (int i = 0; i < head[2] >> 4; i++)
        vec_push(&chip->replayed, i % 2);
    vec_push(&chip->traces, (struct trace_record){.id = 1});
    vec_push(&chip->traces.v[0].programs, 1);
    collection_add_program(c, chip, 2, S("op"), 1, head[3] & 2 ? 5 : -1);
}

// The part of the words that belongs to one read-out and one RISC.
static void add_block(struct collection *c, const uint8_t *head, str bytes, unsigned place)
{
    static const struct {
        uint32_t core;
        uint8_t risc;
    } places[PLACES] = {{0, 0}, {0, 1}, {3, 0}};
    struct words w = {0};
    for (size_t i = 0; i + 4 <= bytes.n; i += 4) {
        uint32_t word;
        memcpy(&word, bytes.p + i, 4);
        words_put(&w, word);
    }
    struct word_block *b = words_add(c, places[place].core, places[place].risc, &w);
    b->source = (uint8_t)(head[1] >> 2 * place) % 3;
    b->clock = head[3] & 4 ? UINT64_C(0xFFFFFFFFFF) << (head[3] >> 3) : 0;
    b->n_missing = head[3] & 8 ? 3 : 0;
    words_free(&w);
}

static str part_of(str bytes, unsigned i, unsigned n)
{
    struct range r = lane_range((struct lane){i, n}, bytes.n / 8);
    return (str){bytes.p + r.from * 8, (r.to - r.from) * 8};
}

// All read-outs, one decoding each; *t is the last one's trace.
static void decode(const uint8_t *head, str bytes, struct trace *t, uint64_t *rows)
{
    // Too large to be made anew for each input: it would take longer than all the rest.
    static struct collection all;
    struct collection *c = memset(&all, 0, sizeof all);
    words_collection(c);
    add_names(c);
    set_mode(c, head);
    struct decoder *d = decoder_new(c);
    unsigned n = head[2] % 4 + 1;
    for (unsigned i = 0; i < n; i++) {
        trace_free(t);
        for (unsigned place = 0; place < PLACES; place++)
            add_block(c, head, part_of(bytes, i * PLACES + place, n * PLACES), place);
        decoder_run(d, t, i + 1 == n);
        collection_drop_blocks(c);
        *rows = *rows * 31 + t->n_rows;
    }
    decoder_free(d);
    collection_free(c);
}

static void check_log(const struct trace *t)
{
    struct memory_file m = memory_file_make(S(""));
    struct file f;
    struct err e = {0};
    struct trace back = {0};
    must(device_log_write(t, m.path, true, &e) && file_open(m.path, &f, &e));
    must(device_log_read_text(&back, f.text, "back", &e));
    // Rows that are equal in every column, which no RISC can leave, are one to a reader.
    bool is_lossy = t->is_legacy || back.diag.entry[DIAG_DUPLICATE_ROW].count;
    holds(is_lossy ? NULL : differs_in_tables(t, &back));
    for (size_t k = 0; k < t->tracks.n && !is_lossy; k++)
        holds(differs_in_track(t, &back, k));
    trace_free(&back);
    file_close(&f);
    memory_file_free(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    str bytes = {(const char *)data + HEAD, size - HEAD};
    struct trace one = {0}, two = {0};
    uint64_t rows[2] = {0};
    (void)setenv("TTPROF_THREADS", "1", 1);
    decode(data, bytes, &one, &rows[0]);
    if ((data[2] & 12) == 0) { // starting threads is most of the time
        (void)setenv("TTPROF_THREADS", "2", 1);
        decode(data, bytes, &two, &rows[1]);
        must(rows[0] == rows[1]);
        holds(trace_differs(&one, &two));
    }
    holds(law_of_markers(&one));
    check_log(&one);
    pair_zones(&one);
    holds(law_of_pairing(&one));
    trace_free(&one);
    trace_free(&two);
    return 0;
}
