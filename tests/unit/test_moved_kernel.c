// Kernels whose text comes to a core as NoC writes, at addresses that nobody linked them
// for: what a core executes is what lies in its L1.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample_chip.h"
#include "sample_device.h"
#include "sim/program/program.h"
#include "sim/rv32/rv32.h"
#include "sim/tile/code.h"
#include "sim/tile/tile.h"
#include "test.h"

enum { ARGS_AT = 0x40, TEXT_AT = 0x100, ODD_TEXT_AT = 0x1230, STORE_TO = 0x50000 };

struct device {
    ttdev *t;
    struct chip *chip;
    const struct tt_layout *layout;
};

static struct device moved_open(const char *config)
{
    struct device d = {.t = device_open(config)};
    if (!d.t || !d.t->chips)
        abort(); // for static analysis
    d.chip = &d.t->chips[0];
    d.layout = d.chip->layout;
    return d;
}

static uint32_t word_at(const struct tile *tile, uint32_t address)
{
    uint32_t word;
    memcpy(&word, tile->l1 + address, sizeof word);
    return word;
}

// As packets of a multicast come: in pieces.
static void put_text(struct device *d, int tile, const uint8_t *memory, uint32_t base,
                     uint32_t bytes)
{
    tile_stand(&d->chip->tiles[tile], d->chip->now);
    for (uint32_t at = 0; at < bytes; at += 512)
        tile_write(&d->chip->tiles[tile], base + at, memory + at,
                   bytes - at < 512 ? bytes - at : 512);
    tile_refresh(&d->chip->tiles[tile]);
}

static void set_word(uint8_t *message, size_t offset, uint32_t value)
{
    memcpy(message + offset, &value, sizeof value);
}

// A launch message for kernels in the ring, and GO. bytes[r] is 0 where there is none.
static void start(struct device *d, int tile, const uint32_t entry[TT_RISCS],
                  const uint32_t bytes[TT_RISCS], uint32_t args[2])
{
    uint8_t message[TT_LAUNCH_BYTES] = {0};
    uint32_t enables = 0, ring = d->layout->kernel_config;
    struct tile *to = &d->chip->tiles[tile];
    for (unsigned r = 0; r < TT_RISCS; r++) {
        message[TT_LAUNCH_RTA + 4 * r] = ARGS_AT;
        set_word(message, TT_LAUNCH_TEXT_OFFSET + 4 * r, entry[r] - ring);
        set_word(message, TT_LAUNCH_TEXT_BYTES + 4 * r, bytes[r]);
        enables |= (uint32_t)(entry[r] != 0) << r;
    }
    set_word(message, TT_LAUNCH_CONFIG_BASE, ring);
    set_word(message, TT_LAUNCH_ENABLES, enables);
    tile_stand(to, d->chip->now);
    tile_write(to, ring + ARGS_AT, args, 8);
    tile_write(to, d->layout->launch_ring, message, sizeof message);
    tile_go(to, TT_GO_GO);
    tile_refresh(to);
}

// Puts one kernel into a core and starts it.
static const struct image_copy *launch(struct device *d, int tile, ttdev_image *image,
                                       uint32_t at, uint32_t args[2])
{
    const struct image_copy *copy = image_move(d->t, image, d->layout->kernel_config + at);
    assert_non_null(copy);
    put_text(d, tile, copy->memory, copy->base, image->bytes);
    uint32_t entry[TT_RISCS] = {0}, bytes[TT_RISCS] = {0};
    entry[image->risc] = copy->entry;
    bytes[image->risc] = image->bytes;
    start(d, tile, entry, bytes, args);
    return copy;
}

static int finish(struct device *d)
{
    return ttdev_wait(d->t, 0, 100000);
}

static const struct code *kernel_of(const struct device *d, int tile, int risc)
{
    return &d->chip->tiles[tile].risc[risc].code[CODE_KERNEL];
}

