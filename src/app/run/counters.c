// counters.c - parses the requested groups of hardware counters and checks that the device
// has them.
#include <stdlib.h>

#include "base/text/log.h"

#include "app/run/options.h"
#include "app/sim/config.h"
#include "collect/decode/counter_groups.h"

// The architecture from the environment, else from the software device's configuration.
static const char *declared_arch(void)
{
    static const char *const variables[] = {"TT_METAL_DEVICE_ARCH", "TT_ARCH_NAME",
                                            "ARCH_NAME"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0])
            return value;
    }
    struct err none = {0};
    ttdev_cfg cfg;
    if (!getenv("TTPROF_DEVICE") || !sim_config(&(struct sim_device){0}, &cfg, &none))
        return "undeclared";
    return cfg.arch == TT_BLACKHOLE ? "blackhole" : "wormhole_b0";
}

// ['fpu', 'l1_0'], the way Python prints a list.
static void put_list(struct buf *b, str list)
{
    const char *separator = "['";
    while (list.n) {
        str name = str_cut(&list, ',');
        buf_printf(b, "%s%.*s'", separator, STR(name));
        separator = ", '";
    }
    buf_char(b, ']');
}

bool run_counters_settle(const struct run_values *v, struct run_settings *s, struct err *e)
{
    struct buf names = {0}, list = {0};
    if (!counter_groups_parse(str_of(v->counters), &s->counter_groups, e))
        return false;
    counter_groups_blackhole(s->counter_groups, &names);
    const char *arch = names.n ? declared_arch() : "";
    if (names.n && !str_eq_nocase(str_trim(str_of(arch)), S("blackhole")))
        (void)err_set(
            e, ERR_FAILED,
            "Performance counter groups %.*s are supported only on Blackhole, but device arch is %s.",
            STR(names), arch);
    put_list(&list, str_of(v->counters));
    if (e->code == ERR_NONE && s->counter_groups && !v->quiet)
        log_line("run: Setting performance counter groups: %.*s (bitfield: %u)", STR(list),
                 s->counter_groups);
    buf_free(&names);
    buf_free(&list);
    return e->code == ERR_NONE;
}
