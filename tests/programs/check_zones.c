// check_zones.c - every call that came back is in the files, in its place and with its
// values; what is there besides is at most the one call that each thread was in.
#include "check_zones.h"

#include "../support/walk_track.h"
#include "analyse/diags.h"
#include "formats/host_run/host_run.h"
#include "trace/blocks.h"
#include "trace/diags.h"

enum { TRACK_UNKNOWN = -1, TOLERANCE_NS = 1000000, GROUP_MOST = 3 * SCRIPT_DEPTH + 2 };
#define HOUR_NS UINT64_C(3600000000000)

struct expected_zone {
    uint32_t place;
    bool has_value, has_text;
    uint64_t number;
    uint32_t bytes;
};
struct open_zone { // as the files have it
    uint32_t location;
    bool has_value;
    uint64_t value;
    char text[SCRIPT_TEXT_MOST];
    size_t n;
};

struct track_check {
    const struct trace *r;
    const struct account *account;
    const struct trace_track *track;
    struct zones_checked *sums;
    struct buf *why;
    uint64_t end_ns;
    enum tt_policy policy;
    int64_t slot;
    bool has_failed;
    // by the script
    struct script script;
    uint64_t at; // steps
    struct expected_zone stack[SCRIPT_DEPTH];
    uint32_t n;
    uint32_t n_gone; // of the zones around: their begins are overwritten
    // from the files
    uint64_t events, last_time, last_number;
    bool has_begun; // the place in the script is known
    struct open_zone open[SCRIPT_DEPTH];
    uint32_t n_open;
};

static bool fail(struct track_check *c, const char *what, uint64_t a, uint64_t b)
{
    if (!c->has_failed)
        buf_printf(c->why, "slot %lld, tid %u, step %llu: %s (%llu, %llu)",
                   (long long)c->slot, c->track->tid, (unsigned long long)c->at, what,
                   (unsigned long long)a, (unsigned long long)b);
    c->has_failed = true;
    return false;
}

// --- the script ---
// The step that was done; what an end takes off the stack is in *ended.
static struct script_step advance(struct track_check *c, struct expected_zone *ended)
{
    struct script_step s = script_next(&c->script);
    struct expected_zone *top = c->n ? &c->stack[c->n - 1] : NULL;
    c->at++;
    if (s.kind == STEP_BEGIN)
        c->stack[c->n++] = (struct expected_zone){.place = s.place};
    else if (s.kind == STEP_VALUE)
        top->has_value = true, top->number = s.number;
    else if (s.kind == STEP_TEXT)
        top->has_text = true, top->bytes = s.bytes;
    else if (s.kind == STEP_END)
        *ended = c->stack[--c->n];
    return s;
}

static bool is_text(str text, uint64_t number, uint32_t bytes)
{
    char want[SCRIPT_TEXT_MOST];
    script_text(number & ~UINT64_C(7), bytes, want);
    return text.n == bytes && (!bytes || memcmp(text.p, want, bytes) == 0);
}

static bool is_place(const struct trace *r, uint32_t location, uint32_t place)
{
    char want[16];
    return str_eq(r->strings.keys.v[r->sites.v[location].name],
                  str_of(script_place(place, want)));
}

// --- zones ---
// Open zones come inner ones first, and nobody knows their ends.
static bool time_is_right(struct track_check *c, const struct walk_zone *z)
{
    uint64_t from = c->account->slots[c->slot].start_ns, origin = c->r->origin_ns;
    bool is_open = z->flags & ZONE_OPEN;
    // From one clock to another: each is put on the axis as well as it could be read.
    double error = c->r->processes.v[c->track->process].clock_error_ns;
    if (z->end < z->start || (!is_open && z->end + (uint64_t)error < c->last_time))
        return fail(c, "time goes back", c->last_time, z->end);
    if (z->start + origin + TOLERANCE_NS < from ||
        z->end + origin > c->end_ns + TOLERANCE_NS)
        return fail(c, "a zone lies outside of its thread's life", z->start + origin,
                    z->end + origin);
    c->last_time = is_open ? c->last_time : z->end;
    return true;
}

