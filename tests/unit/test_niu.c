// test_niu.c - the registers of a network interface, what its counters show, and commands
// that make no sense.
#include <string.h>

#include "sample_chip.h"

static uint32_t niu_word(struct tile *tile, unsigned noc, uint32_t offset)
{
    uint32_t value = 0xBAD;
    assert_true(niu_read(tile, noc, offset, 0, &value));
    return value;
}

TEST(an_niu_knows_its_place_on_each_noc)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 2, 3); // NOC0 3-4
    uint32_t id = s.chip->layout->noc_node_id;
    assert_int_equal(niu_word(tile, 0, id) & 0xFFF, 3 | 4 << 6);
    assert_int_equal(niu_word(tile, 1, id) & 0xFFF, 6 | 7 << 6);
    uint32_t logical = TT_NIU_CONFIG + 4 * s.chip->layout->noc_id_logical;
    assert_int_equal(niu_word(tile, 0, logical), 20 | 21 << 6);
    assert_int_equal(niu_word(tile, 1, logical), 20 | 21 << 6);
    sample_chip_close(&s);
}

TEST(registers_keep_what_is_written_except_the_read_only_ones)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=p150");
    struct tile *tile = sample_tile(&s, 0, 0);
    uint32_t buffer = 3 * s.chip->layout->noc_buffer_stride;
    assert_true(niu_write(tile, 1, 0, buffer + TT_NOC_RET_LO, 77, 0));
    assert_int_equal(niu_word(tile, 1, buffer + TT_NOC_RET_LO), 77);
    assert_int_equal(niu_word(tile, 0, buffer + TT_NOC_RET_LO), 0);
    assert_true(niu_write(tile, 0, 0, TT_NIU_CONFIG + 8, 5, 0));
    assert_int_equal(niu_word(tile, 0, TT_NIU_CONFIG + 8), 5);
    assert_true(niu_write(tile, 0, 0, TT_NIU_STATUS, 5, 0));
    assert_int_equal(niu_word(tile, 0, TT_NIU_STATUS), 0);
    uint32_t id = niu_word(tile, 0, s.chip->layout->noc_node_id);
    assert_true(niu_write(tile, 0, 0, s.chip->layout->noc_node_id, 5, 0));
    assert_int_equal(niu_word(tile, 0, s.chip->layout->noc_node_id), id);
    assert_false(niu_write(tile, 0, 0, 0x700, 5, 0));
    sample_chip_close(&s);
}

TEST(a_buffer_is_busy_until_the_command_is_accepted)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0), *other = sample_tile(&s, 1, 0);
    const struct tt_layout *l = s.chip->layout;
    uint32_t small = TT_NOC_BUFFER_SMALL * l->noc_buffer_stride + l->noc_cmd_ctrl;
    sample_noc_write(tile, 0, 0x40000, sample_address(other, 0x40000), 8192, 0);
    assert_int_equal(niu_word(tile, 0, l->noc_cmd_ctrl), 1);
    sample_noc_issue(tile, (struct sample_command){.buffer = TT_NOC_BUFFER_SMALL,
                                                   .control = TT_NOC_WRITE | TT_NOC_INLINE,
                                                   .target = sample_address(other, 0x50000),
                                                   .data = 9});
    sample_chip_run(&s, 3); // the first is accepted in cycle 2
    assert_int_equal(niu_word(tile, 0, l->noc_cmd_ctrl), 0);
    assert_int_equal(niu_word(tile, 0, small), 1);
    sample_chip_run(&s, 2 + 292); // 8192 bytes at 28.1 per cycle
    assert_int_equal(niu_word(tile, 0, small), 1);
    sample_chip_run(&s, 2 + 293);
    assert_int_equal(niu_word(tile, 0, small), 0);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(other, 0x50000), 9);
    sample_chip_close(&s);
}

TEST(a_write_carries_what_was_in_l1_when_it_was_issued)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0), *other = sample_tile(&s, 5, 5);
    sample_set_word(tile, 0x40000, 1);
    sample_noc_write(tile, 0, 0x40000, sample_address(other, 0x60000), 64, TT_NOC_RESPONSE);
    sample_set_word(tile, 0x40000, 2);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(other, 0x60000), 1);
    sample_chip_close(&s);
}

