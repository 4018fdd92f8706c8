// tracy_device.c - see tracy_device.h.
#include "record/format/tracy_device.h"

#include <stdio.h>

const char tracy_shared_name[] = "more than 32767 places";

static const struct {
    const char *log, *lane;
    uint32_t colour;
} riscs[] = {
    [TRACY_BRISC] = {"BRISC", "BRISC", 0xEE9A00},                 // Orange2
    [TRACY_NCRISC] = {"NCRISC", "NCRISC", 0x43CD80},              // SeaGreen3
    [TRACY_TRISC_0] = {"TRISC_0", "TRISC_0", 0x6CA6CD},           // SkyBlue3
    [TRACY_TRISC_1] = {"TRISC_1", "TRISC_1", 0x00E5EE},           // Turquoise2
    [TRACY_TRISC_2] = {"TRISC_2", "TRISC_2", 0x98F5FF},           // CadetBlue1
    [TRACY_ERISC] = {"ERISC", "ERISC", 0xCDCD00},                 // Yellow3
    [TRACY_CORE_AGG] = {"TENSIX_RISC_AGG", "CORE_AGG", 0x79CDCD}, // DarkSlateGray3
    [TRACY_OTHER_RISC] = {"", "", 0},
};
enum { PROFILER_COLOUR = 0xCD4F39 }; // Tomato3

static bool is_text(const char *text, size_t n, const char *other)
{
    return strlen(other) == n && memcmp(text, other, n) == 0;
}

uint32_t tracy_risc_of(const char *name, size_t n)
{
    for (uint32_t i = 0; i < TRACY_OTHER_RISC; i++)
        if (is_text(name, n, riscs[i].log))
            return i;
    return TRACY_OTHER_RISC;
}

const char *tracy_risc_name(uint32_t risc)
{
    return riscs[risc].lane;
}

// --- lanes -----------------------------------------------------------------------------

// Where parts of a lane are: those of tt-metal, then what does not fit there. Processors
// beyond the eighth are those of chips with many of them.
static const struct {
    uint8_t part, from, bits, at;
} parts[] = {
    {0, 0, 3, 0},  {1, 0, 4, 3},  {2, 0, 4, 7},  {3, 0, 8, 11},
    {1, 4, 2, 19}, {2, 4, 2, 21}, {3, 8, 4, 23}, {0, 3, 5, 27},
};
enum { N_PARTS = sizeof parts / sizeof *parts };

uint64_t tracy_lane_of(const struct tracy_core *core, uint32_t risc)
{
    const uint64_t values[] = {risc, (uint32_t)core->x, (uint32_t)core->y,
                               (uint64_t)core->chip};
    uint64_t lane = 0;
    for (int i = 0; i < N_PARTS; i++)
        lane |= (values[parts[i].part] >> parts[i].from & ((1U << parts[i].bits) - 1))
                << parts[i].at;
    return lane;
}

void tracy_lane_parts(uint64_t lane, struct tracy_core *core, uint32_t *risc)
{
    uint64_t values[4] = {0};
    for (int i = 0; i < N_PARTS; i++)
        values[parts[i].part] |= (lane >> parts[i].at & ((1U << parts[i].bits) - 1))
                                 << parts[i].from;
    *risc = (uint32_t)values[0];
    *core = (struct tracy_core){.chip = (int64_t)values[3],
                                .x = (int32_t)values[1],
                                .y = (int32_t)values[2],
                                .logical_x = -1,
                                .logical_y = -1};
}

bool tracy_has_core_contexts(enum tracy_generation generation)
{
    return generation != TRACY_U14;
}

uint8_t tracy_device_type(enum tracy_generation generation)
{
    static const uint8_t types[TRACY_GENERATIONS] = {
        [TRACY_F10] = TRACY_GPU_TENSTORRENT,
        [TRACY_U14] = TRACY_GPU_CUSTOM,
        [TRACY_T14] = TRACY_GPU_TENSTORRENT_14,
    };
    return types[generation];
}

// --- texts -----------------------------------------------------------------------------

size_t tracy_device_name(char name[TRACY_DEVICE_NAME_MOST],
                         enum tracy_generation generation, const struct tracy_core *core)
{
    int n;
    if (!tracy_has_core_contexts(generation))
        n = snprintf(name, TRACY_DEVICE_NAME_MOST, "Device: %lld", (long long)core->chip);
    else if (core->logical_x < 0)
        n = snprintf(name, TRACY_DEVICE_NAME_MOST, "Device: %lld, Physical (%d,%d)",
                     (long long)core->chip, core->x, core->y);
    else
        n = snprintf(
            name, TRACY_DEVICE_NAME_MOST, "Device: %lld, Logical (%d,%d) Physical (%d,%d)",
            (long long)core->chip, core->logical_x, core->logical_y, core->x, core->y);
    return (size_t)n;
}

bool tracy_names_run(const char *zone, size_t n)
{
    return is_text(zone, n, "BRISC-FW") || is_text(zone, n, "ERISC-FW");
}

size_t tracy_run_text(char text[TRACY_RUN_TEXT_MOST], int64_t run, bool is_trace)
{
    *text = 0;
    if (run <= 0)
        return 0;
    return (size_t)snprintf(text, TRACY_RUN_TEXT_MOST, "%s ID:%lld",
                            is_trace ? "TRACE" : "OP", (long long)run);
}

uint32_t tracy_zone_colour(const char *zone, size_t n, uint32_t risc)
{
    static const char profiler[] = "PROFILER";
    for (size_t i = 0; i + sizeof profiler - 1 <= n; i++)
        if (memcmp(zone + i, profiler, sizeof profiler - 1) == 0)
            return PROFILER_COLOUR;
    return riscs[risc < TRACY_OTHER_RISC ? risc : TRACY_OTHER_RISC].colour;
}