static void keep_open(struct track_check *c, const struct walk_zone *z)
{
    if (c->n_open == SCRIPT_DEPTH || z->said.text.n > SCRIPT_TEXT_MOST) {
        (void)fail(c, "more zones are open than there can be", c->n_open, 0);
        return;
    }
    struct open_zone *o = &c->open[c->n_open++];
    *o = (struct open_zone){.location = z->site,
                            .has_value = z->said.has_value,
                            .value = z->said.value,
                            .n = z->said.text.n};
    if (z->said.text.n)
        memcpy(o->text, z->said.text.p, z->said.text.n);
}

// The place in the script after the first zone that a flight recorder still has.
static void begin_behind(struct track_check *c, uint64_t number, uint32_t depth)
{
    struct expected_zone ended = {0};
    while (ended.number != number || !ended.has_value)
        (void)advance(c, &ended);
    c->has_begun = true;
    c->n_gone = (uint32_t)(number & 7) - depth;
    // The group of that zone may have begun before.
    uint64_t lost = c->track->lost[TT_LOSS_OLDEST];
    if (lost > c->at || lost + 2 * GROUP_MOST < c->at)
        (void)fail(c, "another number of events is overwritten", lost, c->at);
}

// The next step that shows in the files as something of its own.
static struct script_step advance_to_end(struct track_check *c, struct expected_zone *ended)
{
    struct script_step s;
    do {
        s = advance(c, ended);
        if (s.kind == STEP_END && c->n < c->n_gone) {
            c->n_gone = c->n;
            s.kind = STEP_VALUE;
        }
    } while (s.kind != STEP_END && s.kind != STEP_MESSAGE);
    return s;
}

static bool zone_is(struct track_check *c, const struct walk_zone *z,
                    const struct expected_zone *want)
{
    if (!is_place(c->r, z->site, want->place))
        return fail(c, "a zone of another place", z->site, want->place);
    if (!z->said.has_value || z->said.value != want->number)
        return fail(c, "another value", z->said.value, want->number);
    return is_text(z->said.text, want->number, want->has_text ? want->bytes : 0) ||
           fail(c, "another text", z->said.text.n, want->bytes);
}

static void zone_by_script(struct track_check *c, const struct walk_zone *z)
{
    struct expected_zone ended = {0};
    struct script_step s;
    if (!c->has_begun) {
        begin_behind(c, z->said.value, z->depth);
        return;
    }
    s = advance_to_end(c, &ended);
    if (s.kind == STEP_MESSAGE)
        (void)fail(c, "a message is missing", s.number, 0);
    else if (zone_is(c, z, &ended) && c->policy == TT_BLOCK && z->depth != c->n)
        (void)fail(c, "another depth", z->depth, c->n);
}

// Where events may be missing anywhere: each zone for itself.
static void zone_alone(struct track_check *c, const struct walk_zone *z)
{
    if (!z->said.has_value)
        return;
    struct script s = {.slot = (uint32_t)c->slot,
                       .group = (z->said.value & UINT32_MAX) >> 3};
    struct script_step step;
    do
        step = script_next(&s);
    while (step.kind != STEP_BEGIN || step.number != z->said.value);
    if (!is_place(c->r, z->site, step.place))
        (void)fail(c, "a zone of another place", z->site, step.place);
    if ((z->said.value & ~UINT64_C(7)) < (c->last_number & ~UINT64_C(7)))
        (void)fail(c, "zones in another order", c->last_number, z->said.value);
    c->last_number = z->said.value;
}

static void on_zone(void *context, const struct walk_zone *z)
{
    struct track_check *c = context;
    bool is_open = z->flags & ZONE_OPEN;
    c->events += 1u + !is_open + z->said.has_value + (z->said.text.n != 0);
    c->sums->zones += !is_open;
    c->sums->open += is_open;
    if (c->has_failed || !time_is_right(c, z))
        return;
    if (c->policy == TT_DROP_NEWEST)
        zone_alone(c, z);
    else if (is_open)
        keep_open(c, z);
    else
        zone_by_script(c, z);
}