// --- running ----------------------------------------------------------------------------
TEST(a_kernel_runs_where_its_text_lies)
{
    static const char *const configs[] = {"board=n150 variant=off",
                                          "arch=blackhole board=p150 variant=off"};
    static const uint32_t places[] = {TEXT_AT, ODD_TEXT_AT, 0xE000, TEXT_AT};
    for (size_t c = 0; c < 2; c++) {
        struct device d = moved_open(configs[c]);
        ttdev_image *image = kernel_load(d.t, "kernels/stores", TT_BRISC);
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t to = STORE_TO + 256 * i, args[2] = {to, to + 16};
            const struct image_copy *copy = launch(&d, 0, image, places[i], args);
            (void)launch(&d, 9, image, places[i], args);
            assert_int_equal(finish(&d), 0);
            for (int tile = 0; tile <= 9; tile += 9) {
                assert_int_equal(word_at(&d.chip->tiles[tile], to + 4), 2);
                assert_int_equal(word_at(&d.chip->tiles[tile], to + 16), 1);
                // All cores share what was decoded once.
                assert_ptr_equal(kernel_of(&d, tile, TT_BRISC)->ops, copy->ops);
                assert_null(kernel_of(&d, tile, TT_BRISC)->own);
            }
        }
        ttdev_close(d.t);
    }
}

TEST(moved_kernels_run_on_all_riscs_of_a_core)
{
    struct device d = moved_open("board=n150 variant=off");
    uint32_t entry[TT_RISCS], bytes[TT_RISCS], args[2] = {FAULT_CASE_none, 0};
    const struct image_copy *copy[TT_RISCS];
    uint32_t at = d.layout->kernel_config + TEXT_AT;
    for (int r = 0; r < TT_RISCS; r++) {
        ttdev_image *image = kernel_load(d.t, "kernels/fault", r);
        copy[r] = image_move(d.t, image, at);
        put_text(&d, 5, copy[r]->memory, at, image->bytes);
        entry[r] = copy[r]->entry;
        bytes[r] = image->bytes;
        at += (image->bytes + 15) & ~15u;
    }
    start(&d, 5, entry, bytes, args);
    assert_int_equal(finish(&d), 0);
    for (int r = 0; r < TT_RISCS; r++)
        assert_ptr_equal(kernel_of(&d, 5, r)->ops, copy[r]->ops);
    ttdev_close(d.t);
}

TEST(a_kernel_of_another_risc_is_not_taken)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/fault", TT_NCRISC);
    const struct image_copy *copy =
        image_move(d.t, image, d.layout->kernel_config + TEXT_AT);
    put_text(&d, 0, copy->memory, copy->base, image->bytes);
    uint32_t entry[TT_RISCS] = {copy->entry}, bytes[TT_RISCS] = {0}, args[2] = {0};
    start(&d, 0, entry, bytes, args);
    assert_int_equal(finish(&d), -EFAULT);
    assert_non_null(strstr(ttdev_fault(d.t, 0), "jump to 0x00010100, which has no code"));
    ttdev_close(d.t);
}

// --- text that no image has -------------------------------------------------------------
// The first instruction that loads the number 2 of kernels/stores loads another one.
static void change_text(struct device *d, int tile, uint32_t base, uint32_t number)
{
    const struct tile *of = &d->chip->tiles[tile];
    uint32_t at = base;
    while ((word_at(of, at) & 0xFFFFF07F) != 0x00200013)
        at += 4;
    uint32_t word = (word_at(of, at) & 0xFFFFF) | number << 20;
    put_text(d, tile, (const uint8_t *)&word, at, 4);
}

TEST(changed_text_is_executed_as_it_is)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/stores", TT_BRISC);
    uint32_t args[2] = {STORE_TO, STORE_TO + 16};
    (void)launch(&d, 0, image, TEXT_AT, args);
    assert_int_equal(finish(&d), 0);
    struct tile *tile = &d.chip->tiles[0];
    uint32_t base = d.layout->kernel_config + TEXT_AT;
    change_text(&d, 0, base, 7);
    assert_null(kernel_of(&d, 0, TT_BRISC)->ops); // nothing is inside of it
    uint32_t entry[TT_RISCS] = {base}, bytes[TT_RISCS] = {image->bytes};
    start(&d, 0, entry, bytes, args);
    assert_int_equal(finish(&d), 0);
    assert_int_equal(word_at(tile, STORE_TO + 4), 7);
    const struct code *code = kernel_of(&d, 0, TT_BRISC);
    assert_true(code->own && code->ops == code->own && !code->image);
    assert_int_equal(code->bytes, image->bytes);
    // The right text again: the shared code again.
    const struct image_copy *copy = launch(&d, 0, image, TEXT_AT, args);
    assert_int_equal(finish(&d), 0);
    assert_int_equal(word_at(tile, STORE_TO + 4), 2);
    assert_ptr_equal(code->ops, copy->ops);
    assert_null(code->own);
    ttdev_close(d.t);
}

