// process_log.c - the processes of a run, from RUN/processes.log. Processes write their
// lines concurrently, so lines are sorted by time. The format is described at the end of
// ttprof/recording.h.
#include "formats/host_run/process_log.h"

#include <limits.h>
#include <sys/wait.h>

#include "base/data/map.h"
#include "base/text/num.h"

#include "trace/diags.h"

struct line {
    uint32_t kind; // index into kinds
    uint32_t pid;
    uint64_t ns, birth;
    str rest; // fields after the birth
};

struct reader {
    struct process_log *log;
    VEC(struct line) lines;
    struct arena keys;
    struct map known;          // {pid, birth}
    VEC(uint32_t) of_known;    // by its id: index of the process
    struct map pids;           // pid
    VEC(uint32_t) last_of_pid; // by its id: index of the process
};

// --- fields ---
// Replaces \t, \n and \\ in place.
static str unescape(str s)
{
    char *p = (char *)s.p; // our own copy
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '\\' && i + 1 < s.n) {
            c = s.p[++i];
            c = (char)(c == 't' ? '\t' : c == 'n' ? '\n' : c);
        }
        p[n++] = c;
    }
    return (str){s.p, n};
}

static str next_text(str *rest)
{
    str field = str_cut(rest, '\t');
    return field.n && memchr(field.p, '\\', field.n) ? unescape(field) : field;
}

static bool next_number(str *rest, int64_t least, int64_t most, int64_t *v)
{
    str field = str_cut(rest, '\t');
    return num_int(field, v) && *v >= least && *v <= most;
}

// --- processes by name -----------------------------------------------------------------
struct identity {
    uint64_t birth, pid;
};

static uint32_t process_add(struct reader *r, const struct line *at)
{
    struct process_log *l = r->log;
    uint32_t index = (uint32_t)l->processes.n;
    vec_push(&l->processes, (struct process){.pid = at->pid,
                                             .birth = at->birth,
                                             .parent = PROCESS_NONE,
                                             .start_ns = at->ns,
                                             .rank = -1,
                                             .ranks = -1});
    uint32_t id = map_put_copy(&r->pids, &at->pid, sizeof at->pid, &r->keys);
    if (id == r->last_of_pid.n)
        vec_push(&r->last_of_pid, index);
    r->last_of_pid.v[id] = index;
    return index;
}

static uint32_t process_last(const struct reader *r, uint32_t pid)
{
    uint32_t id = map_get(&r->pids, (str){(const char *)&pid, sizeof pid});
    return id == MAP_NONE ? PROCESS_NONE : r->last_of_pid.v[id];
}

// A process of unknown birth gets the first one that is logged.
static uint32_t process_by_birth(struct reader *r, const struct line *at)
{
    struct identity who = {at->birth, at->pid};
    uint32_t id = map_put_copy(&r->known, &who, sizeof who, &r->keys);
    if (id < r->of_known.n)
        return r->of_known.v[id];
    uint32_t last = process_last(r, at->pid);
    struct process *all = r->log->processes.v;
    bool is_it = last != PROCESS_NONE && all[last].birth == 0 && !all[last].was_seen;
    if (is_it)
        all[last].birth = at->birth;
    uint32_t index = is_it ? last : process_add(r, at);
    vec_push(&r->of_known, index);
    return index;
}

// The process that a line is about; created if it is new.
static uint32_t process_of(struct reader *r, const struct line *at)
{
    if (at->birth)
        return process_by_birth(r, at);
    uint32_t last = process_last(r, at->pid);
    bool is_over = last != PROCESS_NONE && r->log->processes.v[last].was_seen;
    return last == PROCESS_NONE || is_over ? process_add(r, at) : last;
}

// The first parent counts: the system gives orphans another one.
static void set_parent(struct reader *r, uint32_t child, int64_t parent_pid)
{
    uint32_t parent = process_last(r, (uint32_t)parent_pid);
    struct process *p = &r->log->processes.v[child];
    if (p->parent == PROCESS_NONE && parent < child)
        p->parent = parent;
}

// --- programs ---
// True if an exec was logged but the program has not logged its start.
static bool has_wanted(const struct process *p)
{
    return p->programs.n && !p->programs.v[p->programs.n - 1].has_begun;
}

// The exec failed if the process continues as before.
static void drop_failed(struct process *p)
{
    if (has_wanted(p))
        process_drop_program(p);
}

