// health.h - what was odd in a log: lines for the person, profiler_health.json for
// programs.
#ifndef TTP_PROFILER_HEALTH_H
#define TTP_PROFILER_HEALTH_H

#include "base/text/err.h"
#include "base/text/json.h"

#include "analyse/fold/device_ops.h"

// Totals, findings by kind, and findings by chip, core and RISC; tracks without findings
// are summed.
bool health_write(const struct trace *t, const struct device_ops *ops, const char *path,
                  struct err *e);
// "findings": what is odd, by kind, with its sentence and remedy.
void health_put_findings(const struct diag *diag, struct json *j);

#endif