TEST(counters_step_when_things_have_been_sent_and_answered)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0), *other = sample_tile(&s, 4, 0);
    sample_noc_write(tile, 0, 0x40000, sample_address(other, 0x40000), 64, TT_NOC_RESPONSE);
    sample_chip_run(&s, 34);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITES_SENT), 0);
    sample_chip_run(&s, 35); // accepted in 2, at least 32 later
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITES_SENT), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 0);
    sample_chip_finish(&s);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 1);
    sample_noc_write(tile, 0, 0x40000, sample_address(other, 0x40000), 64, 0);
    sample_noc_read(tile, 0, sample_address(other, 0x40000), 0x50000, 64);
    sample_chip_finish(&s);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_POSTED_SENT), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITES_SENT), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_WRITE_ACKS), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_READS_SENT), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_READ_RESPONSES), 1);
    for (unsigned i = 0; i < TT_NOC_COUNTERS; i++) {
        assert_int_equal(sample_counter(tile, 1, i), 0);
        assert_int_equal(sample_counter(other, 0, i), 0);
    }
    sample_chip_close(&s);
}

TEST(counters_by_transaction_id_go_up_at_once_and_down_with_the_answers)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0), *other = sample_tile(&s, 4, 0);
    struct sample_command write = {.control = TT_NOC_WRITE | TT_NOC_RESPONSE,
                                   .target = 0x40000,
                                   .reply = sample_address(other, 0x40000),
                                   .length = 64,
                                   .tag = 7};
    sample_noc_issue(tile, write);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_OUTSTANDING + 7), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_LEAVING + 7), 1);
    sample_chip_run(&s, 35);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_OUTSTANDING + 7), 1);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_LEAVING + 7), 0);
    sample_chip_finish(&s);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_OUTSTANDING + 7), 0);
    sample_noc_issue(tile, write);
    assert_true(niu_write(tile, 0, 0, s.chip->layout->noc_clear_outstanding, 1 << 7, 0));
    assert_int_equal(sample_counter(tile, 0, TT_NOC_OUTSTANDING + 7), 0);
    sample_chip_finish(&s);
    assert_int_equal(sample_counter(tile, 0, TT_NOC_OUTSTANDING + 7), 0);
    sample_chip_close(&s);
}

TEST(an_inline_write_can_be_limited_to_some_bytes)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0), *other = sample_tile(&s, 4, 0);
    sample_set_word(other, 0x40004, 0x11111111);
    sample_noc_issue(tile, (struct sample_command){.control = TT_NOC_WRITE | TT_NOC_INLINE |
                                                              TT_NOC_BYTE_ENABLE,
                                                   .target = sample_address(other, 0x40004),
                                                   .length = 5u << 4,
                                                   .data = 0xAABBCCDD});
    sample_chip_finish(&s);
    assert_int_equal(sample_word(other, 0x40004), 0x11BB11DD);
    sample_chip_close(&s);
}

TEST(the_third_address_register_may_hold_the_coordinates)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=p150");
    struct tile *tile = sample_tile(&s, 0, 0), *other = sample_tile(&s, 9, 4);
    uint32_t at = (uint32_t)(sample_address(other, 0) >> 36);
    assert_true(niu_write(tile, 0, 0, TT_NOC_RET_HI, at, 0));
    sample_set_word(tile, 0x40000, 3);
    sample_noc_write(tile, 0, 0x40000, 0x40000, 64, 0);
    sample_chip_finish(&s);
    assert_int_equal(sample_word(other, 0x40000), 3);
    sample_chip_close(&s);
}

// --- commands that make no sense -------------------------------------------------------
static struct fault fault_of(const char *config, bool at_bank,
                             struct sample_command command)
{
    struct sample_chip s;
    sample_chip_open(&s, config);
    struct tile *tile = sample_tile(&s, 0, 0);
    bool is_copy_out =
        (command.control & 3) == TT_NOC_WRITE && !(command.control & TT_NOC_INLINE);
    uint64_t *far = is_copy_out ? &command.reply : &command.target;
    if (at_bank)
        *far = sample_bank_address(&s, command.noc, 1, *far);
    else if (*far >> 36 == 0)
        *far = sample_address(sample_tile(&s, 1, 1), *far);
    sample_noc_issue(tile, command);
    struct fault fault = tile->fault;
    assert_int_equal(tile->outbox.n, fault.kind == FAULT_NONE);
    sample_chip_close(&s);
    return fault;
}

#define FAULT_IS(got, want_kind, want_text)                                                \
    do {                                                                                   \
        const struct fault got_fault = (got);                                              \
        assert_int_equal(got_fault.kind, want_kind);                                       \
        assert_string_equal(got_fault.what ? got_fault.what : "", want_text);              \
    } while (0)

