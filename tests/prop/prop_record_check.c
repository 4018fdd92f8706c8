// What the reader gives back of a run beside what was done.
#include "prop_record_match.h"
#include "trace/diags.h"

// --- tracks of a run ---------------------------------------------------------------------
static uint32_t find_process(const struct trace *r, const struct session *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->processes.n; i++)
        if (r->processes.v[i].pid == (uint32_t)s->pid && n++ == s->number)
            return i;
    return TRACE_NONE;
}

static uint32_t find_track(const struct trace *r, const struct scene *s,
                           const struct list *l)
{
    struct buf name = {0};
    uint32_t process = find_process(r, &s->truth->sessions[l->session]);
    uint32_t found = TRACE_NONE;
    (void)scene_track_name(&name, l);
    for (uint32_t i = 0; process != TRACE_NONE && i < r->tracks.n; i++)
        if (r->tracks.v[i].process == process &&
            r->tracks.v[i].kind == (l->is_fiber ? TRACK_FIBER : TRACK_THREAD) &&
            str_eq(seen_string(r, r->tracks.v[i].name), str_of(name.p)))
            found = i;
    buf_free(&name);
    return found;
}

// A process that came to no regular end knows its clock from its beginning only.
static uint64_t clock_error(const struct trace *r, const struct scene *s,
                            const struct list *l)
{
    const struct session *session = &s->truth->sessions[l->session];
    uint32_t process = find_process(r, session);
    double error = process == TRACE_NONE ? 0 : r->processes.v[process].clock_error_ns;
    if (!session->is_stopped)
        error += 5000 + (double)(session->end_ns - session->start_ns) / 100;
    return (uint64_t)error + 50;
}

static bool open_run(struct trace *r, const struct scene *s, struct law *law)
{
    struct err e = {0};
    return law_check(law, host_run_open(r, s->folder, &e), "%s: %s", scene_show(s), e.text);
}

// What may be found in a run of which nothing is damaged.
static void check_findings(struct trace *r, const struct scene *s, struct law *law)
{
    static const int never[] = {
        DIAG_HOST_END_ALONE, DIAG_HOST_FILE_DAMAGED, DIAG_HOST_BLOCK_DAMAGED, DIAG_HOST_GAP,
        DIAG_HOST_TIME_BACK, DIAG_HOST_TOO_DEEP,     DIAG_HOST_CLOCK};
    const struct diag *d = trace_findings(r);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        law_check(law, d->entry[never[i]].count == 0, "%s: finding %d: %llu times, %s",
                  scene_show(s), (int)never[i],
                  (unsigned long long)d->entry[never[i]].count, d->entry[never[i]].first);
}

// --- losses ------------------------------------------------------------------------------
static void check_losses(struct matcher *m, uint32_t track, uint64_t n_handled)
{
    const struct trace_track *t = &m->run->tracks.v[track];
    if (m->s->truth->sessions[m->list->session].is_torn) // what came later is not missing
        return;
    struct law *law = &record_laws[LAW_LOSSES];
    law_check(law, t->lost[TT_LOSS_DISK] == 0, "%s: list %u: lost to the disk",
              scene_show(m->s), m->list->id);
    law_check(law, t->lost[TT_LOSS_FULL] == m->n_missing,
              "%s: list %u: %llu of %u are missing, %llu are counted", scene_show(m->s),
              m->list->id, (unsigned long long)m->n_missing, m->list->n,
              (unsigned long long)t->lost[TT_LOSS_FULL]);
    law_check(law, m->n_lost_told <= m->n_missing, "%s: list %u: %llu are told as lost",
              scene_show(m->s), m->list->id, (unsigned long long)m->n_lost_told);
    law_check(law, t->lost[TT_LOSS_HANDLER] + n_handled == m->list->n_handler_events,
              "%s: list %u: handlers made %u, lost %llu, there are %llu", scene_show(m->s),
              m->list->id, m->list->n_handler_events,
              (unsigned long long)t->lost[TT_LOSS_HANDLER], (unsigned long long)n_handled);
}

// Words that the calls from `from` on take in a ring.
static uint64_t words_from(const struct list *l, uint32_t from)
{
    static const uint8_t fields[TT_EVENT_KINDS] = {
#define FIELDS(name, words, is_text) words,
        TT_EVENTS(FIELDS)
#undef FIELDS
    };
    uint64_t n = 0;
    for (uint32_t i = from; i < l->n; i++) {
        const struct call *c = &l->v[i];
        n += 1U + fields[c->kind];
        n += c->bytes > TT_TEXT_MOST ? 1 : (c->bytes + 7) / 8;
        n += c->kind == TT_SIGNPOST ? 3 : 0;
    }
    return n;
}

// A flight recorder has the newest events, and almost as many as fit.
static uint32_t flight_from(const struct scene *s, const struct trace *r,
                            const struct list *l, uint32_t track, struct law *law)
{
    uint64_t gone = r->tracks.v[track].lost[TT_LOSS_OLDEST];
    uint64_t words = s->settings.ring_bytes / 8;
    if (!law_check(law, gone <= l->n, "%s: list %u: %llu of %u are gone", scene_show(s),
                   l->id, (unsigned long long)gone, l->n))
        return l->n;
    law_check(law, !gone || words_from(l, (uint32_t)gone) > words / 4 * 3,
              "%s: list %u: %llu of %u are gone, what is left has %llu words",
              scene_show(s), l->id, (unsigned long long)gone, l->n,
              (unsigned long long)words_from(l, (uint32_t)gone));
    return (uint32_t)gone;
}

// --- all of it ---------------------------------------------------------------------------
static uint64_t count_handled(const struct trace *r, const struct seen_track *t,
                              const struct list *l)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t->v.n; i++)
        if (seen_is_handler(r, &t->v.v[i]))
            n += t->v.v[i].is_zone ? 2 : t->v.v[i].event.attribute == l->id;
    return n;
}

