// test_dump.c - dumps: what was read comes back from files, and damage costs only its core
// or bank.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/folder.h"

#include "collect/readout/dump.h"
#include "sample_access.h"
#include "test.h"

struct bench {
    char folder[64];
    struct fake *f;
    struct collection c;
    struct readout *r;
};

static void bench_new(struct bench *b, int n_chips, int overflow)
{
    struct err e = {0};
    (void)snprintf(b->folder, sizeof b->folder, "/tmp/ttprof-dump-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    b->f = fake_new(n_chips, 10, 1);
    memset(&b->c, 0, sizeof b->c);
    profiler_options_default(&b->c.options);
    b->c.options.is_enabled = true;
    b->c.options.overflow = overflow;
    b->f->region_bytes = overflow == OVERFLOW_STALL ? 24000 : 48000;
    (void)snprintf(b->c.options.dump_raw, sizeof b->c.options.dump_raw, "%s", b->folder);
    b->r = readout_open(&b->f->access, &b->c, &e);
    if (!b->r)
        fail_msg("%s", e.text);
}

static void bench_read(struct bench *b)
{
    struct err e = {0};
    if (!readout_all(b->r, READ_NORMAL, &e))
        fail_msg("%s", e.text);
    if (readout_warnings(b->r)->n)
        fail_msg("%.*s", STR(buf_view(readout_warnings(b->r))));
}

static void bench_free(struct bench *b)
{
    char command[96];
    readout_close(b->r);
    collection_free(&b->c);
    fake_free(b->f);
    (void)snprintf(command, sizeof command, "rm -r '%s'", b->folder);
    assert_int_equal(system(command), 0);
}

struct back {
    struct collection c;
    struct buf warnings;
    struct err e;
};

static bool back_read(struct back *k, const struct bench *b)
{
    memset(k, 0, sizeof *k);
    profiler_options_default(&k->c.options);
    return dump_read(&k->c, b->folder, &k->warnings, &k->e);
}

static void back_free(struct back *k)
{
    collection_free(&k->c);
    buf_free(&k->warnings);
}

static const char *path_in(const struct bench *b, const char *name)
{
    static char path[160];
    (void)snprintf(path, sizeof path, "%s/%s", b->folder, name);
    return path;
}

static void write_file(const struct bench *b, const char *name, const void *data, size_t n)
{
    FILE *f = fopen(path_in(b, name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static size_t find(const struct collection *c, const struct word_block *want,
                   bool is_used[])
{
    for (size_t i = 0; i < c->blocks.n; i++) {
        const struct word_block *b = &c->blocks.v[i];
        if (!is_used[i] && b->chip == want->chip && b->risc == want->risc &&
            b->source == want->source && b->n == want->n &&
            b->n_missing == want->n_missing &&
            c->chips.v[b->chip].cores[b->core].flat == (int)want->core &&
            memcmp(b->words, want->words, 4 * b->n) == 0)
            return i;
    }
    return SIZE_MAX;
}

// All blocks come back, those of one RISC in their order. Cores of the fake are numbered by
// their flat ids.
static void same_blocks(const struct collection *got, const struct collection *want)
{
    assert_int_equal(got->blocks.n, want->blocks.n);
    bool *is_used = mem_alloc(got->blocks.n + 1);
    for (size_t i = 0; i < want->blocks.n; i++) {
        size_t at = find(got, &want->blocks.v[i], is_used);
        assert_true(at != SIZE_MAX);
        is_used[at] = true;
    }
    mem_free(is_used);
}

// --- there and back --------------------------------------------------------------------

TEST(a_dump_brings_back_what_was_read)
{
    struct bench b;
    struct back k;
    bench_new(&b, 2, OVERFLOW_DROP);
    b.f->zones[0] = (struct tt_zone){17, 3, "LOAD, \"twice\"", "a/reader.c"};
    b.f->n_zones = 1;
    fake_trace(b.f, 0, TT_EVENT_TRACE_BEGIN, 5);
    fake_launch(b.f, 0, 7, 5, false);
    fake_trace(b.f, 0, TT_EVENT_TRACE_END, 5);
    for (int chip = 0; chip < 2; chip++)
        for (size_t i = 0; i < 9; i++)
            for (int risc = 0; risc < TT_RISCS; risc++)
                fake_run(b.f, chip, i, risc, 7, 1000 * i);
    fake_control(b.f, 1, 3)[TT_CONTROL_L1_DROPPED + 2] = 6;
    bench_read(&b);
    fake_trace(b.f, 0, TT_EVENT_TRACE_REPLAY, 5);
    fake_launch(b.f, 0, 7, 5, true);
    fake_launch(b.f, 0, 8, -1, false);
    fake_run(b.f, 0, 10, 0, 8, 77000); // Ethernet
    fake_control(b.f, 0, 10)[TT_CONTROL_DRAM_DROPPED] = 2;
    fake_control(b.f, 0, 10)[TT_CONTROL_FIRST_DROP_L] = 99;
    bench_read(&b);
    assert_true(back_read(&k, &b));
    STR_IS(buf_view(&k.warnings), "");
    same_blocks(&k.c, &b.c);
    assert_int_equal(k.c.n_readouts, 2);
    assert_int_equal(k.c.layout, WORDS_V2);
    assert_int_equal(k.c.chips.n, 2);
    const struct chip_record *chip = &k.c.chips.v[0];
    STR_IS(str_of(chip->arch_name), "wormhole_b0");
    assert_int_equal(chip->mhz, 1000);
    assert_int_equal(chip->max_compute_cores, 80);
    assert_int_equal(chip->noc_y, 12);
    assert_int_equal(chip->n_cores, 11);
    assert_true(chip->clock_at_open == b.c.chips.v[0].clock_at_open);
    assert_int_equal(chip->cores[10].kind, TT_CORE_ETH);
    assert_int_equal(chip->cores[10].n_riscs, 1);
    assert_int_equal(chip->cores[9].vx, 19);
    assert_int_equal(chip->replayed.n, 1);
    assert_int_equal(chip->traces.v[0].programs.v[0], 7);
    assert_non_null(collection_program(chip, 8));
    STR_IS(k.c.strings.keys.v[collection_program(chip, 8)->name], "program");
    assert_int_equal(chip->riscs[10][0].dram_dropped, 2);
    assert_int_equal(chip->riscs[10][0].first_drop, 99);
    assert_int_equal(k.c.chips.v[1].riscs[3][2].l1_dropped, 6);
    assert_int_equal(chip->core_health[0].flushes, 1);
    assert_true(chip->core_health[0].is_counted);
    STR_IS(names_find(&k.c.names, 17)->name, "LOAD, \"twice\"");
    assert_int_equal(fake_findings(&k.c), fake_findings(&b.c));
    // The clock of a block is that of its read-out.
    assert_true(k.c.blocks.v[0].clock == b.c.blocks.v[0].clock);
    back_free(&k);
    bench_free(&b);
}

TEST(options_and_partial_cores_are_in_the_dump)
{
    struct bench b;
    struct back k;
    bench_new(&b, 1, OVERFLOW_DROP);
    b.c.options.sum = true;
    fake_run(b.f, 0, 2, 0, 1, 100);
    memset(fake_control(b.f, 0, 2) + TT_CONTROL_DEVICE_END, 0, 20);
    b.f->chips[0].wait_rc = -EFAULT;
    b.f->chips[0].is_busy[2] = true;
    struct err e = {0};
    assert_true(readout_all(b.r, READ_NORMAL, &e));
    fake_run(b.f, 0, 2, 0, 2, 200); // it went on a little
    assert_true(readout_all(b.r, READ_NORMAL, &e));
    assert_true(back_read(&k, &b));
    same_blocks(&k.c, &b.c);
    assert_true(k.c.options.sum);
    assert_false(k.c.options.trace_only);
    assert_true(k.c.chips.v[0].core_health[2].is_partial);
    assert_false(k.c.chips.v[0].core_health[1].is_partial);
    assert_int_equal(k.c.chips.v[0].core_health[2].flushes, 2);
    back_free(&k);
    bench_free(&b);
}

TEST(words_taken_from_waiting_riscs_are_dumped_too)
{
    struct bench b;
    struct back k;
    bench_new(&b, 2, OVERFLOW_STALL);
    for (uint32_t round = 0; round < 3; round++) {
        uint32_t *control = fake_control(b.f, 1, 4);
        fake_chunk(fake_l1(b.f, 1, 4, 2), 4, 2, round, 100);
        control[TT_CONTROL_DEVICE_END + 2] = 16;
        control[TT_CONTROL_DRAM_ADDRESS_OF(2)] = TT_STALLED_L1;
        fake_chunk(fake_region(b.f, 1, 9, 0, (int)round % 2), 9, 0, round, 100);
        control = fake_control(b.f, 1, 9);
        control[TT_CONTROL_HOST_END] = 6000;
        control[TT_CONTROL_DRAM_ADDRESS_OF(0)] = TT_STALLED_DRAM;
        assert_int_equal(b.f->quiet(b.f->quiet_context, 1), 1);
        control[TT_CONTROL_HOST_END] = 0;
    }
    fake_run(b.f, 1, 4, 2, 9, 900);
    bench_read(&b);
    assert_int_equal(b.c.blocks.n, 7);
    assert_true(back_read(&k, &b));
    STR_IS(buf_view(&k.warnings), "");
    same_blocks(&k.c, &b.c);
    uint32_t next = 0; // in their order
    for (size_t i = 0; i < k.c.blocks.n; i++)
        if (k.c.blocks.v[i].risc == 0 && k.c.blocks.v[i].source == BLOCK_DRAM)
            assert_int_equal(k.c.blocks.v[i].words[TT_CHUNK_ID_LL], next++);
    assert_int_equal(next, 3);
    for (uint32_t i = 0; i < k.c.chips.n; i++)
        if (k.c.chips.v[i].id == 1) {
            const struct chip_record *chip = &k.c.chips.v[i];
            size_t at = 0;
            while (chip->cores[at].flat != 4)
                at++;
            assert_int_equal(chip->riscs[at][2].stalls, 3);
        }
    back_free(&k);
    bench_free(&b);
}

TEST(a_new_dump_takes_the_place_of_an_old_one)
{
    struct bench b;
    struct back k;
    struct err e = {0};
    bench_new(&b, 1, OVERFLOW_DROP);
    for (uint32_t i = 0; i < 3; i++) {
        fake_run(b.f, 0, 0, 0, i, 100);
        bench_read(&b);
    }
    assert_int_equal(access(path_in(&b, "readout_3/dump.json"), F_OK), 0);
    readout_close(b.r);
    struct profiler_options o = b.c.options;
    collection_free(&b.c);
    memset(&b.c, 0, sizeof b.c);
    b.c.options = o;
    b.r = readout_open(&b.f->access, &b.c, &e);
    fake_run(b.f, 0, 1, 0, 9, 100);
    bench_read(&b);
    assert_true(back_read(&k, &b));
    same_blocks(&k.c, &b.c);
    back_free(&k);
    bench_free(&b);
}

TEST(unused_parts_of_a_bank_take_no_room)
{
    struct bench b;
    struct stat st;
    bench_new(&b, 1, OVERFLOW_DROP);
    fake_run(b.f, 0, 7, 4, 1, 100); // the last region of bank 0
    bench_read(&b);
    assert_int_equal(stat(path_in(&b, "dram_0_0.bin"), &st), 0);
    assert_int_equal(st.st_size, 39 * 48000 + 48);
    assert_true(st.st_blocks <= 64 || st.st_blocks >= st.st_size / 512); // no holes there
    assert_int_not_equal(access(path_in(&b, "dram_0_1.bin"), F_OK), 0);
    bench_free(&b);
}

// --- damage ----------------------------------------------------------------------------

static void bench_small(struct bench *b)
{
    bench_new(b, 1, OVERFLOW_DROP);
    for (size_t i = 0; i < 10; i++)
        fake_run(b->f, 0, i, 0, 1, 100);
    bench_read(b);
}

TEST(a_missing_or_damaged_file_costs_only_its_core_or_bank)
{
    static const struct {
        const char *file;
        long keep;             // bytes, -1: none at all
        size_t n_whole, words; // whole blocks, words that are missing
        size_t n_damaged;      // cores
    } cases[] = {
        {"ctrl_0_3.bin", -1, 9, 0, 1},       {"ctrl_0_3.bin", 100, 10, 0, 1},
        {"ctrl_0_3.bin", 0, 9, 0, 1},        {"dram_0_0.bin", -1, 2, 96, 0},
        {"dram_0_1.bin", -1, 8, 24, 0},      {"dram_0_0.bin", 240000 + 20, 3, 79, 0},
        {"dram_0_0.bin", 1680000, 9, 12, 0}, {"zone_ids.csv", -1, 10, 0, 0},
        {"l1_0_1.bin", -1, 10, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b;
        struct back k;
        bench_small(&b);
        if (cases[i].keep < 0)
            (void)unlink(path_in(&b, cases[i].file));
        else
            assert_int_equal(truncate(path_in(&b, cases[i].file), cases[i].keep), 0);
        assert_true(back_read(&k, &b));
        size_t n_whole = 0, n_missing = 0, n_damaged = 0;
        for (size_t j = 0; j < k.c.blocks.n; j++) {
            n_whole += k.c.blocks.v[j].n == 12;
            n_missing += k.c.blocks.v[j].n_missing;
        }
        for (size_t j = 0; j < 10; j++)
            n_damaged += k.c.chips.v[0].core_health[j].is_damaged;
        assert_int_equal(n_whole, cases[i].n_whole);
        assert_int_equal(n_missing, cases[i].words);
        assert_int_equal(n_damaged, cases[i].n_damaged);
        bool is_told = k.warnings.n > 0;
        bool is_optional = strncmp(cases[i].file, "l1", 2) == 0 ||
                           (cases[i].keep > 0 && cases[i].file[0] == 'd');
        assert_int_equal(is_told, !is_optional);
        back_free(&k);
        bench_free(&b);
    }
}

TEST(without_its_bank_a_core_has_its_last_program_in_l1)
{
    struct bench b;
    struct back k;
    bench_small(&b);
    write_file(&b, "l1_0_9.bin", fake_l1(b.f, 0, 9, 0), 2048);
    (void)unlink(path_in(&b, "dram_0_1.bin"));
    assert_true(back_read(&k, &b));
    const struct word_block *last = &k.c.blocks.v[9];
    assert_int_equal(last->source, BLOCK_L1);
    assert_int_equal(last->n, 12);
    assert_int_equal(k.c.blocks.v[8].n_missing, 12);
    back_free(&k);
    bench_free(&b);
}

TEST(a_dump_without_a_document_is_an_error_that_says_so)
{
    static const struct {
        const char *text, *why;
        int code;
    } cases[] = {
        {"", "end of file", ERR_FORMAT},
        {"[]", "not an object", ERR_FORMAT},
        {"{\"layout\": \"v2\"", "line 1", ERR_FORMAT},
        {"{\"layout\": \"v9\", \"chips\": []}", "unknown 'layout' 'v9'", ERR_FORMAT},
        {"{\"layout\": \"v2\", \"chips\": []}", "no valid 'chips'", ERR_FORMAT},
        {"{\"layout\": \"v2\", \"chips\": [{\"id\": -1}]}", "no valid", ERR_FORMAT},
    };
    struct bench b;
    struct back k;
    bench_small(&b);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(&b, "dump.json", cases[i].text, strlen(cases[i].text));
        assert_false(back_read(&k, &b));
        assert_int_equal(k.e.code, cases[i].code);
        if (!strstr(k.e.text, cases[i].why))
            fail_msg("'%s' does not say '%s'", k.e.text, cases[i].why);
        back_free(&k);
    }
    (void)unlink(path_in(&b, "dump.json"));
    assert_false(back_read(&k, &b));
    assert_int_equal(k.e.code, ERR_IO);
    back_free(&k);
    bench_free(&b);
}

TEST(a_later_read_out_that_cannot_be_read_leaves_the_others)
{
    struct bench b;
    struct back k;
    bench_small(&b);
    fake_run(b.f, 0, 0, 0, 2, 200);
    bench_read(&b);
    fake_run(b.f, 0, 0, 0, 3, 300);
    bench_read(&b);
    write_file(&b, "readout_2/dump.json", "{", 1);
    assert_true(back_read(&k, &b));
    assert_int_equal(k.c.blocks.n, 11);
    assert_int_equal(k.c.blocks.v[10].words[TT_CHUNK_ID_LL], 3);
    assert_true(str_has(buf_view(&k.warnings), S("this read-out is skipped")));
    back_free(&k);
    bench_free(&b);
}

// --- older layouts ---------------------------------------------------------------------

static const char older[] =
    "{\"layout\": \"%s\", \"arch\": \"%s\", \"chips\": [{\"id\": 0, \"freq_mhz\": 1200,"
    " \"region_bytes\": 4800, \"cores_per_bank\": 2,"
    " \"cores\": [{\"x\": 1, \"y\": 2, \"flat\": 3, \"type\": \"worker\"}]}]}";

static void write_older(const struct bench *b, const char *layout, const char *arch)
{
    char text[400];
    int n = snprintf(text, sizeof text, older, layout, arch);
    write_file(b, "dump.json", text, (size_t)n);
}

TEST(the_older_control_vector_has_its_words_elsewhere)
{
    struct bench b;
    struct back k;
    bench_small(&b);
    write_older(&b, "v1", "wormhole_b0");
    uint32_t control[32] = {[1] = 12, [6] = 12, [16] = 3, [18] = 1 << 1};
    uint32_t dram[1200 + 1200 * 5 + 1200 + 12] = {0};
    dram[7200] = 0x11223344; // of core 3: place 1 in its bank, RISC 1
    write_file(&b, "ctrl_0_3.bin", control, sizeof control);
    write_file(&b, "dram_0_1.bin", dram, sizeof dram);
    assert_true(back_read(&k, &b));
    assert_int_equal(k.c.layout, WORDS_V1);
    assert_int_equal(k.c.blocks.n, 1);
    assert_int_equal(k.c.blocks.v[0].risc, 1);
    assert_int_equal(k.c.blocks.v[0].n, 12);
    assert_int_equal(k.c.blocks.v[0].words[0], 0x11223344);
    const struct core_health *h = &k.c.chips.v[0].core_health[0];
    assert_false(h->is_counted); // losses beyond the bits are not known
    assert_false(h->is_damaged);
    assert_true(k.c.chips.v[0].riscs[0][1].is_lossy);
    assert_true(str_has(buf_view(&k.warnings), S("core 1, 2, Risc NCRISC,  bufferEnd")));
    back_free(&k);
    bench_free(&b);
}

// Its words would be taken for those of the first layout.
TEST(a_later_read_out_of_another_layout_is_left_out)
{
    char text[400];
    struct bench b;
    struct back k;
    bench_small(&b);
    for (uint32_t program = 2; program <= 3; program++) {
        fake_run(b.f, 0, 0, 0, program, 100 * program);
        bench_read(&b);
    }
    int n = snprintf(text, sizeof text, older, "v1", "wormhole_b0");
    write_file(&b, "readout_2/dump.json", text, (size_t)n);
    assert_true(back_read(&k, &b));
    assert_int_equal(k.c.layout, WORDS_V2);
    assert_int_equal(k.c.blocks.n, 11);
    assert_int_equal(k.c.blocks.v[10].words[TT_CHUNK_ID_LL], 3);
    assert_int_equal(k.c.chips.v[0].mhz, 1000); // nothing of it came along
    assert_true(str_has(buf_view(&k.warnings),
                        S("readout_2/dump.json: its 'layout' differs from the first "
                          "read-out; this read-out is skipped")));
    back_free(&k);
    bench_free(&b);
}

TEST(the_oldest_buffers_have_204_bytes)
{
    struct bench b;
    struct back k;
    bench_small(&b);
    write_older(&b, "v0", "grayskull");
    uint32_t l1[2 * 51] = {[51] = 5};
    write_file(&b, "l1_0_3.bin", l1, sizeof l1);
    assert_true(back_read(&k, &b));
    assert_int_equal(k.c.layout, WORDS_V0);
    assert_int_equal(k.c.blocks.n, 5);
    assert_int_equal(k.c.blocks.v[1].n, 51);
    assert_int_equal(k.c.blocks.v[1].words[0], 5);
    assert_int_equal(k.c.blocks.v[2].n, 0);
    assert_int_equal(k.c.blocks.v[2].n_missing, 51);
    back_free(&k);
    bench_free(&b);
}
