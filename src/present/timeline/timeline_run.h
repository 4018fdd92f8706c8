// timeline_run.h - what the document of a run's page has beyond that of a device log.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_RUN_H
#define TTP_PRESENT_TIMELINE_TIMELINE_RUN_H

#include "base/file/file.h"
#include "base/text/json.h"

#include "present/timeline/timeline_plan.h"

// More keys of a device, and more elements of a site.
void timeline_run_device(const struct timeline_plan *p, size_t device, struct json *j);
void timeline_run_site(const struct timeline_plan *p, size_t site, struct json *j);
// "unit", "texts", "marks", "frames" and "plots".
void timeline_run_parts(const struct timeline_plan *p, struct json *j, struct out *o);

#endif