TEST(commands_to_nowhere_are_faults)
{
    uint64_t router = (uint64_t)2 << 42,
             harvested = (uint64_t)18 << 36 | (uint64_t)27 << 42;
    uint64_t beyond = (uint64_t)63 << 36;
    struct sample_command read = {.control = TT_NOC_READ, .reply = 0x40000, .length = 64};
    read.target = router | 0x40000;
    struct fault fault = fault_of("board=n150", false, read);
    FAULT_IS(fault, FAULT_NOC_TARGET, "");
    assert_int_equal(fault.value, 2 << 8);
    assert_int_equal(fault.address, 0x40000);
    read.target = harvested;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_TARGET, "");
    read.target = beyond;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_TARGET, "");
    FAULT_IS(fault_of("board=n150", false,
                      (struct sample_command){.control = TT_NOC_WRITE | TT_NOC_MULTICAST,
                                              .target = 0x40000,
                                              .reply = (uint64_t)1 << 36 |
                                                       (uint64_t)1 << 48, // Ethernet row
                                              .length = 64}),
             FAULT_NOC_TARGET, "no worker in the rectangle");
}

TEST(commands_across_the_end_of_a_memory_are_faults)
{
    struct sample_command write = {.control = TT_NOC_WRITE, .length = 64};
    write.reply = 1499136 - 64;
    FAULT_IS(fault_of("board=n150", false, write), FAULT_NONE, "");
    write.reply += 16;
    FAULT_IS(fault_of("board=n150", false, write), FAULT_NOC_RANGE,
             "it is past the end of the target's L1");
    write.reply = (1ull << 30) - 64;
    FAULT_IS(fault_of("board=n150", true, write), FAULT_NONE, "");
    write.reply += 16;
    FAULT_IS(fault_of("board=n150", true, write), FAULT_NOC_RANGE,
             "the transfer crosses the end of the bank");
    write.reply = 1ull << 30;
    FAULT_IS(fault_of("board=n150", true, write), FAULT_NOC_RANGE,
             "it is past the end of the bank");
    write = (struct sample_command){
        .control = TT_NOC_WRITE, .target = 1499136 - 32, .reply = 0x40000, .length = 64};
    FAULT_IS(fault_of("board=n150", false, write), FAULT_NOC_RANGE,
             "the local part is outside L1");
}

TEST(commands_without_sense_are_faults)
{
    struct sample_command read = {
        .control = TT_NOC_READ, .target = 0x40000, .reply = 0x40000};
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_COMMAND,
             "a transfer of 0 bytes");
    read.length = 8192;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NONE, "");
    read.length = 8224;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_COMMAND,
             "longer than the maximum packet");
    FAULT_IS(fault_of("board=p150", false, read), FAULT_NONE, "");
    read.control = 3;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_COMMAND,
             "neither read, write nor atomic");
    read.control = TT_NOC_ATOMIC;
    read.length = 3 << 12;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_COMMAND,
             "an atomic other than the increment");
    read.length = 1 << 12;
    FAULT_IS(fault_of("board=n150", true, read), FAULT_NOC_COMMAND, "DRAM has no atomics");
}

TEST(misaligned_copies_are_faults_only_when_strict)
{
    struct sample_command read = {
        .control = TT_NOC_READ, .target = 0x1010, .reply = 0x40000, .length = 64};
    const char *text = "source and destination differ in their low address bits";
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NONE, ""); // L1: 16 bytes
    FAULT_IS(fault_of("board=n150", true, read), FAULT_NOC_COMMAND, text);
    FAULT_IS(fault_of("board=n150 strict=off", true, read), FAULT_NONE, "");
    read.target = 0x1020;
    FAULT_IS(fault_of("board=n150", true, read), FAULT_NONE, "");          // DRAM: 32 bytes
    FAULT_IS(fault_of("board=p150", true, read), FAULT_NOC_COMMAND, text); // 64
    read.target = 0x1008;
    FAULT_IS(fault_of("board=n150", false, read), FAULT_NOC_COMMAND, text);
}

TEST(a_second_command_into_a_busy_buffer_is_a_fault)
{
    struct sample_chip s;
    sample_chip_open(&s, "board=n150");
    struct tile *tile = sample_tile(&s, 0, 0);
    sample_noc_read(tile, 0, sample_address(tile, 0x40000), 0x50000, 64);
    assert_int_equal(tile->fault.kind, FAULT_NONE);
    sample_noc_read(tile, 0, sample_address(tile, 0x40000), 0x50000, 64);
    FAULT_IS(tile->fault, FAULT_NOC_COMMAND, "the command buffer is still busy");
    sample_chip_close(&s);
}
