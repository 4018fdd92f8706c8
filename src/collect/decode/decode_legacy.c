// decode_legacy.c - the 2023 buffer format: end index, number of dropped markers, and
// markers of three words.
#include <stdio.h>

#include "collect/decode/decode_parts.h"
#include "trace/legacy_markers.h"

enum {
    LEGACY_WORDS = 51,
    LEGACY_END = 0,
    LEGACY_DROPPED = 1,
    LEGACY_FIRST = 2,
    LEGACY_MARKER = 3, // timer id, time low, time high
};

static uint32_t legacy_site(struct decode_lane *l, uint32_t id)
{
    struct legacy_marker marker = legacy_marker_of(l->risc, id);
    char name[40];
    (void)snprintf(name, sizeof name, "%.*s%.*s", STR(marker.family), STR(marker.end));
    struct extra_site site = {.type = (uint32_t)marker.type,
                              .id = id,
                              .name = str_of(name),
                              .line = SITE_NO_LINE,
                              .legacy = l->track->risc + 1};
    return lane_extra(l, &site);
}

void decode_legacy_block(struct decode_lane *l, const struct word_block *b)
{
    struct run_key none = {
        .chip = l->d->chips.v[b->chip].chip->id, .trace_id = -1, .trace_counter = -1};
    uint32_t run = lane_run_of(l, &none);
    struct risc_health *h = &l->track->health;
    h->truncated += b->n_missing != 0;
    // One buffer, or one for each time it was read.
    for (size_t at = 0; at < b->n; at += LEGACY_WORDS) {
        const uint32_t *w = b->words + at;
        size_t n = b->n - at < LEGACY_WORDS ? b->n - at : LEGACY_WORDS;
        if (n < LEGACY_FIRST) {
            h->truncated++;
            return;
        }
        h->l1_dropped += w[LEGACY_DROPPED];
        size_t end = w[LEGACY_END];
        h->truncated += end > n;
        end = end < n ? end : n;
        for (size_t i = LEGACY_FIRST; i + LEGACY_MARKER <= end; i += LEGACY_MARKER)
            (void)rows_put(l, (uint64_t)w[i + 2] << 32 | w[i + 1], legacy_site(l, w[i]),
                           run);
    }
}

void legacy_coordinates(const struct tt_core *core, int32_t *x, int32_t *y)
{
    enum { DRAM_ROW = 6 };
    *x = core->x - 1;
    *y = core->y > DRAM_ROW ? core->y - 2 : core->y - 1;
}
