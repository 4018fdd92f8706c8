// record_save.c - what `ttprof capture` writes: the trace, and what happened.
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/text/log.h"

#include "app/app.h"
#include "app/capture/announce.h"
#include "app/capture/record_parts.h"
#include "app/run/captures.h"
#include "formats/tracy/tracy_file.h"
#include "table/table.h"

// --- texts of the reference's capture tool ---------------------------------------------

static const char mismatch_text[] =
    "\nThe client you are trying to connect to uses incompatible protocol version.\n"
    "Make sure you are using the same Tracy version on both client and server.\n"
    "ttprof supports protocol 66 (0.10, tt-metal), 82 (0.14) and 83 (0.14.1, tt-metal).\n";
static const char taken_text[] =
    "\nThe client you are trying to connect to is no longer able to sent profiling data,\n"
    "because another server was already connected to it.\n"
    "Start the program again, or build its client with TRACY_ON_DEMAND.\n";
static const char lost_text[] =
    "\nThe client you are trying to connect to has disconnected during the initial\n"
    "connection handshake. Check that the port is that of a Tracy client.\n";

static void put_failures(struct buf *b, const uint64_t *failures)
{
    for (int i = 0; i < CAPTURE_FAILURE_KINDS; i++) {
        if (!failures[i])
            continue;
        buf_printf(b, "Instrumentation failure: %s", capture_failure_texts[i]);
        if (failures[i] > 1)
            buf_printf(b, " (%llu times)", (unsigned long long)failures[i]);
        buf_char(b, '\n');
    }
}

static void put_summary(struct buf *b, const struct record_job *j, const struct session *s,
                        const struct tracy *t)
{
    if (j->v->all)
        buf_printf(b, "%.*s, process %llu\n", STR(t->program), (unsigned long long)t->pid);
    buf_z(b, "Timer resolution: ");
    table_put_nanos(b, (double)t->resolution);
    buf_char(b, '\n');
    put_failures(b, s->link.failures);
    buf_printf(b, "Frames: %zu\nTime span: ", t->frame_sets.v[0].frames.n);
    table_put_nanos(b, (double)t->last_time);
    buf_printf(b, "\nZones: %llu\nElapsed time: ", (unsigned long long)tracy_zone_count(t));
    table_put_nanos(b, (double)(record_now_ns() - s->streamed_ns));
    buf_char(b, '\n');
}

static void say_end(const struct session *s)
{
    const struct capture_link *l = &s->link;
    if (l->state != LINK_LOST)
        return;
    if (l->trouble)
        log_line("capture: %s; what came before is saved", l->trouble);
    else
        log_line(
            "capture: the client closed the connection before its end; what it sent "
            "is saved");
}

enum tracy_generation record_format(const struct record_job *j, enum tracy_generation other)
{
    if (!j->v->format)
        return other;
    return strcmp(j->v->format, "0.10") == 0 ? TRACY_F10 : TRACY_U14;
}

static int write_trace(struct record_job *j, struct session *s, struct tracy *t)
{
    struct err e = {0};
    struct buf b = {0};
    struct stat size = {0};
    // The fork's 0.14.1 expects more behind device contexts in a file of 0.14 than others
    // write; it reads files of 0.10, as every viewer.
    bool is_fork = s->link.generation == TRACY_T14;
    struct tracy_write_how how =
        tracy_write_usual(record_format(j, is_fork ? TRACY_F10 : t->generation));
    how.diag = &t->diag;
    put_summary(&b, j, s, t);
    buf_z(&b, "Saving trace...");
    if (j->run)
        s->path = captures_name(j->run, t->pid, &j->a, &e);
    if (!s->path || !tracy_write(t, s->path, how, &e)) {
        buf_z(&b, " failed!\n");
        s->path = NULL;
        (void)command_print(&b, &(struct err){0});
        log_line("capture: %s", e.text);
        return CAPTURE_EXIT_OUTPUT;
    }
    if (j->run) {
        captures_note_process(j->run, t, &s->link.clock);
        captures_note_clock(j->run, s->path, t, &s->link.clock);
    }
    (void)stat(s->path, &size);
    buf_printf(&b, " done!\nTrace size %lld bytes: %s\n", (long long)size.st_size, s->path);
    (void)command_print(&b, &e);
    command_findings("capture", &t->diag, false, &e);
    return 0;
}

void record_save(struct record_job *j, struct session *s)
{
    const char *text = NULL;
    struct tracy *t = link_trace(&s->link);
    s->is_saved = true;
    progress_end(&j->live);
    switch (s->link.state) {
    case LINK_MISMATCH: text = mismatch_text, s->code = CAPTURE_EXIT_MISMATCH; break;
    case LINK_TAKEN: text = taken_text, s->code = CAPTURE_EXIT_TAKEN; break;
    case LINK_NO_WELCOME: text = lost_text, s->code = CAPTURE_EXIT_LOST; break;
    default: break;
    }
    if (text) {
        struct buf b = {0};
        buf_z(&b, text);
        (void)command_print(&b, &(struct err){0});
    } else if (t) {
        say_end(s);
        s->code = write_trace(j, s, t);
    } else if (!j->v->all) {
        log_line("capture: stopped before a client answered; nothing was captured");
        s->code = CAPTURE_EXIT_LOST;
    }
    // Other clients may go on for long.
    link_free(&s->link);
}

