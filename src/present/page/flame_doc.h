// flame_doc.h - the page of `ttprof flame`: the flame graph, and the zones as a table.
#ifndef TTP_PRESENT_PAGE_FLAME_DOC_H
#define TTP_PRESENT_PAGE_FLAME_DOC_H

#include "analyse/host/host_flame.h"
#include "present/reports/zones_table.h"

struct flame_page {
    const struct trace *run;
    const struct host_flame *flame;
    const struct table *zones;
    const char *source;  // what was read
    uint64_t max_frames; // the narrowest are left out, and a note says how many
};

bool flame_doc_html(const struct flame_page *p, const char *path, struct err *e);

#endif