TEST(a_jump_where_neither_a_copy_nor_the_launch_message_has_code_is_a_fault)
{
    static const struct {
        uint32_t entry, bytes;
    } cases[] = {{0x10100, 0}, {0x27FF0, 32}, {0x28000, 16}, {0x200000, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device d = moved_open("board=n150 variant=off");
        uint32_t entry[TT_RISCS] = {cases[i].entry}, bytes[TT_RISCS] = {cases[i].bytes};
        uint32_t args[2] = {0};
        char want[80];
        start(&d, 0, entry, bytes, args);
        assert_int_equal(finish(&d), -EFAULT);
        (void)snprintf(want, sizeof want, "jump to 0x%08X, which has no code",
                       cases[i].entry);
        assert_non_null(strstr(ttdev_fault(d.t, 0), want));
        ttdev_close(d.t);
    }
}

TEST(a_kernel_that_jumps_to_the_start_of_another_one_is_at_fault)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/fault", TT_BRISC);
    // Its mistake jumps to 0x30000; code is there, but not this RISC's.
    const struct image_copy *other = image_move(d.t, image, 0x30000);
    put_text(&d, 0, other->memory, other->base, image->bytes);
    uint32_t args[2] = {FAULT_CASE_jump_astray, 0};
    (void)launch(&d, 0, image, TEXT_AT, args);
    assert_int_equal(finish(&d), -EFAULT);
    assert_non_null(strstr(ttdev_fault(d.t, 0), "jump to 0x00030000, which has no code"));
    ttdev_close(d.t);
}

// --- writes over a kernel ---------------------------------------------------------------
TEST(a_kernel_that_is_written_over_while_it_runs_goes_on_in_the_new_text)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/fault", TT_BRISC);
    uint32_t args[2] = {FAULT_CASE_wait_for_word, 0};
    const struct image_copy *copy = launch(&d, 0, image, TEXT_AT, args);
    assert_int_equal(ttdev_sleep_ns(d.t, 20000), 0);
    struct tile *tile = &d.chip->tiles[0];
    const struct risc *r = &tile->risc[TT_BRISC];
    assert_int_equal(r->state, RISC_PARKED); // in its loop
    uint32_t offset, nop = 0x13, at = r->pc;
    assert_string_equal(code_symbol(kernel_of(&d, 0, TT_BRISC), at, &offset),
                        "wait_for_word");
    while ((word_at(tile, at) & 0x7F) != 0x63) // the branch back
        at += 4;
    put_text(&d, 0, (const uint8_t *)&nop, at, 4);
    const struct code *code = kernel_of(&d, 0, TT_BRISC);
    assert_true(code->own && code->image == image);
    // It polls as before until its word is touched, then leaves the loop.
    uint32_t zero = 0;
    put_text(&d, 0, (const uint8_t *)&zero, FAULT_BUFFER, 4);
    assert_int_equal(finish(&d), 0);
    // The next launch looks again.
    args[0] = FAULT_CASE_none;
    assert_ptr_equal(launch(&d, 0, image, TEXT_AT, args), copy);
    assert_int_equal(finish(&d), 0);
    assert_ptr_equal(code->ops, copy->ops);
    ttdev_close(d.t);
}

