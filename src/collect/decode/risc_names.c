// risc_names.c - names of a core's RISCs, as in the log.
#include "collect/readout/collection.h"

static const char *const worker[TT_RISCS] = {"BRISC", "NCRISC", "TRISC_0", "TRISC_1",
                                             "TRISC_2"};
static const char *const quasar[] = {
    "QUASAR_DM0",         "QUASAR_DM1",         "QUASAR_DM2",         "QUASAR_DM3",
    "QUASAR_DM4",         "QUASAR_DM5",         "QUASAR_DM6",         "QUASAR_DM7",
    "QUASAR_NEO0_TRISC0", "QUASAR_NEO0_TRISC1", "QUASAR_NEO0_TRISC2", "QUASAR_NEO0_TRISC3",
    "QUASAR_NEO1_TRISC0", "QUASAR_NEO1_TRISC1", "QUASAR_NEO1_TRISC2", "QUASAR_NEO1_TRISC3",
    "QUASAR_NEO2_TRISC0", "QUASAR_NEO2_TRISC1", "QUASAR_NEO2_TRISC2", "QUASAR_NEO2_TRISC3",
    "QUASAR_NEO3_TRISC0", "QUASAR_NEO3_TRISC1", "QUASAR_NEO3_TRISC2", "QUASAR_NEO3_TRISC3",
};
_Static_assert(sizeof quasar / sizeof *quasar == RISCS_MOST, "every buffer has a name");

const char *worker_risc_name(unsigned risc)
{
    return risc < TT_RISCS ? worker[risc] : NULL;
}

const char *collection_risc_name(const struct collection *c, const struct chip_record *chip,
                                 const struct tt_core *core, unsigned risc)
{
    if (core->kind == TT_CORE_ETH)
        return risc == 0 ? "ERISC" : NULL;
    if (c->options.trace_only)
        return risc == 0 ? "TENSIX_RISC_AGG" : NULL;
    if (chip->arch_name && str_is(str_of(chip->arch_name), "quasar"))
        return risc < RISCS_MOST ? quasar[risc] : NULL;
    return worker_risc_name(risc);
}