// --- the output ------------------------------------------------------------------------

static int say_exists(const char *path)
{
    log_line("capture: output file %s already exists! Use -f to force overwrite.", path);
    return CAPTURE_EXIT_EXISTS;
}

static int make_run(struct record_job *j)
{
    struct err e = {0};
    enum captures_made made = captures_make(j->run, j->v->force, &e);
    j->has_run = made == CAPTURES_MADE;
    if (made == CAPTURES_EXIST)
        return say_exists(j->run);
    if (made == CAPTURES_FAILED)
        log_line("capture: %s", e.text);
    return made == CAPTURES_MADE ? 0 : CAPTURE_EXIT_OUTPUT;
}

int record_finish_run(struct record_job *j, int code)
{
    struct err e = {0};
    size_t n_saved = 0;
    for (size_t i = 0; i < j->sessions.n; i++)
        n_saved += j->sessions.v[i]->path != NULL;
    if (!j->has_run)
        return code;
    if (!n_saved) {
        captures_remove(j->run);
        return code;
    }
    const char *command =
        arena_printf(&j->a, "ttprof capture%s -o %s", j->v->all ? " --all" : "", j->run).p;
    if (captures_finish(j->run, command, (uint64_t)j->start_ns, &e))
        return code;
    log_line("capture: %s", e.text);
    return code ? code : CAPTURE_EXIT_OUTPUT;
}

int record_check_output(struct record_job *j)
{
    struct err e = {0};
    struct out o;
    if (j->run)
        return make_run(j);
    if (!j->v->all && !j->v->force && access(j->v->output, F_OK) == 0)
        return say_exists(j->v->output);
    // A long capture must not end in vain.
    if (out_open(&o, j->v->output, &e)) {
        out_abandon(&o);
        return 0;
    }
    log_line("capture: %s", e.text);
    return CAPTURE_EXIT_OUTPUT;
}

void record_draw(struct record_job *j)
{
    uint64_t received = 0, zones = 0;
    size_t n = 0;
    if (!j->live.is_on)
        return;
    for (size_t i = 0; i < j->sessions.n; i++) {
        const struct capture_link *l = &j->sessions.v[i]->link;
        if (link_is_over(l) || !l->capture)
            continue;
        n++;
        received += l->received;
        zones += capture_zone_count(l->capture);
    }
    progress_text(&j->live, "%zu client%s, %.1f MB received, %llu zones, %llds", n,
                  n == 1 ? "" : "s", (double)received / 1e6, (unsigned long long)zones,
                  (long long)((record_now_ns() - j->start_ns) / 1000000000));
}

// --- announcements ---------------------------------------------------------------------

static uint64_t key_of(const struct tracy_broadcast *b)
{
    return b->pid << 16 | b->port;
}

// A client that was captured announces itself again if it is on demand: it is not captured
// twice.
static bool is_known(const struct record_job *j, uint64_t key)
{
    for (size_t i = 0; i < j->sessions.n; i++)
        if (j->sessions.v[i]->key == key)
            return true;
    for (size_t i = 0; i < j->refused.n; i++)
        if (j->refused.v[i] == key)
            return true;
    return false;
}

// "out/run.tracy" -> "out/run-PROGRAM-PID.tracy"; the name is the client's word.
static const char *path_of(struct record_job *j, const struct tracy_broadcast *b)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
        "0123456789._-";
    str base = str_of(j->v->output);
    char name[TRACY_NAME_BYTES];
    memcpy(name, b->program, sizeof name);
    for (char *p = name; *p; p++)
        if (!strchr(plain, *p))
            *p = '_';
    base.n -= strlen(".tracy");
    return arena_printf(&j->a, "%.*s-%s-%llu.tracy", STR(base), name,
                        (unsigned long long)b->pid)
        .p;
}

static void take_announcement(struct record_job *j, const struct tracy_broadcast *b)
{
    enum { CLIENTS_MOST = 1024 };
    enum tracy_generation g;
    struct err e = {0};
    uint64_t key = key_of(b);
    if (b->active_seconds < 0 || !b->port || is_known(j, key) ||
        j->sessions.n + j->refused.n >= CLIENTS_MOST)
        return;
    const char *path = j->run ? NULL : path_of(j, b);
    bool is_there = path && !j->v->force && access(path, F_OK) == 0;
    if (!tracy_generation_of(b->protocol, &g) || is_there) {
        if (is_there)
            (void)say_exists(path);
        else
            log_line(
                "capture: '%s' (process %llu) speaks protocol %u, which is not "
                "supported; supported are 66 and 82",
                b->program, (unsigned long long)b->pid, b->protocol);
        vec_push(&j->refused, key);
        return;
    }
    struct link_how how = {
        .port = b->port, .folder = j->folder, .held_most = j->held_most, .first = g};
    struct session *s = record_add(j, &how, path, &e);
    if (!s)
        return;
    s->key = key;
    log_line("capture: connecting to '%s', process %llu, port %u", b->program,
             (unsigned long long)b->pid, b->port);
}

void record_announced(struct record_job *j, int fd)
{
    struct announcement a;
    while (announce_next(fd, &a))
        if (a.is_local)
            take_announcement(j, &a.client);
}