TEST(a_launch_by_the_host_loads_what_was_moved_or_written_over)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/stores", TT_BRISC);
    uint32_t args[2] = {STORE_TO, STORE_TO + 16};
    (void)launch(&d, 0, image, 0x4000, args); // ends inside the slot of the link address
    assert_int_equal(finish(&d), 0);
    const ttdev_range first = {{0, 0}, {0, 0}};
    ttdev_program *p = ttdev_program_new(d.t, "p");
    assert_int_equal(ttdev_program_kernel(p, first, TT_BRISC, image, 0), 0);
    args[0] = STORE_TO + 32;
    assert_int_equal(ttdev_program_args(p, 0, first, args, 2), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ttdev_launch(d.t, 0, p, 1), 0);
        assert_int_equal(finish(&d), 0);
        assert_int_equal(word_at(&d.chip->tiles[0], STORE_TO + 36), 2);
        assert_ptr_equal(kernel_of(&d, 0, TT_BRISC)->ops, image->ops);
        uint32_t zero[64] = {0};
        put_text(&d, 0, (const uint8_t *)zero, image->base, sizeof zero);
        put_text(&d, 0, (const uint8_t *)zero, STORE_TO + 32, 8);
    }
    ttdev_program_free(p);
    ttdev_close(d.t);
}

TEST(a_copy_that_a_core_executes_stays)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/stores", TT_BRISC);
    uint32_t args[2] = {STORE_TO, STORE_TO + 16};
    const struct image_copy *copy = launch(&d, 70, image, TEXT_AT, args);
    assert_int_equal(finish(&d), 0);
    for (uint32_t i = 1; i < 3 * COPIES_MOST; i++)
        (void)image_move(d.t, image, d.layout->kernel_config + TEXT_AT + 256 * i);
    assert_ptr_equal(image_move(d.t, image, copy->base), copy);
    assert_ptr_equal(kernel_of(&d, 70, TT_BRISC)->ops, copy->ops);
    ttdev_close(d.t);
}

// --- what is told -----------------------------------------------------------------------
TEST(a_fault_in_a_moved_kernel_names_its_function)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/fault", TT_NCRISC);
    uint32_t args[2] = {FAULT_CASE_load_unmapped, 0}, offset;
    const struct image_copy *copy = launch(&d, 3, image, ODD_TEXT_AT, args);
    assert_int_equal(finish(&d), -EFAULT);
    const struct fault *fault = &d.chip->tiles[3].fault;
    assert_in_range(fault->pc, copy->base, copy->base + image->code_bytes - 4);
    (void)image_symbol(image, fault->pc - copy->base + image->base, &offset);
    char want[400];
    (void)snprintf(
        want, sizeof want,
        "device 0, core 3,0 (NOC0 4-1), NCRISC, cycle %llu: load from unmapped address "
        "0xFFB80000\n  pc 0x%X load_unmapped+0x%x (kernels/fault)",
        (unsigned long long)(d.chip->boot_cycles + fault->cycle), fault->pc, offset);
    assert_string_equal(ttdev_fault(d.t, 0), want);
    ttdev_close(d.t);
}

TEST(a_moved_kernel_has_the_stack_limit_of_its_variables)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/fault", TT_TRISC0);
    uint32_t args[2] = {FAULT_CASE_overflow_stack, 0};
    assert_int_equal(d.chip->tiles[0].risc[TT_TRISC0].stack_limit, 0);
    (void)launch(&d, 0, image, TEXT_AT, args);
    assert_int_equal(finish(&d), -EFAULT);
    assert_int_equal(d.chip->tiles[0].fault.kind, FAULT_STACK);
    uint32_t limit = TT_LOCAL_RAM + d.layout->local_kernel_data;
    limit = image->local_end > limit ? image->local_end : limit;
    assert_int_equal(d.chip->tiles[0].risc[TT_TRISC0].stack_limit, limit);
    ttdev_close(d.t);
}

static void note_step(void *context, const ttdev_step *step)
{
    uint32_t *n = context;
    if (strcmp(step->symbol, "kernel_main") == 0)
        n[step->pc - 0x10100 < 0x1000]++;
}

