// timeline_rows.h - builds the rows of a run's page; all times are ns of the axis.
#ifndef TTP_PRESENT_TIMELINE_TIMELINE_ROWS_H
#define TTP_PRESENT_TIMELINE_TIMELINE_ROWS_H

#include "present/timeline/timeline_plan.h"

// Limits, so that the page still opens; anything above them is left out and counted.
enum {
    TIMELINE_TEXTS_MOST = 200000, // of zones
    TIMELINE_MARKS_MOST = 50000,  // messages, and as many signposts
    TIMELINE_FRAMES_MOST = 100000,
    TIMELINE_POINTS_MOST = 20000, // of a plot
    TIMELINE_TEXT_MOST = 1000,    // bytes
};

struct timeline_rows {
    VEC(uint64_t) starts, ends; // zones
    VEC(uint32_t) sites, runs, zone_texts;
    VEC(uint8_t) depths;
    struct map strings;                // as UTF-8
    struct map texts;                  // of zones: views of the strings
    VEC(struct timeline_mark) marks;   // in order of time
    VEC(struct timeline_frame) frames; // group by group, in order of time
    VEC(struct timeline_plot) plots;   // group by group
    size_t n_messages, n_signposts;
    uint64_t span;
    struct table processes;
    // left out
    uint64_t n_too_deep, n_texts_over, n_marks_over, n_frames_over;
};

// All rows of a run, its table of processes, and its notes.
void timeline_rows_make(struct timeline_plan *p);
void timeline_rows_free(struct timeline_rows *r);

uint32_t timeline_add_group(struct timeline_plan *p, struct timeline_group group);
// Appends a row to a group that is not a chip. Its zones follow.
uint32_t timeline_add_row(struct timeline_plan *p, uint32_t group, str label);

struct timeline_zone {
    uint64_t start, end; // end TIMELINE_NO_END: lasts to the end of the page
    uint32_t site, run, text;
    uint8_t depth; // with ZONE_REPAIRED
};
#define TIMELINE_NO_END UINT64_MAX
// Appends a zone to the last row, in order of start.
void timeline_add_zone(struct timeline_plan *p, struct timeline_zone z);

// Makes the site's texts valid UTF-8.
uint32_t timeline_add_site(struct timeline_plan *p, struct timeline_site s);
// The number of a zone's text; 0 when there is no room for more.
uint32_t timeline_text(struct timeline_plan *p, str text);
// The text without invalid UTF-8; equal texts share one copy, owned by the plan.
str timeline_clean(struct timeline_plan *p, str text, size_t most);

bool timeline_has_process(const struct timeline_plan *p, uint32_t pid);
// A process's name: its program without the folders.
str timeline_process_name(const struct trace *t, const struct trace_process *p);
void timeline_put_end(struct buf *b, const struct process *p); // "exited with 0"

// --- the parts ---
void timeline_add_programs(struct timeline_plan *p); // a row for each logged process
void timeline_add_threads(struct timeline_plan *p);  // a group per recording process
void timeline_add_chips(struct timeline_plan *p);
struct table timeline_process_table(struct timeline_plan *p);
void timeline_add_notes(struct timeline_plan *p);

#endif