static void on_event(void *context, const struct trace_event *ev)
{
    struct track_check *c = context;
    struct expected_zone ended;
    struct script_step s;
    if (ev->kind != TT_MESSAGE)
        return;
    c->events++;
    c->sums->messages++;
    if (c->has_failed || c->policy == TT_DROP_NEWEST || !c->has_begun)
        return;
    s = advance_to_end(c, &ended);
    if (s.kind == STEP_END)
        (void)fail(c, "a zone is missing", ended.number, 0);
    else if (!is_text(ev->text, s.number, s.bytes))
        (void)fail(c, "another message", ev->text.n, s.bytes);
}

// --- the end of a track ---
// Are the open zones those after so many steps?
static bool ends_after(const struct track_check *c, uint64_t steps)
{
    struct track_check now = *c;
    struct expected_zone ended;
    if (steps < now.at)
        return false;
    while (now.at < steps) {
        struct script_step s = advance(&now, &ended);
        if (s.kind == STEP_MESSAGE || (s.kind == STEP_END && now.n >= now.n_gone))
            return false;
        if (s.kind == STEP_END)
            now.n_gone = now.n;
    }
    if (now.n != now.n_open + now.n_gone)
        return false;
    for (uint32_t i = 0; i < now.n_open; i++) {
        const struct open_zone *is = &c->open[now.n_open - 1 - i]; // inner ones came first
        const struct expected_zone *want = &now.stack[now.n_gone + i];
        if (!is_place(c->r, is->location, want->place) ||
            is->has_value != want->has_value ||
            (is->has_value && is->value != want->number) ||
            !is_text((str){is->text, is->n}, want->number,
                     want->has_text ? want->bytes : 0))
            return false;
    }
    return true;
}

static void check_end(struct track_check *c)
{
    const struct account_slot *slot = &c->account->slots[c->slot];
    uint64_t lost = 0;
    for (int i = 0; i < TT_LOSSES; i++)
        lost += c->track->lost[i];
    c->sums->lost += lost - c->track->lost[TT_LOSS_OLDEST];
    c->sums->overwritten += c->track->lost[TT_LOSS_OLDEST];
    if (c->has_failed)
        return;
    // Ends whose begins are overwritten are not told of, and the clocks of the segments
    // are.
    bool is_counted = c->policy != TT_DROP_OLDEST || !c->track->lost[TT_LOSS_OLDEST];
    if (is_counted && (c->events + lost < slot->made || c->events + lost > slot->made + 1))
        (void)fail(c, "recorded and lost events are not those that were made",
                   c->events + lost, slot->made);
    c->sums->in_flight += is_counted && c->events + lost > slot->made;
    if (c->policy == TT_BLOCK && lost)
        (void)fail(c, "events are lost though threads wait", lost, 0);
    if (c->policy == TT_DROP_NEWEST || !c->has_begun)
        return;
    if (!ends_after(c, slot->done) && !ends_after(c, slot->done + 1))
        (void)fail(c, "the end is not where the thread was", slot->done, c->at);
}

// --- which thread a track is ---
static void find_slot(void *context, const struct walk_zone *z)
{
    struct track_check *c = context;
    if (z->said.has_value)
        c->slot = (int64_t)(z->said.value >> 32);
}

// One that has no value yet has done two steps at the most.
static void find_by_tid(struct track_check *c, const bool *is_taken)
{
    uint32_t pid = c->r->processes.v[c->track->process].pid;
    for (uint32_t i = 0; i < c->account->used && i < ACCOUNT_SLOTS; i++) {
        const struct account_slot *s = &c->account->slots[i];
        if (!is_taken[i] && s->tid == c->track->tid && s->pid == pid && s->done <= 2)
            c->slot = i;
    }
}

