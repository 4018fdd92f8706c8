// run_rows.h - the rows of a run's page while they are put together: a trace in ns whose
// devices are groups of rows.
#ifndef TTP_PRESENT_TIMELINE_RUN_ROWS_H
#define TTP_PRESENT_TIMELINE_RUN_ROWS_H

#include "present/timeline/run_timeline.h"
#include "present/timeline/timeline.h"
#include "table/table.h"

// What does not fit is left out and counted: a page must open.
enum {
    RUN_TEXTS_MOST = 200000, // that zones have
    RUN_MARKS_MOST = 50000,  // messages, and as many signposts
    RUN_FRAMES_MOST = 100000,
    RUN_POINTS_MOST = 20000, // of a plot
    RUN_TEXT_MOST = 1000,    // bytes
};

struct run_rows {
    const struct run_timeline *in;
    struct arena arena;
    struct trace trace; // zones stand in the columns below until the end
    struct device_ops ops;
    struct notes *notes;
    VEC(struct timeline_group) groups;
    VEC(struct timeline_place) places;
    VEC(uint64_t) starts, ends;
    VEC(uint32_t) sites, runs;
    VEC(uint8_t) depths;
    struct map texts; // views of the trace's strings
    VEC(struct timeline_mark) marks;
    size_t n_messages, n_signposts;
    VEC(struct timeline_frame) frames;
    VEC(struct timeline_plot) plots;
    uint64_t span;
    struct table processes;
    // left out, or odd
    uint64_t n_too_deep, n_texts_over, n_marks_over, n_frames_over;
};

void rows_start(struct run_rows *r, const struct run_timeline *in, struct notes *notes);
void rows_free(struct run_rows *r);

// A group of rows; its id is unique among those of its kind. Returns its device.
uint32_t rows_add_group(struct run_rows *r, int64_t id, struct timeline_group group);
// A row of a group that is no chip, below those before. Its zones follow.
uint32_t rows_add_row(struct run_rows *r, uint32_t device, str label);
uint32_t rows_add_core(struct run_rows *r, uint32_t device, int32_t x, int32_t y);
uint32_t rows_add_track(struct run_rows *r, uint32_t core, str label);

struct rows_zone {
    uint64_t start, end; // end ROWS_NO_END: it lasts as long as the page
    uint32_t site, run;
    uint8_t depth; // with ZONE_REPAIRED
};
#define ROWS_NO_END UINT64_MAX
// Of the last track, in order of their start.
void rows_add_zone(struct run_rows *r, struct rows_zone z);

struct rows_site {
    str name, file, function;
    int64_t line;
    uint32_t colour;
};
uint32_t rows_add_site(struct run_rows *r, struct rows_site s);
// What `run` of a zone says of that text; 0 when there is no room for more.
uint32_t rows_text(struct run_rows *r, str text);
// The same text without what is no UTF-8, cut to a length; lives as long as the rows.
str rows_clean(struct run_rows *r, str text, size_t most);

static inline bool rows_has_process(const struct run_rows *r, uint32_t pid)
{
    bool found = r->in->n_pids == 0;
    for (size_t i = 0; i < r->in->n_pids; i++)
        found |= r->in->pids[i] == pid;
    return found;
}
static inline str rows_host_text(const struct run_rows *r, uint32_t string)
{
    return r->in->host->strings.keys.v[string];
}
// What a process is called: its program without the folders.
str rows_base_name(str path);
str rows_process_name(const struct run_rows *r, const struct trace_process *p);

void rows_put_end(struct buf *b, const struct process *p); // "exited with 0"

// --- the parts ---
void rows_add_processes(struct run_rows *r); // a row for each, from the process log
void rows_add_threads(struct run_rows *r);   // a group for each process that recorded
void rows_add_chips(struct run_rows *r);
void rows_add_process_table(struct run_rows *r);
void rows_add_notes(struct run_rows *r);

#endif
