// Fault and deadlock texts from a hand-made machine: two cores, one Ethernet core.
#include "base/data/mem.h"
#include "base/text/buf.h"

#include "sim/program/image.h"
#include "sim/report/report.h"
#include "test.h"
#include "ttprof/dispatch_words.h"

enum { TILES = 3, KERNEL = 0x12000, FIRMWARE = 0x3A00, ADDI = 0x00000013 };

static struct symbol kernel_symbols[] = {{KERNEL, 0x40, "kernel_main"},
                                         {KERNEL + 0x40, 0x20, "helper"}};
static char kernel_name[] = "test/kernel", firmware_name[] = "firmware";
static struct ttdev_image kernel = {.name = kernel_name,
                                    .base = KERNEL,
                                    .bytes = 0x100,
                                    .code_bytes = 0x100,
                                    .symbols = {kernel_symbols, 2, 2}};
static struct ttdev_image firmware = {
    .name = firmware_name, .base = FIRMWARE, .bytes = 0x100, .code_bytes = 0x100};

struct machine {
    struct chip chip;
    struct tile tiles[TILES];
};

static void code_bind(struct code *code, const struct ttdev_image *image)
{
    *code = (struct code){.base = image->base, .bytes = image->code_bytes, .image = image};
}

static void tile_make(struct tile *tile, struct chip *chip, int number)
{
    bool is_eth = number == TILES - 1;
    tile->chip = chip;
    tile->index = (uint16_t)number;
    tile->kind = is_eth ? TILE_ETH : TILE_TENSIX;
    tile->channel = 8;
    tile->n_riscs = is_eth ? 1 : TT_RISCS;
    tile->logical = (ttdev_xy){number, 2};
    tile->noc0 = (ttdev_xy){number + 1, 4};
    tile->l1_bytes = is_eth ? chip->layout->eth_l1_bytes : chip->layout->l1_bytes;
    tile->l1 = mem_alloc(tile->l1_bytes);
    for (unsigned r = 0; r < tile->n_riscs; r++) {
        tile->risc[r].tile = tile;
        tile->risc[r].index = (uint8_t)r;
        tile->risc[r].state = RISC_PARKED;
        tile->risc[r].pc = FIRMWARE + 8;
        code_bind(&tile->risc[r].code[CODE_FIRMWARE], &firmware);
        code_bind(&tile->risc[r].code[CODE_KERNEL], &kernel);
    }
}

static void put_word(struct tile *tile, uint32_t address, uint32_t value)
{
    memcpy(tile->l1 + address, &value, sizeof value);
}

// The launch message in a slot, to which the read pointer is set.
static void has_config(struct tile *tile, uint32_t slot, uint32_t base, uint32_t semaphores,
                       uint32_t cbs)
{
    const struct tt_layout *layout = tile->chip->layout;
    bool is_eth = tile->kind == TILE_ETH;
    uint32_t message =
        (is_eth ? layout->eth_launch_ring : layout->launch_ring) + TT_LAUNCH_BYTES * slot;
    put_word(tile, is_eth ? layout->eth_mailbox + 0xC : layout->launch_rd_ptr, slot);
    put_word(tile, message + TT_LAUNCH_CONFIG_BASE + 4 * is_eth, base);
    put_word(tile, message + TT_LAUNCH_SEM_OFFSET, semaphores << 16 | semaphores);
    put_word(tile, message + TT_LAUNCH_CB_OFFSET, cbs);
}

static struct machine *machine_make(void)
{
    struct machine *m = mem_alloc(sizeof *m);
    m->chip = (struct chip){.number = 1,
                            .layout = &tt_layouts[TT_WORMHOLE],
                            .grid = {32, 32},
                            .tiles = m->tiles,
                            .n_tiles = TILES,
                            .n_workers = TILES - 1,
                            .n_eth = 1,
                            .boot_cycles = 1000,
                            .now = 500};
    for (int i = 0; i < TILES; i++) {
        tile_make(&m->tiles[i], &m->chip, i);
        has_config(&m->tiles[i], 0, 0x10000, 0x400, 0);
    }
    return m;
}

static void machine_free(struct machine *m)
{
    for (int i = 0; i < TILES; i++)
        mem_free(m->tiles[i].l1);
    mem_free(m);
}

