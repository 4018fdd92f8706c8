// out_rows.c - rounds: each lane formats its part of some rows, then the parts are written.
#include "base/file/out_rows.h"

#include "base/text/progress.h"

// Several lanes take many rows at a time to amortise their start; a single lane writes
// often to need little memory.
enum { ROWS_OF_LANES = 8192, ROWS_OF_ONE = 64 };

struct rows_job {
    out_rows_put put;
    void *context;
    size_t from, to; // rows of the round
    struct buf *parts;
};

static void put_lane(struct lane lane, void *context)
{
    const struct rows_job *job = context;
    struct range range = lane_range(lane, job->to - job->from);
    job->put(lane, job->context,
             (struct range){job->from + range.from, job->from + range.to},
             &job->parts[lane.index]);
}

void out_rows(struct out *o, size_t n_rows, unsigned lanes, out_rows_put put, void *context)
{
    struct rows_job job = {.put = put, .context = context};
    job.parts = mem_alloc(mem_bytes(sizeof *job.parts, lanes));
    struct progress bar = progress_start(o->path, n_rows);
    size_t most = lanes > 1 ? (size_t)lanes * ROWS_OF_LANES : ROWS_OF_ONE;
    for (; job.from < n_rows; job.from = job.to) {
        progress_at(&bar, job.from);
        job.to = n_rows - job.from > most ? job.from + most : n_rows;
        threads_run(lanes, put_lane, &job);
        for (unsigned i = 0; i < lanes; i++) {
            buf_str(&o->b, buf_view(&job.parts[i]));
            job.parts[i].n = 0;
            out_flush_some(o);
        }
    }
    progress_end(&bar);
    for (unsigned i = 0; i < lanes; i++)
        buf_free(&job.parts[i]);
    mem_free(job.parts);
}
