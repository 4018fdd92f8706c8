// costs.c - the cycle table by name: default figures per chip, and cost files over them.
#include <stdio.h>

#include "base/file/file.h"
#include "base/text/num.h"

#include "sim/chips.h"
#include "sim/report/shown.h"

struct cost {
    const char *name;
    uint32_t value[TT_ARCHES];
};
#define COST_ROW(name, wormhole, blackhole, what) {#name, {(wormhole), (blackhole)}},
static const struct cost table[] = {SIM_COSTS(COST_ROW)};
enum { COSTS = sizeof table / sizeof *table };
// The struct is the table's values in order, and is copied as such.
_Static_assert(sizeof(struct sim_costs) == COSTS * sizeof(uint32_t), "fields only");

// What is not named here may be 1 .. 1000000: an instruction that takes no time would never
// let the others run.
struct limit {
    const char *name;
    uint32_t least, most;
};
enum { COST_MOST = 1000000 };
static const struct limit limits[] = {
    {"clock_sample", 0, 1000},
    {"icache_miss", 0, COST_MOST},
    {"dram_latency", 0, COST_MOST},
    {"engine_issue", 0, COST_MOST},
    {"engine_latency", 0, COST_MOST},
    {"noc_write_hop", 0, 1000},
    // What one tile does must not reach another in the same window.
    {"noc_write_base", SIM_LOOKAHEAD, COST_MOST},
    {"noc_read_tile", SIM_LOOKAHEAD, COST_MOST},
    {"noc_read_column", SIM_LOOKAHEAD, COST_MOST},
    {"noc_read_row", SIM_LOOKAHEAD, COST_MOST},
    {"noc_read_other", SIM_LOOKAHEAD, COST_MOST},
    {"noc_sent_least", SIM_LOOKAHEAD, COST_MOST},
    {"eth_latency_ns", 100, COST_MOST},
    {"loads_in_flight", 1, 8},
    {"div_most", 6, 1000},
    {"store_buffer", 1, 64},
    {"eth_credits", 1, 64},
};

void costs_default(struct sim_costs *costs, int arch)
{
    uint32_t values[COSTS];
    for (size_t i = 0; i < COSTS; i++)
        values[i] = table[i].value[arch];
    memcpy(costs, values, sizeof *costs);
}

static struct limit limit_of(const char *name)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].name, name) == 0)
            return limits[i];
    return (struct limit){name, 1, COST_MOST};
}

// Index of the name, or of the nearest one with *is_it false.
static size_t cost_find(str name, bool *is_it)
{
    size_t best = 0;
    unsigned best_distance = UINT32_MAX;
    for (size_t i = 0; i < COSTS; i++) {
        unsigned d = str_distance(name, str_of(table[i].name), 64);
        if (d < best_distance) {
            best_distance = d;
            best = i;
        }
    }
    *is_it = best_distance == 0;
    return best;
}

static bool costs_line(uint32_t values[COSTS], str line, struct err *e)
{
    str value = line;
    str name = str_trim(str_cut(&value, '='));
    if (name.n == line.n || name.n == 0)
        return err_set(e, ERR_FORMAT, "expected name = value");
    bool is_it;
    size_t i = cost_find(name, &is_it);
    if (!is_it)
        return err_set(e, ERR_FORMAT, "unknown cost '%s'; did you mean '%s'?",
                       shown_of(name).text, table[i].name);
    struct limit limit = limit_of(table[i].name);
    int64_t v;
    if (!num_int(value, &v) || v < limit.least || v > limit.most)
        return err_set(e, ERR_FORMAT, "%s: expected a whole number from %u to %u",
                       limit.name, (unsigned)limit.least, (unsigned)limit.most);
    values[i] = (uint32_t)v;
    return true;
}

// All or nothing, like the configuration.
bool costs_parse(struct sim_costs *costs, const char *text, size_t bytes, struct err *e)
{
    uint32_t values[COSTS];
    memcpy(values, costs, sizeof values);
    str rest = {text, bytes};
    for (size_t number = 1; rest.n; number++) {
        str line = str_cut(&rest, '\n');
        line = str_trim(str_cut(&line, '#'));
        if (line.n && !costs_line(values, line, e))
            return err_in(e, "line %zu", number);
    }
    memcpy(costs, values, sizeof *costs);
    return true;
}

bool costs_read(struct sim_costs *costs, const char *path, struct err *e)
{
    struct file f;
    if (!file_open(path, &f, e))
        return err_in(e, "costs");
    bool is_good = f.damage ? err_set(e, ERR_FORMAT, "%s", f.damage)
                            : costs_parse(costs, f.text.p, f.text.n, e);
    file_close(&f);
    return is_good || err_in(e, "costs: %.120s", path);
}
