// legacy_markers.h - the markers of 2023: only four firmware ids exist. They get the names
// that such markers have today.
#ifndef TTP_TRACE_LEGACY_MARKERS_H
#define TTP_TRACE_LEGACY_MARKERS_H

#include "trace/trace.h"

struct legacy_marker {
    str family, end; // the name in two parts, both empty for any other id
    enum marker_type type;
};

static inline struct legacy_marker legacy_marker_of(str risc, uint64_t id)
{
    static const struct {
        const char *end;
        enum marker_type type;
    } known[] = {[1] = {"-FW", MARKER_ZONE_START},
                 [2] = {"-KERNEL", MARKER_ZONE_START},
                 [3] = {"-KERNEL", MARKER_ZONE_END},
                 [4] = {"-FW", MARKER_ZONE_END}};
    if (id < 1 || id > 4)
        return (struct legacy_marker){S(""), S(""), MARKER_TS_EVENT};
    str family = str_starts(risc, S("TRISC")) ? S("TRISC") : risc;
    return (struct legacy_marker){family, str_of(known[id].end), known[id].type};
}

#endif
