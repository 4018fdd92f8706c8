// record.c - the loop of `ttprof capture`: links, announcements and signals.
#include "app/capture/record.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/text/log.h"

#include "app/capture/announce.h"
#include "app/capture/record_parts.h"
#include "app/run/captures.h"

static const int64_t second_ns = 1000000000, redraw_ns = 200000000;
// What long lists take in memory unless -m says otherwise.
static const uint64_t held_usual = UINT64_C(1) << 30;

int64_t record_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * second_ns + t.tv_nsec;
}

// --- what was asked for ----------------------------------------------------------------

static bool check_values(const struct record_job *j, struct err *e)
{
    const struct capture_values *v = j->v;
    if (!v->output)
        return err_set(e, ERR_USAGE,
                       "-o is missing: the .tracy file, or the folder, to write");
    if (!j->run && !str_ends(str_of(v->output), S(".tracy")))
        return err_set(
            e, ERR_USAGE,
            "-o %s: the name of the output must end in .tracy, that of a run folder in /",
            v->output);
    if (v->port < 1 || v->port > UINT16_MAX)
        return err_set(e, ERR_USAGE, "-p must be a port from 1 to 65535, got %lld",
                       (long long)v->port);
    if (v->seconds < 0)
        return err_set(e, ERR_USAGE, "-s must not be negative, got %lld",
                       (long long)v->seconds);
    if (v->memory < 0 || v->memory > 100)
        return err_set(e, ERR_USAGE, "-m must be a percentage, got %lld",
                       (long long)v->memory);
    if (v->all && v->address)
        return err_set(e, ERR_USAGE,
                       "--all captures clients of this machine; leave out -a");
    return true;
}

static uint64_t held_most(const struct capture_values *v)
{
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (v->memory)
        return memory / 100 * (uint64_t)v->memory;
    return memory / 4 < held_usual ? memory / 4 : held_usual;
}

struct session *record_add(struct record_job *j, const struct link_how *how,
                           const char *path, struct err *e)
{
    struct session *s = push_one(&j->a, struct session);
    if (!link_start(&s->link, how, record_now_ns(), e))
        return NULL;
    s->path = path;
    vec_push(&j->sessions, s);
    return s;
}

// --- the loop --------------------------------------------------------------------------

static void stop_all(struct record_job *j)
{
    j->is_stopping = true;
    for (size_t i = 0; i < j->sessions.n; i++)
        link_stop(&j->sessions.v[i]->link, record_now_ns());
}

// Time is up when the data of the one client, or all of it, took so long.
static int64_t time_limit(const struct record_job *j)
{
    int64_t from = j->start_ns;
    if (!j->v->seconds || j->is_stopping)
        return INT64_MAX;
    if (!j->v->all) {
        if (!j->sessions.v[0]->streamed_ns)
            return INT64_MAX;
        from = j->sessions.v[0]->streamed_ns;
    }
    return from + j->v->seconds * second_ns;
}

static bool is_over(const struct record_job *j)
{
    for (size_t i = 0; i < j->sessions.n; i++)
        if (!link_is_over(&j->sessions.v[i]->link))
            return false;
    return !j->v->all || j->is_stopping;
}

static int64_t next_due(const struct record_job *j, int64_t now)
{
    int64_t due = time_limit(j);
    for (size_t i = 0; i < j->sessions.n; i++) {
        int64_t d = link_due(&j->sessions.v[i]->link);
        due = d < due ? d : due;
    }
    if (j->live.is_on && now + redraw_ns < due)
        due = now + redraw_ns;
    return due;
}

static int timeout_of(int64_t due, int64_t now)
{
    const int64_t ms = 1000000, most = 60000;
    if (due <= now)
        return 0;
    int64_t wait = (due - now + ms - 1) / ms;
    return (int)(wait < most ? wait : most);
}

static void step(struct record_job *j, struct session *s, short events)
{
    link_step(&s->link, events, record_now_ns());
    if (!s->streamed_ns && s->link.state == LINK_STREAMING) {
        s->streamed_ns = record_now_ns();
        if (j->is_stopping)
            link_stop(&s->link, s->streamed_ns);
    }
    if (link_is_over(&s->link) && !s->is_saved)
        record_save(j, s);
}

static void take_signals(struct record_job *j, int fd)
{
    struct signalfd_siginfo s;
    while (read(fd, &s, sizeof s) == sizeof s)
        stop_all(j);
}

static void run_loop(struct record_job *j, int signals, int announcements)
{
    VEC(struct pollfd) p = {0};
    while (!is_over(j)) {
        size_t n = j->sessions.n;
        p.n = 0;
        vec_push(&p, (struct pollfd){.fd = signals, .events = POLLIN});
        vec_push(&p, (struct pollfd){.fd = announcements, .events = POLLIN});
        for (size_t i = 0; i < n; i++)
            vec_push(&p, link_poll(&j->sessions.v[i]->link));
        int64_t now = record_now_ns();
        if (poll(p.v, p.n, timeout_of(next_due(j, now), now)) < 0 && errno != EINTR)
            break;
        if (p.v[0].revents)
            take_signals(j, signals);
        if (p.v[1].revents && !j->is_stopping)
            record_announced(j, announcements);
        for (size_t i = 0; i < n; i++)
            step(j, j->sessions.v[i], p.v[2 + i].revents);
        if (record_now_ns() >= time_limit(j))
            stop_all(j);
        record_draw(j);
    }
    vec_free(&p);
}

// Signals that stop the capture are read in the loop: what was captured is saved.
static int take_over_signals(void)
{
    static const int taken[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (sigaction(taken[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(&set, taken[i]);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int run_job(struct record_job *j, struct err *e)
{
    const struct capture_values *v = j->v;
    int announcements = -1, code = record_check_output(j);
    if (code)
        return code;
    struct link_how how = {.address = v->address,
                           .port = (uint16_t)v->port,
                           .folder = j->folder,
                           .held_most = j->held_most,
                           .first = record_format(j, TRACY_F10)};
    if (v->all)
        announcements = announce_listen((uint16_t)v->port, e);
    else if (record_add(j, &how, j->run ? NULL : v->output, e))
        log_line("capture: connecting to %s:%lld", v->address ? v->address : "localhost",
                 (long long)v->port);
    if (e->code)
        return err_exit_code(e->code);
    int signals = take_over_signals();
    j->start_ns = record_now_ns();
    j->live = progress_start("capture", 1);
    run_loop(j, signals, announcements);
    for (size_t i = 0; i < j->sessions.n; i++) {
        if (!j->sessions.v[i]->is_saved)
            record_save(j, j->sessions.v[i]);
        code = code ? code : j->sessions.v[i]->code;
    }
    progress_end(&j->live);
    code = record_finish_run(j, code);
    (void)close(signals);
    if (announcements >= 0)
        (void)close(announcements);
    return code;
}

int capture_command(const struct capture_values *values, struct words words, struct err *e)
{
    (void)words;
    struct record_job j = {.v = values, .held_most = held_most(values)};
    const char *slash = values->output ? strrchr(values->output, '/') : NULL;
    j.run = values->output ? captures_folder(values->output, &j.a) : NULL;
    j.folder =
        j.run ? j.run
        : slash
            ? arena_str(&j.a, (str){values->output, (size_t)(slash - values->output) + 1}).p
            : ".";
    int code = check_values(&j, e) ? run_job(&j, e) : 0;
    for (size_t i = 0; i < j.sessions.n; i++)
        link_free(&j.sessions.v[i]->link);
    vec_free(&j.sessions);
    vec_free(&j.refused);
    arena_free(&j.a);
    return code;
}
