// check_zones.h - holds what a run folder tells against the account of who wrote it.
#ifndef TTP_TESTS_CHECK_ZONES_H
#define TTP_TESTS_CHECK_ZONES_H

#include "base/text/buf.h"

#include "zone_script.h"

struct zones_checked {
    uint64_t zones, open, messages, tracks, processes, lost, overwritten;
    uint64_t in_flight; // calls that were recorded but had not come back
};
// False: `why` says what is wrong. Nothing must run any more; end_ns: when it ended.
bool zones_check(const char *folder, const struct account *account, uint64_t end_ns,
                 struct zones_checked *sums, struct buf *why);

#endif