// True if the program that starts is the one of the exec. A script's words follow those of
// its interpreter. Otherwise an unseen program came between them.
static bool is_same_program(const struct process_exec *wanted,
                            const struct process_exec *begun)
{
    size_t n = wanted->words.n, m = begun->words.n;
    if (n == 0 || str_is(wanted->words.v[n - 1], "..."))
        return true;
    for (size_t i = 1; i < n; i++)
        if (i > m || !str_eq(wanted->words.v[n - i], begun->words.v[m - i]))
            return false;
    return true;
}

static size_t count_fields(str rest)
{
    size_t n = 1;
    for (size_t i = 0; i < rest.n; i++)
        n += rest.p[i] == '\t';
    return n;
}

// A run may have many processes with few words: allocate exactly.
static struct process_exec program_of(const struct line *at, str rest)
{
    struct process_exec e = {.ns = at->ns};
    size_t n = count_fields(rest) - 1;
    e.path = next_text(&rest);
    if (n) {
        e.words.v = mem_alloc(mem_bytes(sizeof *e.words.v, n));
        e.words.cap = n;
    }
    while (e.words.n < n)
        vec_push(&e.words, next_text(&rest));
    return e;
}

static void program_add(struct process *p, struct process_exec e)
{
    if (!p->programs.cap) {
        p->programs.v = mem_alloc(sizeof e);
        p->programs.cap = 1;
    }
    vec_push(&p->programs, e);
}

// --- handlers by kind of line ----------------------------------------------------------
// Each returns false for an incomplete line, before it changes anything.
static bool on_start(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t parent;
    if (!next_number(&rest, 0, UINT32_MAX, &parent))
        return false;
    uint32_t index = process_of(r, at);
    set_parent(r, index, parent);
    struct process *p = &r->log->processes.v[index];
    struct process_exec begun = program_of(at, rest);
    begun.has_begun = true;
    if (has_wanted(p) && is_same_program(&p->programs.v[p->programs.n - 1], &begun))
        process_drop_program(p);
    program_add(p, begun);
    if (!p->was_seen) { // it logged its end too early
        p->end = PROCESS_UNKNOWN;
        p->end_ns = 0;
    }
    return true;
}

static bool on_exec(struct reader *r, const struct line *at)
{
    if (!at->rest.n)
        return false;
    uint32_t index = process_of(r, at); // may move them all
    struct process *p = &r->log->processes.v[index];
    drop_failed(p);
    program_add(p, program_of(at, at->rest));
    return true;
}

static bool on_fork(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t parent;
    if (!next_number(&rest, 0, UINT32_MAX, &parent))
        return false;
    set_parent(r, process_of(r, at), parent);
    return true;
}

static bool on_exit_line(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t status;
    if (!next_number(&rest, INT_MIN, INT_MAX, &status))
        return false;
    uint32_t index = process_of(r, at); // may move them all
    struct process *p = &r->log->processes.v[index];
    drop_failed(p);
    p->end_ns = at->ns;
    if (!p->was_seen) {
        p->end = PROCESS_EXITED;
        p->status = (int)(status & 0xFF);
    }
    return true;
}

// The process itself knows best when it ended; its waiter knows best how.
static bool on_ended(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t status, parent;
    if (!next_number(&rest, INT_MIN, INT_MAX, &status) ||
        !next_number(&rest, 0, UINT32_MAX, &parent))
        return false;
    uint32_t index = process_of(r, at);
    set_parent(r, index, parent);
    struct process *p = &r->log->processes.v[index];
    if (p->end != PROCESS_EXITED)
        p->end_ns = at->ns;
    bool is_signal = WIFSIGNALED((int)status);
    p->end = is_signal ? PROCESS_SIGNALLED : PROCESS_EXITED;
    p->status = is_signal ? WTERMSIG((int)status) : WEXITSTATUS((int)status);
    p->was_seen = true;
    return true;
}

static bool on_rank(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t rank, ranks;
    if (!next_number(&rest, 0, INT64_MAX, &rank) ||
        !next_number(&rest, -1, INT64_MAX, &ranks))
        return false;
    uint32_t index = process_of(r, at); // may move them all
    struct process *p = &r->log->processes.v[index];
    p->rank = rank;
    p->ranks = ranks;
    p->rank_from = next_text(&rest);
    return true;
}

