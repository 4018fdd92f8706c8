// attachments_number.c - makes the numbers of programs and traces unique in a run.
//
// Attachments follow each other in order of process. What an attachment adds is the largest
// number before it, so the first process keeps its numbers. A runtime counts programs per
// process: attachments of a process share what they add unless their numbers overlap.
#include <stdlib.h>

#include "base/data/sort.h"
#include "base/text/num.h"

#include "analyse/host/attachments_parts.h"
#include "analyse/host/host_messages.h"
#include "analyse/host/op_ids.h"

// Numbers that occur in one attachment, in its log or on the host.
struct numbers {
    struct clocks_numbers programs, traces;
};

static void widen(struct clocks_numbers *n, uint32_t first, uint32_t end)
{
    if (first >= end)
        return;
    bool is_empty = !n->end;
    n->first = is_empty || first < n->first ? first : n->first;
    n->end = is_empty || end > n->end ? end : n->end;
}

static int by_process(const void *x, const void *y)
{
    const struct attachment *a = x, *b = y;
    SORT_BY(a, b, process);
    SORT_BY(a, b, clocks.attached_ns);
    SORT_BY(a, b, number);
    return 0;
}

void attachments_sort(struct attachments *a)
{
    if (a->v.n)
        qsort(a->v.v, a->v.n, sizeof *a->v.v, by_process);
}

// --- processes -------------------------------------------------------------------------
// A pid may return, and a process may execute another program: the last one that had
// started counts.
static uint32_t process_of(const struct trace *host, const struct attachment *at)
{
    uint32_t found = TRACE_NONE;
    for (uint32_t i = 0; host && i < host->processes.n; i++) {
        const struct trace_process *p = &host->processes.v[i];
        bool had_started = host->origin_ns + p->start_ns <= at->clocks.attached_ns;
        if (p->pid == at->pid && (had_started || found == TRACE_NONE))
            found = i;
    }
    return found;
}

static void find_processes(struct attachments *a, const struct trace *host)
{
    for (size_t i = 0; i < a->v.n; i++) {
        struct attachment *at = &a->v.v[i];
        at->process = process_of(host, at);
        if (at->process == TRACE_NONE)
            continue;
        at->birth = host->processes.v[at->process].birth;
        at->start_ns = host->processes.v[at->process].start_ns;
    }
    attachments_sort(a);
}

// --- the host's data -------------------------------------------------------------------
// "TTPROF_ATTACHMENT: 2": ops that follow belong to that attachment.
static bool is_attaching(str text, uint32_t *number)
{
    str rest;
    int64_t v;
    if (!str_starts(text, S("TTPROF_ATTACHMENT: ")) ||
        !str_after(text, S("TTPROF_ATTACHMENT: "), &rest) || !num_int(rest, &v) || v < 1 ||
        v > UINT32_MAX)
        return false;
    *number = (uint32_t)v;
    return true;
}

static void set_since(struct attachments *a, uint32_t process, uint64_t ns, uint32_t number)
{
    for (size_t i = 0; i < a->v.n; i++)
        if (a->v.v[i].process == process && a->v.v[i].number == number)
            a->v.v[i].since_ns = ns;
}

static void add_processes(struct attachments *a, const struct trace *host,
                          const bool *has_ops)
{
    size_t n = a->v.n;
    for (uint32_t i = 0; i < host->processes.n; i++) {
        const struct trace_process *p = &host->processes.v[i];
        bool is_known = false;
        for (size_t k = 0; has_ops[i] && k < n; k++)
            is_known |= a->v.v[k].process == i;
        if (has_ops[i] && !is_known)
            vec_push(&a->v, (struct attachment){.pid = p->pid,
                                                .birth = p->birth,
                                                .start_ns = p->start_ns,
                                                .number = 1,
                                                .process = i});
    }
    attachments_sort(a);
}

// Two passes: the first finds when attachments begin and which processes have ops.
static void find_periods(struct attachments *a, const struct trace *host,
                         const struct host_messages *m)
{
    struct op_id_place places[OP_IDS_MOST];
    bool *has_ops = mem_alloc(host->processes.n + 1);
    for (size_t i = 0; i < m->v.n; i++) {
        const struct host_message *one = &m->v.v[i];
        uint32_t process = host->tracks.v[one->track].process, number;
        if (one->kind == TT_SIGNPOST)
            continue;
        if (is_attaching(one->text, &number))
            set_since(a, process, one->time, number);
        else if (!has_ops[process])
            has_ops[process] = op_ids_in_message(one->text, places) > 0;
    }
    add_processes(a, host, has_ops);
    mem_free(has_ops);
}

static void find_numbers(const struct attachments *a, const struct trace *host,
                         const struct host_messages *m, struct numbers *n)
{
    struct op_id_place places[OP_IDS_MOST];
    for (size_t i = 0; i < m->v.n; i++) {
        const struct host_message *one = &m->v.v[i];
        const struct attachment *at =
            attachments_at(a, host->tracks.v[one->track].process, one->time);
        if (!at || one->kind == TT_SIGNPOST)
            continue;
        struct numbers *own = &n[at - a->v.v];
        for (size_t k = op_ids_in_message(one->text, places); k-- > 0;) {
            uint32_t number = places[k].kind == OP_ID_RUN ? op_id_program(places[k].number)
                                                          : (uint32_t)places[k].number;
            widen(places[k].kind == OP_ID_TRACE ? &own->traces : &own->programs, number,
                  number + 1);
        }
    }
}

// --- numbers ---------------------------------------------------------------------------
static bool overlaps(const struct clocks_numbers *a, const struct clocks_numbers *b)
{
    return a->first < b->end && b->first < a->end;
}

static void raise_numbers(struct attachments *a, const struct numbers *n)
{
    uint64_t programs = 0, traces = 0;      // largest after raising
    uint64_t more = 0;                      // of the current process
    struct clocks_numbers of_process = {0}; // before raising
    for (size_t i = 0; i < a->v.n; i++) {
        struct attachment *at = &a->v.v[i];
        bool is_same = i && at->process != TRACE_NONE && at->process == at[-1].process;
        if (!is_same)
            of_process = (struct clocks_numbers){0};
        if (!is_same || overlaps(&of_process, &n[i].programs))
            more = programs;
        at->more_programs = (int64_t)more;
        at->more_traces = n[i].traces.end ? (int64_t)traces : 0;
        widen(&of_process, n[i].programs.first, n[i].programs.end);
        if (n[i].programs.end && more + n[i].programs.end - 1 > programs)
            programs = more + n[i].programs.end - 1;
        traces += n[i].traces.end;
    }
    a->n_programs = programs;
}

void attachments_number(struct attachments *a, const struct trace *host, bool with_messages)
{
    struct host_messages m = {0};
    find_processes(a, host);
    if (with_messages) {
        host_messages_find(&m, host, NULL);
        find_periods(a, host, &m);
    }
    struct numbers *n = mem_alloc(mem_bytes(sizeof *n, a->v.n + 1));
    for (size_t i = 0; i < a->v.n; i++)
        n[i] = (struct numbers){a->v.v[i].clocks.programs, a->v.v[i].clocks.traces};
    if (with_messages)
        find_numbers(a, host, &m, n);
    raise_numbers(a, n);
    mem_free(n);
    host_messages_free(&m);
}
