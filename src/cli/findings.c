// findings.c - the last lines of every report: what was odd in the data.
#include "table/findings.h"

#include "base/log.h"

#include "cli/command.h"

static void log_finding(void *command, const char *text)
{
    log_line("%s: %s", (const char *)command, text);
}

void command_findings(const char *command, const struct diag *d, bool is_strict,
                      struct err *e)
{
    findings_lines(d, log_finding, (void *)command);
    uint64_t total = diag_total(d);
    if (is_strict && total && e->code == ERR_NONE)
        (void)err_set(e, ERR_FAILED, "--strict: odd data found %llu times",
                      (unsigned long long)total);
}