static void launched(struct tile *tile)
{
    bool is_eth = tile->kind == TILE_ETH;
    const struct tt_layout *layout = tile->chip->layout;
    tile->is_launched = true;
    tile->chip->n_started++;
    put_word(tile, is_eth ? layout->eth_go_messages : layout->go_messages,
             (uint32_t)TT_GO_GO << 24);
}

static void waits(struct risc *risc, uint32_t pc, uint32_t word)
{
    risc->state = RISC_PARKED;
    risc->pc = pc;
    if (risc->index)
        risc->tile->l1[risc->tile->chip->layout->sync_bytes + risc->index - 1] = TT_SYNC_GO;
    risc->park.n_words = 1;
    risc->park.word[0] = word;
}

// --- faults -----------------------------------------------------------------------------
static void fault_is(struct fault fault, uint32_t instruction, const char *want)
{
    struct machine *m = machine_make();
    struct tile *tile = &m->tiles[1];
    put_word(tile, KERNEL + 0x44, instruction);
    fault.pc = KERNEL + 0x44;
    fault.cycle = 23;
    fault.risc = TT_TRISC1;
    tile->risc[TT_TRISC1].stack_limit = 0xFFB00500;
    tile->fault = fault;
    report_fault(&m->chip);
    assert_string_equal(m->chip.fault_text, want);
    machine_free(m);
}

#define HEAD "device 1, core 1,2 (NOC0 2-4), TRISC_1, cycle 1023: "
#define TAIL "\n  pc 0x12044 helper+0x4 (test/kernel)"

TEST(every_kind_of_fault_has_its_sentence)
{
    fault_is((struct fault){.kind = FAULT_ILLEGAL, .address = 0xFFFFFFFF}, ADDI,
             HEAD "illegal instruction 0xFFFFFFFF" TAIL);
    fault_is((struct fault){.kind = FAULT_PC, .address = KERNEL + 0x44}, ADDI,
             HEAD "execution at 0x00012044, which has no code" TAIL);
    fault_is((struct fault){.kind = FAULT_MISALIGNED, .address = 0xFFB20001}, 0x00A50023,
             HEAD "store of 1 byte to 0xFFB20001, which accepts only whole words" TAIL);
    fault_is((struct fault){.kind = FAULT_PC, .address = 0x40}, ADDI,
             HEAD "jump to 0x00000040, which has no code" TAIL);
    fault_is((struct fault){.kind = FAULT_UNMAPPED, .address = 0xFFB80000}, 0x00052503,
             HEAD "load from unmapped address 0xFFB80000" TAIL);
    fault_is((struct fault){.kind = FAULT_UNMAPPED, .address = 0xFFB80000}, 0x00A52023,
             HEAD "store to unmapped address 0xFFB80000" TAIL);
    fault_is((struct fault){.kind = FAULT_MISALIGNED, .address = 0x30002}, 0x00052503,
             HEAD "load of 4 bytes from misaligned address 0x00030002" TAIL);
    fault_is((struct fault){.kind = FAULT_MISALIGNED, .address = 0x30001}, 0x00A51023,
             HEAD "store of 2 bytes to misaligned address 0x00030001" TAIL);
    fault_is((struct fault){.kind = FAULT_NOC_TARGET, .address = 0x100, .value = 0x0203},
             ADDI,
             HEAD "NoC command to 3,2, address 0x00000100: no tile or bank there" TAIL);
    fault_is(
        (struct fault){.kind = FAULT_NOC_RANGE, .address = 0x16E000, .value = 0x1212}, ADDI,
        HEAD
        "NoC command to 18,18, address 0x0016E000: crosses the end of the memory" TAIL);
    fault_is(
        (struct fault){.kind = FAULT_NOC_COMMAND,
                       .value = 0x1212,
                       .what = "longer than the maximum packet"},
        ADDI,
        HEAD
        "NoC command to 18,18, address 0x00000000: longer than the maximum packet" TAIL);
    fault_is((struct fault){.kind = FAULT_CB_WRAP, .address = 3}, ADDI,
             HEAD "push or pop across the end of CB 3" TAIL);
    fault_is((struct fault){.kind = FAULT_ENGINE, .what = "no such opcode"}, ADDI,
             HEAD "compute engine: no such opcode" TAIL);
    fault_is((struct fault){.kind = FAULT_STACK, .address = 0xFFB004F0}, ADDI,
             HEAD "stack pointer 0xFFB004F0 is below the stack limit 0xFFB00500" TAIL);
    fault_is((struct fault){.kind = FAULT_ETH, .what = "no link"}, ADDI,
             HEAD "Ethernet port: no link" TAIL);
    fault_is((struct fault){.kind = FAULT_DRAM_CAP, .address = 0x20, .value = 11}, ADDI,
             HEAD "NoC write to DRAM bank 11, address 0x00000020: dram_cap reached");
    fault_is((struct fault){.kind = FAULT_UNMAPPED, .address = 0xFFB80000, .what = "lost"},
             ADDI, HEAD "lost: 0xFFB80000" TAIL);
}