static bool on_port(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t port;
    if (!next_number(&rest, 1, UINT16_MAX, &port))
        return false;
    uint32_t index = process_of(r, at); // may move them all
    r->log->processes.v[index].tracy_port = (uint16_t)port;
    return true;
}

static bool on_tracy(struct reader *r, const struct line *at)
{
    str rest = at->rest;
    int64_t error;
    str file = next_text(&rest);
    if (!file.n || !next_number(&rest, 0, INT64_MAX, &error))
        return false;
    uint32_t index = process_of(r, at);
    vec_push(&r->log->captures, (struct process_capture){.file = file,
                                                         .process = index,
                                                         .begin_ns = at->ns,
                                                         .error_ns = (uint64_t)error,
                                                         .source = next_text(&rest)});
    return true;
}

static const struct {
    const char *name;
    bool (*take)(struct reader *r, const struct line *at);
} kinds[] = {
    {"start", on_start}, {"exec", on_exec}, {"fork", on_fork}, {"exit", on_exit_line},
    {"ended", on_ended}, {"rank", on_rank}, {"port", on_port}, {"tracy", on_tracy},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// --- the log ---------------------------------------------------------------------------
static bool line_parse(str text, struct line *at)
{
    int64_t ns, pid, birth;
    str what = str_cut(&text, '\t');
    for (at->kind = 0; at->kind < KINDS; at->kind++)
        if (str_is(what, kinds[at->kind].name))
            break;
    if (at->kind == KINDS || !next_number(&text, 0, INT64_MAX, &ns) ||
        !next_number(&text, 1, UINT32_MAX, &pid) ||
        !next_number(&text, 0, INT64_MAX, &birth))
        return false;
    at->ns = (uint64_t)ns;
    at->pid = (uint32_t)pid;
    at->birth = (uint64_t)birth;
    at->rest = text;
    return true;
}

static void count_damaged(struct diag *d, uint64_t number)
{
    if (!diag_count(d, DIAG_PROCESS_LINE))
        return;
    d->entry[DIAG_PROCESS_LINE].line = number;
    diag_note(d, DIAG_PROCESS_LINE, "processes.log: line %llu", (unsigned long long)number);
}

static void lines_parse(struct reader *r, str text, struct keyed *order, struct diag *d)
{
    while (text.n) {
        bool is_cut = !memchr(text.p, '\n', text.n);
        str one = str_cut(&text, '\n');
        uint64_t number = ++r->log->n_lines;
        struct line at;
        if (is_cut || !line_parse(one, &at)) {
            count_damaged(d, number);
            continue;
        }
        order[r->lines.n] = (struct keyed){at.ns, (uint32_t)r->lines.n, (uint32_t)number};
        vec_push(&r->lines, at);
    }
}

static size_t count_lines(str text)
{
    size_t n = 1;
    for (const char *p = text.p, *end = p + text.n; p < end; n++) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            break;
        p++;
    }
    return n;
}

static void index_by_pid(struct process_log *l, struct keyed *scratch)
{
    for (uint32_t i = 0; i < l->processes.n; i++)
        vec_push(&l->by_pid, (struct keyed){.key = l->processes.v[i].pid, .a = i});
    sort_keyed(l->by_pid.v, scratch, l->by_pid.n);
}

void process_log_read(struct process_log *l, str text, struct arena *a, struct diag *d)
{
    *l = (struct process_log){0};
    if (!text.n)
        return;
    str copy = arena_str(a, text); // escapes are undone in it
    size_t n = count_lines(copy);
    struct reader r = {.log = l};
    struct keyed *order = mem_alloc(mem_bytes(sizeof *order, n));
    struct keyed *scratch = mem_alloc(mem_bytes(sizeof *scratch, n));
    lines_parse(&r, copy, order, d);
    sort_keyed(order, scratch, r.lines.n);
    for (size_t i = 0; i < r.lines.n; i++) {
        const struct line *at = &r.lines.v[order[i].a];
        if (!kinds[at->kind].take(&r, at))
            count_damaged(d, order[i].b);
    }
    index_by_pid(l, scratch); // at most one process a line
    mem_free(order);
    mem_free(scratch);
    vec_free(&r.lines);
    vec_free(&r.of_known);
    vec_free(&r.last_of_pid);
    map_free(&r.known);
    map_free(&r.pids);
    arena_free(&r.keys);
}
