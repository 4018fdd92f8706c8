// health_walk.h - parts of the health of a collection, between collection_health.c and
// collection_health_json.c: all cores and RISCs one by one, and the numbers of a RISC.
#ifndef TTP_PROFILER_HEALTH_WALK_H
#define TTP_PROFILER_HEALTH_WALK_H

#include "collect/readout/collection.h"

// --- one walk for all ------------------------------------------------------------------
struct health_place {
    const struct chip_record *chip;
    const struct tt_core *core;
    size_t i_core;
    int risc; // -1: the core itself
};

// The next RISC or core in the order of chips, cores and RISCs; start with zero.
struct health_walk {
    const struct collection *c;
    size_t chip, core;
    int risc; // the next one; -1 first
    bool is_started;
};
bool health_next(struct health_walk *w, struct health_place *p);

static inline const struct risc_health *risc_at(const struct health_place *p)
{
    return &p->chip->riscs[p->i_core][p->risc];
}
static inline const struct core_health *core_at(const struct health_place *p)
{
    return &p->chip->core_health[p->i_core];
}
// As in the log.
str health_risc_name(const struct collection *c, const struct health_place *p);

// --- what there is to tell -------------------------------------------------------------
// Numbers of a RISC, in the order of the file. Those without words are no findings.
struct health_field {
    const char *key;
    const char *words; // behind the number, in the table
    size_t at;
};
enum { HEALTH_FIELDS = 14 };
extern const struct health_field health_fields[HEALTH_FIELDS];

uint64_t health_value(const struct risc_health *h, const struct health_field *f);
bool health_has_findings(const struct risc_health *h);
static inline bool is_odd(const struct core_health *h)
{
    return h->is_partial || h->is_damaged;
}
bool health_is_aligned(const struct collection *c); // are all chips, with the host?

#endif
