// What the device says about kernels that go wrong: real kernels (tests/kernels), whole
// texts. Numbers that depend on the compiler (cycle, pc, offset in the function) are taken
// from the machine, everything else is literal.
#include <errno.h>
#include <stdio.h>

#include "base/text/buf.h"
#include "base/text/num.h"

#include "sample_device.h"
#include "sim/program/program.h"
#include "test.h"

static const ttdev_range core = {{1, 2}, {1, 2}};

struct fixture {
    ttdev *t;
    ttdev_program *p;
    struct tile *tile;
    uint64_t started; // cycle
};

static struct fixture open_device(const char *config)
{
    struct fixture f = {.t = device_open(config)};
    f.p = ttdev_program_new(f.t, "faults");
    f.tile = chip_core(cluster_chip(f.t, 0), core.from, TT_BRISC);
    return f;
}

static void close_device(struct fixture *f)
{
    ttdev_program_free(f->p);
    ttdev_close(f->t);
}

static void add_kernel(struct fixture *f, const char *name, ttdev_range cores, int risc,
                       uint32_t mistake)
{
    ttdev_image *image = kernel_load(f->t, name, risc);
    int kernel = ttdev_program_kernel(f->p, cores, risc, image, risc == TT_NCRISC);
    assert_true(kernel >= 0);
    assert_int_equal(ttdev_program_args(f->p, kernel, cores, &mistake, 1), 0);
}

static int run(struct fixture *f)
{
    f->started = ttdev_clock(f->t, 0);
    assert_int_equal(ttdev_launch(f->t, 0, f->p, 1), 0);
    return ttdev_wait(f->t, 0, 100000);
}

// Puts numbers in: {cycle}, {pc}, {+} (of the pc in its function).
static void text_is(const struct fixture *f, const struct risc *risc, uint64_t cycle,
                    uint32_t pc, const char *form)
{
    struct buf want = {0};
    uint32_t offset;
    (void)image_symbol(risc->code[CODE_KERNEL].image, pc, &offset);
    for (str left = str_of(form); left.n;) {
        str literal = str_cut(&left, '{');
        buf_str(&want, literal);
        if (!left.n)
            break;
        str field = str_cut(&left, '}');
        if (str_is(field, "cycle"))
            buf_printf(&want, "%llu", (unsigned long long)cycle);
        else if (str_is(field, "pc"))
            buf_printf(&want, "0x%X", pc);
        else
            buf_printf(&want, "0x%x", offset);
    }
    buf_char(&want, 0);
    assert_string_equal(ttdev_fault(f->t, 0), want.p);
    buf_free(&want);
}

// A deadlock is told with the cycle at which all came to a stop, which no register holds.
static uint64_t cycle_told(const struct fixture *f)
{
    str text = str_of(ttdev_fault(f->t, 0)), rest;
    int64_t cycle;
    assert_true(str_after(text, S("cycle "), &rest));
    assert_true(num_int(str_cut(&rest, ':'), &cycle));
    assert_in_range(cycle, f->started, ttdev_clock(f->t, 0));
    return (uint64_t)cycle;
}

static void fault_is(const char *config, int risc, uint32_t mistake, const char *form)
{
    struct fixture f = open_device(config);
    add_kernel(&f, "kernels/fault", core, risc, mistake);
    assert_int_equal(ttdev_program_cb(f.p, core, FAULT_CB, 4, 64, NULL), 0);
    assert_int_equal(run(&f), -EFAULT);
    const struct fault *fault = &f.tile->fault;
    const struct risc *r = &f.tile->risc[risc];
    uint64_t cycle = f.tile->chip->boot_cycles + fault->cycle;
    text_is(&f, r, cycle, fault->pc ? fault->pc : r->pc, form);
    close_device(&f);
}