TEST(the_earliest_fault_of_a_chip_is_told)
{
    struct machine *m = machine_make();
    m->tiles[0].fault =
        (struct fault){.kind = FAULT_ILLEGAL, .cycle = 9, .pc = KERNEL, .risc = TT_BRISC};
    m->tiles[1].fault =
        (struct fault){.kind = FAULT_DRAM_CAP, .cycle = 8, .risc = TT_RISCS}; // by no RISC
    report_fault(&m->chip);
    assert_string_equal(
        m->chip.fault_text,
        "device 1, core 1,2 (NOC0 2-4), cycle 1008: NoC write to DRAM bank 0, "
        "address 0x00000000: dram_cap reached");
    m->tiles[2].fault = (struct fault){.kind = FAULT_ETH, .cycle = 7, .pc = 0x99999990};
    report_fault(&m->chip);
    assert_string_equal(m->chip.fault_text,
                        "device 1, Ethernet core 8 (NOC0 3-4), ERISC, cycle 1007: Ethernet "
                        "port: misuse\n  pc 0x99999990");
    machine_free(m);
}

// --- names ------------------------------------------------------------------------------
static void name_is(const struct tile *tile, uint32_t address, const char *want)
{
    char name[80];
    report_address(tile, address, name, sizeof name);
    assert_string_equal(name, want);
}

TEST(polled_words_have_names)
{
    struct machine *m = machine_make();
    const struct tile *worker = &m->tiles[0], *eth = &m->tiles[2];
    uint32_t status = TT_NIU + TT_NIU_STATUS;
    name_is(worker, TT_STREAMS + 3 * TT_STREAM_STRIDE + 16, "CB 3 received");
    name_is(worker, TT_STREAMS + 31 * TT_STREAM_STRIDE + 12, "CB 31 acked");
    name_is(worker, TT_STREAMS + 32 * TT_STREAM_STRIDE + 12, "register 0xFFB6000C");
    name_is(worker, 0x10400, "semaphore 0");
    name_is(worker, 0x105F0, "semaphore 31");
    name_is(worker, 0x105F4, "L1 0x105F4");
    name_is(worker, 0x004A0, "go signal");
    name_is(worker, 0x00018, "sync bytes");
    name_is(worker, 0x00B00 + 4 * 49, "profiler control word 49");
    name_is(worker, 0x30000, "L1 0x30000");
    name_is(worker, status, "NoC 0 atomic responses received");
    name_is(worker, status + 4, "NoC 0 write acks received");
    name_is(worker, status + 8, "NoC 0 read responses received");
    name_is(worker, status + 5 * 4, "NoC 0 reads sent");
    name_is(worker, status + 10 * 4, "NoC 0 writes sent");
    name_is(worker, status + TT_NIU_STRIDE + 11 * 4, "NoC 1 posted writes sent");
    name_is(worker, status + 19 * 4, "NoC 0 requests outstanding of transaction 3");
    name_is(worker, status + 33 * 4, "NoC 0 writes leaving of transaction 1");
    name_is(worker, status + 12, "NoC 0 counter 3");
    name_is(worker, TT_NIU + 0x428, "NoC 0 command buffer 1");
    name_is(worker, TT_NIU + 0x400, "NoC 0 register 0x400");
    name_is(worker, TT_ENGINE + TT_ENGINE_FREE, "compute engine free slots");
    name_is(worker, TT_ENGINE + TT_ENGINE_IDLE, "compute engine idle");
    name_is(worker, TT_LOCAL_RAM + 0x10, "local RAM 0xFFB00010");
    name_is(eth, 0x3E1E0, "go signal");
    name_is(eth, 0x10410, "semaphore 1");
    name_is(eth, 0x10404, "L1 0x10404");
    name_is(eth, TT_ETH + TT_ETH_CREDITS, "Ethernet credits");
    name_is(eth, TT_ETH + TT_ETH_SENT, "Ethernet messages sent");
    name_is(eth, TT_ETH + TT_ETH_RECEIVED, "Ethernet messages received");
    machine_free(m);
}

