// call_site.c - the line of the caller's program that later ops come from.
#include "runtime/parts.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void ttrt_call_site(ttrt *m, const char *file, uint32_t line, const char *function)
{
    if (!rt_enter(m))
        return;
    m->call_site.n = 0;
    if (!file)
        return;
    m->has_call_sites = true;
    buf_printf(&m->call_site, "%s:%u", file, line);
    if (function && function[0])
        buf_printf(&m->call_site, " %s", function);
}

// Readers take what a record leaves out from an earlier one of the same op, so it is told
// of every op from the first one on that has it, if only as empty.
void rt_call_site_put(const ttrt *m, struct json *j)
{
    if (m->has_call_sites)
        json_key_text(j, "call_site", buf_view(&m->call_site));
}

// A record without a description stands for the last one of the same op: if the op comes
// from another line now, it is described again.
bool rt_site_is_told(ttrt *m, uint32_t op, bool is_known)
{
    uint64_t site = m->call_site.n ? XXH3_64bits(m->call_site.p, m->call_site.n) : 0;
    if (op == m->told_sites.n)
        vec_push(&m->told_sites, site);
    is_known &= m->told_sites.v[op] == site;
    m->told_sites.v[op] = site;
    return is_known;
}