static bool check_track(struct track_check *c, uint32_t track, bool *is_taken)
{
    struct walk_visitor finder = {.context = c, .zone = find_slot};
    struct walk_visitor visitor = {.context = c, .zone = on_zone, .event = on_event};
    c->slot = TRACK_UNKNOWN;
    walk_track(c->r, track, &finder);
    if (c->slot == TRACK_UNKNOWN)
        find_by_tid(c, is_taken);
    if (c->slot == TRACK_UNKNOWN && c->track->n_events == 0)
        return true;
    if (c->slot == TRACK_UNKNOWN || c->slot >= c->account->used)
        return fail(c, "a track that nobody wrote", track, c->track->n_events);
    if (is_taken[c->slot])
        return fail(c, "a second track of one thread", track, 0);
    is_taken[c->slot] = true;
    c->script.slot = (uint32_t)c->slot;
    c->has_begun = !c->track->lost[TT_LOSS_OLDEST];
    walk_track(c->r, track, &visitor);
    check_end(c);
    return !c->has_failed;
}

// --- all of it ---
// A program that changes its clock may see time go back by the error of the change.
static bool has_clocks(const struct trace *r)
{
    for (size_t i = 0; i < r->blocks->files.n; i++)
        if (r->blocks->files.v[i].clocks.n > 2)
            return true;
    return false;
}

static bool is_clean(const struct diag *d, bool has_clocks, struct buf *why)
{
    static const int never[] = {
        DIAG_HOST_END_ALONE, DIAG_HOST_FILE_DAMAGED, DIAG_HOST_BLOCK_DAMAGED, DIAG_HOST_GAP,
        DIAG_HOST_TIME_BACK, DIAG_HOST_TOO_DEEP,     DIAG_HOST_CLOCK};
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (d->entry[never[i]].count && !(has_clocks && never[i] == DIAG_HOST_TIME_BACK)) {
            buf_printf(why, "the reader found: %s (%s)", diag_name(never[i]),
                       d->entry[never[i]].first);
            return false;
        }
    return true;
}

static bool all_are_there(const struct account *account, const bool *is_taken,
                          struct buf *why)
{
    for (uint32_t i = 0; i < account->used && i < ACCOUNT_SLOTS; i++)
        if (!is_taken[i] && account->slots[i].done) {
            buf_printf(why, "slot %u, tid %u: a thread that did %llu steps has no track", i,
                       account->slots[i].tid, (unsigned long long)account->slots[i].done);
            return false;
        }
    return true;
}

bool zones_check(const char *folder, const struct account *account, uint64_t end_ns,
                 struct zones_checked *sums, struct buf *why)
{
    struct trace r;
    struct err e = {0};
    if (!host_run_open(&r, folder, &e)) {
        buf_printf(why, "the run does not open: %s", e.text);
        return false;
    }
    bool *is_taken = mem_alloc(ACCOUNT_SLOTS * sizeof *is_taken);
    enum tt_policy policy = (enum tt_policy)r.blocks->control.policy;
    bool is_fine = true;
    for (uint32_t i = 0; is_fine && i < r.tracks.n; i++) {
        struct track_check c = {.r = &r,
                                .account = account,
                                .track = &r.tracks.v[i],
                                .sums = sums,
                                .why = why,
                                .end_ns = end_ns,
                                .policy = policy};
        is_fine = check_track(&c, i, is_taken);
    }
    // Else times count from when the machine was started.
    if (is_fine && r.tracks.n && account->slots[0].start_ns > r.origin_ns + HOUR_NS) {
        buf_printf(why, "the axis begins at %llu", (unsigned long long)r.origin_ns);
        is_fine = false;
    }
    is_fine = is_fine && is_clean(trace_findings(&r), has_clocks(&r), why) &&
              all_are_there(account, is_taken, why);
    sums->tracks += r.tracks.n;
    sums->processes += r.processes.n;
    mem_free(is_taken);
    trace_free(&r);
    return is_fine;
}
