// findings.c - the last lines of every report: what was odd in the data.
#include "base/log.h"

#include "cli/command.h"

void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e)
{
    for (int k = 0; k < DIAG_KINDS; k++) {
        const struct diag_entry *entry = &d->entry[k];
        if (entry->count)
            log_line("%s: %s: %s (%llu in all): %s", command, entry->first,
                     diag_what((enum diag_kind)k), (unsigned long long)entry->count,
                     diag_remedy((enum diag_kind)k));
    }
    uint64_t total = diag_total(d);
    if (is_strict && total && e->code == ERR_NONE)
        (void)err_set(e, ERR_FAILED, "--strict: odd data found %llu times",
                      (unsigned long long)total);
}