TEST(words_of_a_program_are_where_its_launch_message_says)
{
    struct machine *m = machine_make();
    struct tile *worker = &m->tiles[0];
    has_config(worker, 7, 0x13100, 0x20, 0x40);
    name_is(worker, 0x13120, "semaphore 0");
    name_is(worker, 0x10400, "L1 0x10400");
    put_word(worker, 0x13140 + 16 * 3 + 8, 6);
    launched(worker);
    waits(&worker->risc[TT_NCRISC], KERNEL, TT_STREAMS + 3 * TT_STREAM_STRIDE + 12);
    report_deadlock(&m->chip);
    assert_non_null(strstr(m->chip.fault_text, "CB 3 received = 0, acked = 0 (6 pages)"));
    // Nothing was ever launched.
    has_config(worker, 1, 0, 0, 0);
    name_is(worker, 0x00100, "L1 0x100");
    machine_free(m);
}

static void tell_queue(const struct chip *chip, struct buf *out)
{
    buf_printf(out, "device %d, queue 0: 3 programs are not done\n", chip->number);
}

// A chip of one row of workers and the row below, which is fast dispatch's.
TEST(a_deadlock_in_fast_dispatch_tells_queues_first_and_no_dispatch_cores)
{
    struct machine *m = machine_make();
    m->chip.grid = (ttdev_xy){8, 2};
    m->chip.dispatch = DISPATCH_FAST;
    m->chip.tell_queues = tell_queue;
    struct tile *worker = &m->tiles[0], *dispatcher = &m->tiles[1];
    worker->logical = (ttdev_xy){3, 1};
    put_word(worker, 0x4A0, tt_go_word(TT_GO_GO, 19, 20, 0));
    waits(&worker->risc[TT_BRISC], KERNEL + 8, 0x10420);
    launched(dispatcher);
    name_is(dispatcher, 0x28000, "pages ready");
    name_is(dispatcher, 0x28020, "notifications");
    name_is(dispatcher, 0x28060, "last event of queue 1");
    name_is(dispatcher, 0x29000, "L1 0x29000");
    name_is(dispatcher, TT_STREAMS + 48 * TT_STREAM_STRIDE + 4 * 64,
            "completion counter 48");
    dispatcher->logical.x = 2;
    name_is(dispatcher, 0x28020, "dispatch pages freed");
    name_is(dispatcher, 0x28104, "queue entry 1");
    report_deadlock(&m->chip);
    assert_string_equal(
        m->chip.fault_text,
        "device 1, queue 0: 3 programs are not done\n"
        "device 1: deadlock at cycle 1500: 1 of 16 cores cannot continue\n"
        "  core 3,1 (NOC0 1-4) BRISC waits at kernel_main+0x8 (test/kernel): semaphore 2 = "
        "0");
    machine_free(m);
}

