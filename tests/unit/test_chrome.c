// test_chrome.c - firmware as begin and end events. Spec: device-log-report 6.4.
#include "present/timeline/chrome_json.h"
#include "sample_log.h"

static bool write_json(const struct sample_log *s, const char *path, struct err *e)
{
    return chrome_write(&s->trace, false, path, e);
}
static bool write_compat(const struct sample_log *s, const char *path, struct err *e)
{
    return chrome_write(&s->trace, true, path, e);
}

#define EVENT(phase, risc, id, time)                                                       \
    "  {\n    \"cat\": \"PERF\",\n    \"name\": \"" risc "\",\n    \"ph\": \"" phase       \
    "\",\n    \"pid\": " id ",\n    \"tid\": " id ",\n    \"ts\": " time "\n  }"
#define METADATA(core, id)                                                                 \
    "  {\n    \"args\": {\n      \"name\": \"" core                                        \
    "\"\n    },\n"                                                                         \
    "    \"name\": \"thread_name\",\n    \"ph\": \"M\",\n    \"pid\": " id                 \
    ",\n    \"tid\": " id "\n  }"

// Two chips with a core at the same place; SAMPLE_CHIP runs at 1000 MHz.
#define PROCESS(chip)                                                                      \
    "  {\n    \"args\": {\n      \"name\": \"Device " chip                                 \
    "\"\n    },\n"                                                                         \
    "    \"name\": \"process_name\",\n    \"ph\": \"M\",\n    \"pid\": " chip "\n  }"
#define THREAD(chip, name, id)                                                             \
    "  {\n    \"args\": {\n      \"name\": \"" name                                        \
    "\"\n    },\n"                                                                         \
    "    \"name\": \"thread_name\",\n    \"ph\": \"M\",\n    \"pid\": " chip               \
    ",\n    \"tid\": " id "\n  }"
#define MARK(phase, chip, risc, id, time)                                                  \
    "  {\n    \"cat\": \"PERF\",\n    \"name\": \"" risc "\",\n    \"ph\": \"" phase       \
    "\",\n    \"pid\": " chip ",\n    \"tid\": " id ",\n    \"ts\": " time "\n  }"

// An event a line is easier to read.
// clang-format off
TEST(chrome_has_a_process_per_chip_a_thread_per_risc_and_microseconds)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP,
                    "0,1,2,BRISC 1234567 1024 BRISC-FW START\n"
                    "0,1,2,BRISC 1234600 1024 BRISC-KERNEL START\n"
                    "0,1,2,BRISC 1235000 1024 BRISC-FW END\n"
                    "1,1,2,BRISC 7 1025 BRISC-FW START\n");
    STR_IS(sample_log_file(&s, write_json),
           "[\n" PROCESS("0") ",\n" THREAD("0", "(1, 2) BRISC", "20101") ",\n"
           MARK("B", "0", "BRISC", "20101", "1234.5670") ",\n"
           MARK("E", "0", "BRISC", "20101", "1235.0000") ",\n"
           PROCESS("1") ",\n" THREAD("1", "(1, 2) BRISC", "20101") ",\n"
           MARK("B", "1", "BRISC", "20101", "0.0070") "\n]");
    sample_log_end(&s);
}
// clang-format on

TEST(chrome_needs_the_clock_for_microseconds)
{
    struct sample_log s;
    struct err e = {0};
    sample_log_read(&s, SAMPLE_CHIP, "0,1,2,BRISC 5 1024 BRISC-FW START\n");
    s.trace.mhz = 0;
    assert_false(chrome_write(&s.trace, false, "/dev/null", &e));
    assert_int_equal(e.code, ERR_USAGE);
    assert_non_null(strstr(e.text, "--mhz"));
    assert_true(chrome_write(&s.trace, true, "/dev/null", &e));
    sample_log_end(&s);
}

// --- the form of 2023 --------------------------------------------------------------------
// An event a line is easier to read.
// clang-format off
TEST(chrome_of_2023_has_events_for_firmware_and_metadata_for_every_marker)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP,
                    "0,1,2,BRISC 100 1024 BRISC-FW START\n"
                    "0,1,2,BRISC 110 1024 BRISC-KERNEL START\n"
                    "0,1,2,TRISC_2 105 1024 TRISC-FW END\n");
    STR_IS(sample_log_file(&s, write_compat),
           "[\n" EVENT("B", "BRISC", "20101", "100") ",\n" METADATA("(1, 2)", "20101") ",\n"
           EVENT("E", "TRISC_2", "20105", "105") ",\n" METADATA("(1, 2)", "20105") ",\n"
           METADATA("(1, 2)", "20101") "\n]");
    sample_log_end(&s);
}

TEST(chrome_of_2023_goes_device_by_device_and_keeps_the_order_of_cores_at_the_same_time)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP,
                    "1,1,1,ERISC 900 1024 ERISC-FW START\n"
                    "0,2,1,NCRISC 50 1024 TICK TS_EVENT\n"
                    "0,2,1,BRISC 50 1024 BRISC-FW START\n"
                    "0,1,1,BRISC 50 1024 BRISC-FW START\n"
                    "0,1,1,BRISC 40 1024 TICK TS_DATA\n");
    STR_IS(sample_log_file(&s, write_compat),
           "[\n" EVENT("B", "ERISC", "10106", "900") ",\n" METADATA("(1, 1)", "10106") ",\n"
           METADATA("(1, 1)", "10101") ",\n" METADATA("(2, 1)", "10202") ",\n"
           EVENT("B", "BRISC", "10201", "50") ",\n" METADATA("(2, 1)", "10201") ",\n"
           EVENT("B", "BRISC", "10101", "50") ",\n" METADATA("(1, 1)", "10101") "\n]");
    sample_log_end(&s);
}

// clang-format on

TEST(chrome_of_2023_is_an_empty_list_for_an_empty_log)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, "");
    STR_IS(sample_log_file(&s, write_compat), "[]");
    sample_log_end(&s);
}

TEST(chrome_of_2023_escapes_names)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, "0,1,1,A\"B 5 0 A-FW START\n");
    STR_IS(
        sample_log_file(&s, write_compat),
        "[\n" EVENT("B", "A\\\"B", "10141", "5") ",\n" METADATA("(1, 1)", "10141") "\n]");
    sample_log_end(&s);
}

TEST(chrome_of_2023_gives_t0_of_2023_to_the_core_where_the_time_of_the_chip_begins)
{
    struct sample_log s;
    sample_log_read_text(
        &s,
        "Chip clock is at 1.2 GHz\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since "
        "reset]\n"
        "0, 1, 1, BRISC, 1, 110\n"
        "0, 1, 2, NCRISC, 4, 100\n");
    // clang-format off
    STR_IS(sample_log_file(&s, write_compat),
           "[\n" METADATA("(1, 2)", "20101") ",\n" METADATA("(1, 2)", "20102") ",\n"
           EVENT("E", "NCRISC", "20102", "100") ",\n" METADATA("(1, 2)", "20102") ",\n"
           EVENT("B", "BRISC", "10101", "110") ",\n" METADATA("(1, 1)", "10101") "\n]");
    // clang-format on
    sample_log_end(&s);
}