TEST(a_trace_of_a_moved_kernel_names_its_functions)
{
    struct device d = moved_open("board=n150 variant=off");
    ttdev_image *image = kernel_load(d.t, "kernels/stores", TT_BRISC);
    uint32_t args[2] = {STORE_TO, STORE_TO + 16}, n[2] = {0};
    ttdev_core core = {.at = {0, 0}};
    assert_int_equal(ttdev_trace_risc(d.t, 0, core, TT_BRISC, 0, UINT64_MAX, note_step, n),
                     0);
    (void)launch(&d, 0, image, TEXT_AT, args);
    assert_int_equal(finish(&d), 0);
    assert_int_equal(n[0], 0);
    assert_true(n[1] > 10);
    ttdev_close(d.t);
}

static void note_launch(void *context, const ttdev_truth_event *event)
{
    uint64_t *seen = context;
    if (event->kind == TTDEV_TRUTH_LAUNCH)
        seen[seen[0]++ + 1] =
            event->argument << 16 | (uint64_t)event->x << 8 | (uint64_t)event->y;
}

TEST(a_go_word_of_a_dispatch_core_is_a_launch_in_the_ground_truth)
{
    static struct sample_chip s;
    uint64_t seen[9] = {0};
    sample_chip_open(&s, "board=n150");
    s.cluster.truth = note_launch;
    s.cluster.truth_context = seen;
    s.chip->has_truth = true;
    struct tile *tile = sample_tile(&s, 1, 2);
    const struct tt_layout *layout = s.chip->layout;
    uint32_t slot = layout->launch_ring + 3 * TT_LAUNCH_BYTES;
    static const uint32_t words[] = {0x80010203, 0x80000000, 0xF0010203, 0x00010203};
    tile_stand(tile, s.chip->now);
    sample_set_word(tile, layout->launch_rd_ptr, 3);
    sample_set_word(tile, slot + TT_LAUNCH_HOST_ID, 4711);
    tile_write(tile, layout->go_messages, &words[0], 4); // no enables
    sample_set_word(tile, slot + TT_LAUNCH_ENABLES, 5);
    for (size_t i = 0; i < 4; i++)
        tile_write(tile, layout->go_messages, &words[i], 4);
    sample_set_word(tile, layout->launch_rd_ptr, TT_LAUNCH_SLOTS); // points nowhere
    tile_write(tile, layout->go_messages, &words[0], 4);
    chip_flush_truth(s.chip);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 4711 << 16 | tile->noc0.x << 8 | tile->noc0.y);
    sample_chip_close(&s);
}

// --- exactness --------------------------------------------------------------------------
static uint64_t hash_of(const char *more)
{
    char config[120];
    (void)snprintf(config, sizeof config, "board=n150 variant=off %s", more);
    struct device d = moved_open(config);
    ttdev_image *stores = kernel_load(d.t, "kernels/stores", TT_BRISC);
    ttdev_image *fault = kernel_load(d.t, "kernels/fault", TT_NCRISC);
    for (uint32_t round = 0; round < 3; round++) {
        for (int tile = 0; tile < 64; tile++) {
            uint32_t args[2] = {STORE_TO, STORE_TO + 16};
            uint32_t at = round == 1 ? ODD_TEXT_AT : TEXT_AT;
            (void)launch(&d, tile, stores, at, args);
            // A different word on some of them: decoded for each alone.
            if (tile % 3 == 0)
                change_text(&d, tile, d.layout->kernel_config + at, (uint32_t)tile);
        }
        assert_int_equal(finish(&d), 0);
        uint32_t args[2] = {FAULT_CASE_illegal_after_work, 0};
        if (round == 2)
            (void)launch(&d, 11, fault, TEXT_AT, args);
    }
    assert_int_equal(finish(&d), -EFAULT);
    uint64_t hash = ttdev_state_hash(d.t, 0);
    ttdev_close(d.t);
    return hash;
}

TEST(moved_kernels_give_the_same_state_with_any_threads_quantum_and_parking)
{
    uint64_t want = hash_of("threads=1");
    assert_true(want == hash_of("threads=2"));
    assert_true(want == hash_of("threads=1 park=off"));
    assert_true(want == hash_of("threads=2 quantum=8"));
    assert_true(want == hash_of("threads=2 park=off quantum=16"));
}