#define WORMHOLE     "board=n150 variant=off"
#define CORE         "core 1,2 (NOC0 2-3)"
#define HEAD(risc)   "device 0, " CORE ", " risc ", cycle {cycle}: "
#define TAIL(symbol) "\n  pc {pc} " symbol "+{+} (kernels/fault)"
#define FAULT(config, risc, name, mistake, text)                                           \
    fault_is(config, risc, FAULT_CASE_##mistake, HEAD(name) text TAIL(#mistake))

TEST(code_that_cannot_be_executed_is_reported)
{
    FAULT(WORMHOLE, TT_BRISC, "BRISC", illegal, "illegal instruction 0xFFFFFFFF");
    FAULT(WORMHOLE, TT_TRISC2, "TRISC_2", illegal, "illegal instruction 0xFFFFFFFF");
    FAULT(WORMHOLE, TT_NCRISC, "NCRISC", jump_astray,
          "jump to 0x00030000, which has no code");
}

TEST(accesses_to_what_is_not_there_are_reported)
{
    FAULT(WORMHOLE, TT_TRISC1, "TRISC_1", load_unmapped,
          "load from unmapped address 0xFFB80000");
    FAULT(WORMHOLE, TT_NCRISC, "NCRISC", store_unmapped,
          "store to unmapped address 0xFFFF0000");
    FAULT(WORMHOLE, TT_NCRISC, "NCRISC", store_part_of_register,
          "store of 1 byte to 0xFFB121F0, which accepts only whole words");
    FAULT(WORMHOLE, TT_TRISC0, "TRISC_0", store_outside_l1,
          "store to unmapped address 0x0016E000");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", load_misaligned,
          "load of 4 bytes from misaligned address 0x00040002");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", store_misaligned,
          "store of 2 bytes to misaligned address 0x00040001");
}

TEST(noc_commands_that_cannot_be_are_reported)
{
    FAULT(WORMHOLE, TT_BRISC, "BRISC", noc_to_nowhere,
          "NoC command to 0,2, address 0x00000000: no tile or bank there");
    FAULT(
        WORMHOLE, TT_BRISC, "BRISC", noc_behind_l1,
        "NoC command to 19,20, address 0x0016DFF0: it is past the end of the target's L1");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", noc_from_behind_l1,
          "NoC command to 19,20, address 0x0016DFF0: the local part is outside L1");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", noc_behind_bank,
          "NoC command to 0,11, address 0x3FFFFFF0: the transfer crosses the end of the "
          "bank");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", noc_too_long,
          "NoC command to 19,20, address 0x00040000: longer than the maximum packet");
    FAULT(
        WORMHOLE, TT_BRISC, "BRISC", noc_skewed,
        "NoC command to 19,20, address 0x00040000: source and destination differ in their "
        "low address bits");
    fault_is(WORMHOLE, TT_BRISC, FAULT_CASE_noc_to_no_register,
             "device 0, " CORE
             ", cycle {cycle}: a NoC access to an unknown register: 0xFFB80000");
    fault_is(
        WORMHOLE " dram_cap=1048576", TT_BRISC, FAULT_CASE_dram_too_much,
        HEAD("BRISC") "NoC write to DRAM bank 0, address 0x00200000: dram_cap reached");
}

TEST(what_the_pcie_tile_cannot_do_is_reported)
{
    FAULT(WORMHOLE, TT_BRISC, "BRISC", host_atomic,
          "NoC command to 0,3, address 0x00000040: the PCIe tile has no atomics");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", host_multicast,
          "NoC command to 0,3, address 0x00000080: the PCIe tile takes no multicasts");
    FAULT(WORMHOLE, TT_BRISC, "BRISC", host_behind_end,
          "NoC command to 0,3, address 0x02000000: the host has no memory there behind the "
          "PCIe tile");
}

TEST(commands_that_dispatch_kernels_refuse_are_reported)
{
    FAULT(WORMHOLE, TT_BRISC, "BRISC", dispatch_command,
          "dispatch command 77: no such command");
    FAULT(WORMHOLE, TT_NCRISC, "NCRISC", dispatch_reason,
          "dispatch command 3: for an unknown reason");
}

TEST(misuse_of_buffers_engine_and_stack_is_reported)
{
    FAULT(WORMHOLE, TT_BRISC, "BRISC", push_across_end,
          "push or pop across the end of CB 3");
    FAULT(WORMHOLE, TT_TRISC1, "TRISC_1", bad_operation,
          "compute engine: unknown operation in its queue");
}