// How far a recording that was stopped in the middle must go.
static uint32_t calls_before(const struct list *l, uint64_t ns)
{
    uint32_t n = 0;
    while (n < l->n && l->v[n].after_ns && l->v[n].after_ns < ns)
        n++;
    return n;
}

static void check_list(const struct scene *s, const struct trace *r, const struct list *l,
                       uint64_t *turns)
{
    const struct session *session = &s->truth->sessions[l->session];
    uint32_t track = find_track(r, s, l);
    bool may_be_nowhere = !l->n || session->is_torn;
    if (!law_check(&record_laws[LAW_TRACKS], track != TRACE_NONE || may_be_nowhere,
                   "%s: list %u with %u calls has no track", scene_show(s), l->id, l->n) ||
        track == TRACE_NONE)
        return;
    struct seen_track seen = seen_track(r, track);
    struct matcher m = {.s = s,
                        .run = r,
                        .list = l,
                        .seen = &seen,
                        .law = &record_laws[LAW_EVENTS],
                        .times = &record_laws[LAW_TIMES],
                        .turns = turns,
                        .error_ns = clock_error(r, s, l)};
    struct range_of_calls calls = {0, l->n, l->n};
    if (session->is_torn)
        calls.least = calls_before(l, session->stop_ns);
    if (s->settings.policy == TTPROF_DROP_OLDEST)
        calls.from = flight_from(s, r, l, track, &record_laws[LAW_LOSSES]);
    match_track(&m, calls);
    if (!l->is_fiber && !s->has_fibers)
        check_losses(&m, track, count_handled(r, &seen, l));
    seen_free(&seen);
}

// Each turn is over before the next one begins.
static void check_order(const struct scene *s, const uint64_t *turns, uint32_t n,
                        double error)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < 4 * n; i++) {
        if (!turns[i])
            continue;
        law_check(&record_laws[LAW_ORDER], turns[i] + (uint64_t)error + 2 >= last,
                  "%s: turn %u: %llu is before %llu", scene_show(s), i / 4,
                  (unsigned long long)turns[i], (unsigned long long)last);
        last = turns[i];
    }
}

static bool is_child(const struct scene *s, uint32_t session)
{
    return s->truth->sessions[session].pid != s->truth->sessions[0].pid;
}

static void check_processes(const struct scene *s, const struct trace *r)
{
    struct law *law = &record_laws[LAW_TRACKS];
    const struct truth *t = s->truth;
    law_check(law, r->processes.n == t->n_sessions, "%s: %zu processes, %u sessions",
              scene_show(s), r->processes.n, t->n_sessions);
    for (uint32_t i = 0; i < t->n_sessions; i++) {
        uint32_t p = find_process(r, &t->sessions[i]);
        if (law_check(law, p != TRACE_NONE, "%s: session %u is not there", scene_show(s),
                      i))
            law_check(law, r->processes.v[p].has_ended == t->sessions[i].is_stopped,
                      "%s: session %u: how it ended", scene_show(s), i);
    }
}

void record_check(const struct scene *s)
{
    struct trace r;
    const struct truth *t = s->truth;
    if (!open_run(&r, s, &record_laws[LAW_OPENS]))
        return;
    check_processes(s, &r);
    uint32_t n_turns = t->n_turns + 1;
    uint64_t *turns = mem_alloc(4 * n_turns * sizeof *turns);
    for (uint32_t i = 0; i < t->n_lists; i++) // children have another lock
        check_list(s, &r, &t->lists[i], is_child(s, t->lists[i].session) ? NULL : turns);
    double error = 0;
    for (size_t i = 0; i < r.processes.n; i++)
        if (r.processes.v[i].clock_error_ns > error)
            error = r.processes.v[i].clock_error_ns;
    check_order(s, turns, n_turns, error);
    mem_free(turns);
    check_findings(&r, s, &record_laws[LAW_OPENS]);
    trace_free(&r);
}

// While threads go on: what has returned before is there, and nothing that was not begun.
void record_check_live(const struct scene *s)
{
    static uint32_t done[LISTS_MOST];
    struct trace r;
    const struct truth *t = s->truth;
    struct law *law = &record_laws[LAW_LIVE];
    uint32_t n_lists = __atomic_load_n(&t->n_lists, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n_lists; i++)
        done[i] = __atomic_load_n(&t->lists[i].n_done, __ATOMIC_ACQUIRE);
    if (!open_run(&r, s, law))
        return;
    for (uint32_t i = 0; i < n_lists; i++) {
        const struct list *l = &t->lists[i];
        uint32_t track = find_track(&r, s, l);
        // A fiber may have been read on one thread and gone on on another.
        if (s->has_fibers || track == TRACE_NONE)
            continue;
        struct seen_track seen = seen_track(&r, track);
        struct law no_times = {0};
        struct matcher m = {
            .s = s, .run = &r, .list = l, .seen = &seen, .law = law, .times = &no_times};
        struct range_of_calls calls = {0, done[i],
                                       __atomic_load_n(&l->n, __ATOMIC_ACQUIRE)};
        if (s->settings.policy == TTPROF_DROP_OLDEST) {
            uint64_t gone = r.tracks.v[track].lost[TT_LOSS_OLDEST];
            calls.from = gone < calls.most ? (uint32_t)gone : calls.most;
        }
        if (__atomic_load_n(&t->sessions[l->session].is_torn, __ATOMIC_ACQUIRE))
            calls.least = 0;
        match_track(&m, calls);
        seen_free(&seen);
    }
    if (!s->has_fibers && !s->has_clocks)
        check_findings(&r, s, law);
    trace_free(&r);
}
