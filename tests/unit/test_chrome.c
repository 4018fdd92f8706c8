// test_chrome.c - firmware as begin and end events. Spec: device-log-report 6.4.
#include "present/timeline/chrome_json.h"
#include "sample_log.h"

static bool write_json(const struct sample_log *s, const char *path, struct err *e)
{
    return chrome_write(&s->trace, path, e);
}

#define EVENT(phase, risc, id, time)                                                       \
    "  {\n    \"cat\": \"PERF\",\n    \"name\": \"" risc "\",\n    \"ph\": \"" phase       \
    "\",\n    \"pid\": " id ",\n    \"tid\": " id ",\n    \"ts\": " time "\n  }"
#define METADATA(core, id)                                                                 \
    "  {\n    \"args\": {\n      \"name\": \"" core                                        \
    "\"\n    },\n"                                                                         \
    "    \"name\": \"thread_name\",\n    \"ph\": \"M\",\n    \"pid\": " id                 \
    ",\n    \"tid\": " id "\n  }"

// An event a line is easier to read.
// clang-format off
TEST(chrome_has_events_for_firmware_and_metadata_for_every_marker)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP,
                    "0,1,2,BRISC 100 1024 BRISC-FW START\n"
                    "0,1,2,BRISC 110 1024 BRISC-KERNEL START\n"
                    "0,1,2,TRISC_2 105 1024 TRISC-FW END\n");
    STR_IS(sample_log_file(&s, write_json),
           "[\n" EVENT("B", "BRISC", "20101", "100") ",\n" METADATA("(1, 2)", "20101") ",\n"
           EVENT("E", "TRISC_2", "20105", "105") ",\n" METADATA("(1, 2)", "20105") ",\n"
           METADATA("(1, 2)", "20101") "\n]");
    sample_log_end(&s);
}

TEST(chrome_goes_device_by_device_and_keeps_the_order_of_cores_at_the_same_time)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP,
                    "1,1,1,ERISC 900 1024 ERISC-FW START\n"
                    "0,2,1,NCRISC 50 1024 TICK TS_EVENT\n"
                    "0,2,1,BRISC 50 1024 BRISC-FW START\n"
                    "0,1,1,BRISC 50 1024 BRISC-FW START\n"
                    "0,1,1,BRISC 40 1024 TICK TS_DATA\n");
    STR_IS(sample_log_file(&s, write_json),
           "[\n" EVENT("B", "ERISC", "10106", "900") ",\n" METADATA("(1, 1)", "10106") ",\n"
           METADATA("(1, 1)", "10101") ",\n" METADATA("(2, 1)", "10202") ",\n"
           EVENT("B", "BRISC", "10201", "50") ",\n" METADATA("(2, 1)", "10201") ",\n"
           EVENT("B", "BRISC", "10101", "50") ",\n" METADATA("(1, 1)", "10101") "\n]");
    sample_log_end(&s);
}

// clang-format on

TEST(chrome_is_an_empty_list_for_an_empty_log)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, "");
    STR_IS(sample_log_file(&s, write_json), "[]");
    sample_log_end(&s);
}

TEST(chrome_escapes_names)
{
    struct sample_log s;
    sample_log_read(&s, SAMPLE_CHIP, "0,1,1,A\"B 5 0 A-FW START\n");
    STR_IS(
        sample_log_file(&s, write_json),
        "[\n" EVENT("B", "A\\\"B", "10141", "5") ",\n" METADATA("(1, 1)", "10141") "\n]");
    sample_log_end(&s);
}

TEST(chrome_gives_t0_of_2023_to_the_core_where_the_time_of_the_chip_begins)
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
    STR_IS(sample_log_file(&s, write_json),
           "[\n" METADATA("(1, 2)", "20101") ",\n" METADATA("(1, 2)", "20102") ",\n"
           EVENT("E", "NCRISC", "20102", "100") ",\n" METADATA("(1, 2)", "20102") ",\n"
           EVENT("B", "BRISC", "10101", "110") ",\n" METADATA("(1, 1)", "10101") "\n]");
    // clang-format on
    sample_log_end(&s);
}