#define BLACKHOLE "arch=blackhole board=p150 variant=off"
#define BLACKHOLE_FAULT(risc, name, mistake, text)                                         \
    fault_is(BLACKHOLE, risc, FAULT_CASE_##mistake,                                        \
             "device 0, core 1,2 (NOC0 2-4), " name                                        \
             ", cycle {cycle}: " text TAIL(#mistake))

TEST(blackhole_reports_the_same_way)
{
    BLACKHOLE_FAULT(TT_TRISC0, "TRISC_0", store_outside_l1,
                    "store to unmapped address 0x00180000");
    BLACKHOLE_FAULT(
        TT_BRISC, "BRISC", noc_behind_l1,
        "NoC command to 2,4, address 0x0017FFF0: it is past the end of the target's L1");
    BLACKHOLE_FAULT(TT_NCRISC, "NCRISC", push_across_end,
                    "push or pop across the end of CB 3");
}

TEST(a_stack_that_reaches_the_variables_is_reported)
{
    struct fixture f = open_device(WORMHOLE);
    add_kernel(&f, "kernels/fault", core, TT_TRISC0, FAULT_CASE_overflow_stack);
    assert_int_equal(run(&f), -EFAULT);
    const struct risc *r = &f.tile->risc[TT_TRISC0];
    char form[200];
    (void)snprintf(form, sizeof form,
                   HEAD("TRISC_0") "stack pointer 0x%08X is below the stack limit "
                                   "0x%08X" TAIL("overflow_stack"),
                   f.tile->fault.address, r->stack_limit);
    text_is(&f, r, f.tile->chip->boot_cycles + f.tile->fault.cycle, f.tile->fault.pc, form);
    assert_in_range(r->stack_limit, TT_LOCAL_RAM + 0x400, TT_LOCAL_RAM + 0x500);
    assert_true(f.tile->fault.address < r->stack_limit);
    close_device(&f);
}

// --- deadlocks --------------------------------------------------------------------------
static void deadlock_is(int risc, uint32_t mistake, const char *form)
{
    struct fixture f = open_device(WORMHOLE);
    add_kernel(&f, "kernels/fault", core, risc, mistake);
    assert_int_equal(ttdev_program_cb(f.p, core, FAULT_CB, 4, 64, NULL), 0);
    assert_int_equal(ttdev_program_sem(f.p, core, 1), 0);
    assert_int_equal(ttdev_program_sem(f.p, core, 2), 1);
    assert_int_equal(run(&f), -EDEADLK);
    const struct risc *r = &f.tile->risc[risc];
    text_is(&f, r, cycle_told(&f), r->pc, form);
    close_device(&f);
}

#define DEADLOCK(risc, name, mistake, text)                                                \
    deadlock_is(risc, FAULT_CASE_##mistake,                                                \
                "device 0: deadlock at cycle {cycle}: 1 of 1 cores cannot continue\n"      \
                "  " CORE " " name " " text)
#define AT(symbol) "at " symbol "+{+} (kernels/fault)"

TEST(a_deadlock_says_what_is_waited_for)
{
    DEADLOCK(TT_BRISC, "BRISC", wait_for_page,
             "waits " AT("wait_for_page") ": CB 3 received = 0, acked = 0 (4 pages)");
    DEADLOCK(TT_BRISC, "BRISC", reserve_too_many,
             "waits " AT("reserve_too_many") ": CB 3 received = 0, acked = 0 (4 pages)");
    DEADLOCK(TT_BRISC, "BRISC", wait_for_semaphore,
             "waits " AT("wait_for_semaphore") ": semaphore 1 = 2");
    DEADLOCK(TT_BRISC, "BRISC", wait_for_answer,
             "waits " AT("wait_for_answer") ": NoC 0 write acks received = 0");
    DEADLOCK(TT_BRISC, "BRISC", loop_for_ever,
             "waits " AT("loop_for_ever") ": an endless loop");
    DEADLOCK(TT_NCRISC, "NCRISC", wait_for_word,
             "waits " AT("wait_for_word") ": L1 0x40000 = 0x00000000\n"
                                          "  on 1 of these cores BRISC waits for the others");
    DEADLOCK(TT_NCRISC, "NCRISC", stop_here,
             "has halted " AT("stop_here") "\n"
                                           "  on 1 of these cores BRISC waits for the others");
    DEADLOCK(TT_TRISC1, "TRISC_1", overfill_queue,
             "stalls " AT("overfill_queue") ": the compute engine's queue is full; its queue "
                                            "waits for data in SrcA or SrcB\n"
                                            "  on 1 of these cores BRISC waits for the "
                                            "others");
}

TEST(a_wait_that_is_too_short_says_where_everybody_is)
{
    struct fixture f = open_device(WORMHOLE);
    add_kernel(&f, "kernels/fault", core, TT_BRISC, FAULT_CASE_take_long);
    assert_int_equal(run(&f), -ETIMEDOUT);
    const struct risc *r = &f.tile->risc[TT_BRISC];
    str text = str_of(ttdev_fault(f.t, 0));
    assert_true(str_starts(text, S("device 0: timeout after 100000 ns, at cycle ")));
    assert_true(str_has(
        text, S(": 1 of 1 cores are running\n  " CORE " BRISC runs at take_long+0x")));
    assert_true(str_ends(text, S(" (kernels/fault)")));
    // It goes on when the host waits longer.
    assert_int_equal(ttdev_wait(f.t, 0, 2000000), 0);
    assert_int_equal(r->state, RISC_PARKED);
    close_device(&f);
}

// Without parking a RISC that waits looks busy; it is the host that gives up.
TEST(a_wait_without_parking_runs_into_the_time_limit)
{
    struct fixture f = open_device(WORMHOLE " park=off");
    add_kernel(&f, "kernels/fault", core, TT_NCRISC, FAULT_CASE_wait_for_word);
    assert_int_equal(run(&f), -ETIMEDOUT);
    str text = str_of(ttdev_fault(f.t, 0)), rest;
    assert_true(str_after(text, S(": 1 of 1 cores are running\n  " CORE " NCRISC runs at "),
                          &rest));
    assert_true(str_starts(rest, S("wait_for_word+0x")));
    assert_true(str_ends(rest, S(" (kernels/fault)\n"
                                 "  on 1 of these cores BRISC waits for the others")));
    close_device(&f);
}

// --- Ethernet ---------------------------------------------------------------------------
static void ethernet_is(uint32_t mistake, int code, const char *form)
{
    struct fixture f = open_device("board=n300 devices=2 variant=off");
    ttdev_range channel = {{8, 0}, {8, 0}};
    add_kernel(&f, "kernels/fault_eth", channel, TTDEV_ERISC, mistake);
    assert_int_equal(run(&f), code);
    const struct tile *tile = chip_core(cluster_chip(f.t, 0), channel.from, TTDEV_ERISC);
    const struct risc *r = &tile->risc[0];
    bool is_fault = code == -EFAULT;
    uint64_t cycle = tile->chip->boot_cycles + tile->fault.cycle;
    text_is(&f, r, is_fault ? cycle : cycle_told(&f), is_fault ? tile->fault.pc : r->pc,
            form);
    close_device(&f);
}

TEST(mistakes_of_ethernet_cores_are_reported)
{
    ethernet_is(
        FAULT_CASE_send_nothing, -EFAULT,
        "device 0, Ethernet core 8 (NOC0 9-6), ERISC, cycle {cycle}: Ethernet port: "
        "a send of 0 bytes\n  pc {pc} send_nothing+{+} (kernels/fault_eth)");
    ethernet_is(
        FAULT_CASE_send_from_nowhere, -EFAULT,
        "device 0, Ethernet core 8 (NOC0 9-6), ERISC, cycle {cycle}: Ethernet port: "
        "the source is outside L1\n"
        "  pc {pc} send_from_nowhere+{+} (kernels/fault_eth)");
    ethernet_is(FAULT_CASE_wait_for_word, -EDEADLK,
                "device 0: deadlock at cycle {cycle}: 1 of 1 cores cannot continue\n"
                "  Ethernet core 8 (NOC0 9-6) ERISC waits at wait_for_word+{+} "
                "(kernels/fault_eth): L1 0x11000 = 0x00000000");
}
