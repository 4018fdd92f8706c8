// costs.c - the cycle table by name: defaults per chip, overridden by cost files.
#include "base/file/file.h"
#include "base/text/fields.h"

#include "sim/chips.h"
#include "sim/report/shown.h"

struct cost {
    struct field field;
    uint32_t value[TT_ARCHES];
};
#define COST_ROW(name, wormhole, blackhole, what)                                          \
    {{#name, &field_bits, offsetof(struct sim_costs, name), 1, COST_MOST, NULL},           \
     {(wormhole), (blackhole)}},
enum { COST_MOST = 1000000 };
static const struct cost table[] = {SIM_COSTS(COST_ROW)};
enum { COSTS = sizeof table / sizeof *table };

// Costs not named here may be 1 .. 1000000: an instruction that takes no time would never
// let the others run.
static const struct limit {
    const char *name;
    uint32_t least, most;
} limits[] = {
    {"clock_sample", 0, 1000},
    {"icache_miss", 0, COST_MOST},
    {"dram_latency", 0, COST_MOST},
    {"engine_issue", 0, COST_MOST},
    {"engine_latency", 0, COST_MOST},
    {"noc_write_hop", 0, 1000},
    // One tile must not affect another in the same window.
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
    for (size_t i = 0; i < COSTS; i++)
        *(uint32_t *)field_of(&table[i].field, costs) = table[i].value[arch];
}

static struct field field_with_limits(struct field f)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limits[i].name, f.name) == 0) {
            f.least = limits[i].least;
            f.most = limits[i].most;
        }
    return f;
}

static bool read_cost(struct sim_costs *costs, str line, struct err *e)
{
    str value = line;
    str name = str_trim(str_cut(&value, '='));
    if (name.n == line.n || name.n == 0)
        return err_set(e, ERR_FORMAT, "expected name = value");
    const struct cost *cost = fields_nearest(FIELDS(table), name);
    if (!str_is(name, cost->field.name))
        return err_set(e, ERR_FORMAT, "unknown cost '%s'; did you mean '%s'?",
                       shown_of(name).text, cost->field.name);
    struct field f = field_with_limits(cost->field);
    return field_read(&f, value, field_of(&f, costs)) == FIELD_OK ||
           err_set(e, ERR_FORMAT, "%s: expected an integer from %.0f to %.0f", f.name,
                   f.least, f.most);
}

// All or nothing, like the configuration.
bool costs_parse(struct sim_costs *costs, const char *text, size_t bytes, struct err *e)
{
    struct sim_costs given = *costs;
    str rest = {text, bytes};
    for (size_t number = 1; rest.n; number++) {
        str line = str_cut(&rest, '\n');
        line = str_trim(str_cut(&line, '#'));
        if (line.n && !read_cost(&given, line, e))
            return err_in(e, "line %zu", number);
    }
    *costs = given;
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