// --- deadlocks --------------------------------------------------------------------------
TEST(a_deadlock_names_core_function_and_words)
{
    struct machine *m = machine_make();
    struct tile *first = &m->tiles[0], *second = &m->tiles[1], *eth = &m->tiles[2];
    launched(first);
    launched(second);
    launched(eth);
    // Waits for a page: both counters are polled, and belong together.
    waits(&first->risc[TT_NCRISC], KERNEL + 0x50, TT_STREAMS + 3 * TT_STREAM_STRIDE + 12);
    first->risc[TT_NCRISC].park.n_words = 2;
    first->risc[TT_NCRISC].park.word[1] = TT_STREAMS + 3 * TT_STREAM_STRIDE + 16;
    first->received[3] = 2;
    first->acked[3] = 1;
    put_word(first, 0x10000 + 16 * 3 + 8, 4);
    first->risc[TT_TRISC1].state = RISC_STALLED;
    first->risc[TT_TRISC1].pc = KERNEL + 4;
    waits(&second->risc[TT_BRISC], KERNEL + 8, 0x10420);
    put_word(second, 0x10420, 7);
    second->risc[TT_TRISC0].state = RISC_HALTED;
    second->risc[TT_TRISC0].pc = KERNEL + 0x80;
    waits(&eth->risc[0], KERNEL + 12, 0x11000);
    put_word(eth, 0x11000, 0x55);
    report_deadlock(&m->chip);
    assert_string_equal(
        m->chip.fault_text,
        "device 1: deadlock at cycle 1500: 3 of 3 cores cannot continue\n"
        "  core 0,2 (NOC0 1-4) NCRISC waits at helper+0x10 (test/kernel): CB 3 received = "
        "2, acked = 1 (4 pages)\n"
        "  core 0,2 (NOC0 1-4) TRISC_1 stalls at kernel_main+0x4 (test/kernel): the "
        "compute "
        "engine's queue is full\n"
        "  core 1,2 (NOC0 2-4) BRISC waits at kernel_main+0x8 (test/kernel): semaphore 2 = "
        "7\n"
        "  core 1,2 (NOC0 2-4) TRISC_0 has halted at 0x12080 (test/kernel)\n"
        "  Ethernet core 8 (NOC0 3-4) ERISC waits at kernel_main+0xc (test/kernel): L1 "
        "0x11000 = 0x00000055\n"
        "  on 1 of these cores BRISC waits for the others");
    machine_free(m);
}

TEST(cores_that_are_done_are_not_in_a_deadlock)
{
    struct machine *m = machine_make();
    launched(&m->tiles[0]);
    launched(&m->tiles[1]);
    put_word(&m->tiles[0], 0x4A0, 0);
    waits(&m->tiles[1].risc[TT_BRISC], KERNEL, 0);
    m->tiles[1].risc[TT_BRISC].park.n_words = 0;
    report_deadlock(&m->chip);
    assert_string_equal(
        m->chip.fault_text,
        "device 1: deadlock at cycle 1500: 1 of 2 cores cannot continue\n"
        "  core 1,2 (NOC0 2-4) BRISC waits at kernel_main+0x0 (test/kernel): "
        "an endless loop");
    m->tiles[1].risc[TT_BRISC].state = RISC_RUNS;
    report_timeout(&m->chip, 250);
    assert_string_equal(
        m->chip.fault_text,
        "device 1: timeout after 250 ns, at cycle 1500: 1 of 2 cores are running\n"
        "  core 1,2 (NOC0 2-4) BRISC runs at kernel_main+0x0 (test/kernel)");
    machine_free(m);
}

TEST(a_long_deadlock_shows_sixteen_cores)
{
    struct machine *m = machine_make();
    struct tile *tiles = mem_alloc(20 * sizeof *tiles);
    for (int i = 0; i < 20; i++) {
        tiles[i] = m->tiles[0];
        tiles[i].logical.x = i;
        for (unsigned r = 0; r < TT_RISCS; r++)
            tiles[i].risc[r].tile = &tiles[i];
        waits(&tiles[i].risc[TT_NCRISC], KERNEL, 0x30000);
        tiles[i].is_launched = true;
    }
    put_word(&tiles[0], 0x4A0, 0x80000000);
    m->chip.tiles = tiles;
    m->chip.n_tiles = m->chip.n_started = 20;
    report_deadlock(&m->chip);
    str text = str_of(m->chip.fault_text);
    assert_true(str_starts(text, S("device 1: deadlock at cycle 1500: 20 of 20 cores")));
    assert_true(str_has(text, S("\n  core 15,2 (NOC0 1-4) NCRISC waits")));
    assert_false(str_has(text, S("core 16,2")));
    assert_true(str_ends(text, S("\n  and 4 more\n"
                                 "  on 16 of these cores BRISC waits for the others")));
    mem_free(tiles);
    machine_free(m);
}
