// captures.c - see captures.h.
#include "app/run/captures.h"

#include <dirent.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder.h"

#include "app/run/outputs.h"
#include "record/process_log_write.h"

// --- one capture -----------------------------------------------------------------------

const char *captures_name(const char *folder, uint64_t pid, struct arena *a, struct err *e)
{
    const char *path;
    int k = 0;
    if (!folder_make(arena_printf(a, "%s/" RUN_TRACY, folder).p, e))
        return NULL;
    // A process may be captured more than once, if its client is on demand.
    do {
        str number = ++k > 1 ? arena_printf(a, "-%d", k) : (str){0};
        path = arena_printf(a, "%s/" RUN_TRACY "/%llu%.*s.tracy", folder,
                            (unsigned long long)pid, STR(number))
                   .p;
    } while (access(path, F_OK) == 0);
    return path;
}

static const char *log_of(const char *folder, struct arena *a)
{
    return arena_printf(a, "%s/" PROCESS_LOG_NAME, folder).p;
}

static bool has_process(const struct tracy *t)
{
    return t->pid && t->pid <= INT32_MAX;
}

void captures_note_clock(const char *folder, const char *path, const struct tracy *t,
                         const struct link_clock *clock)
{
    struct arena a = {0};
    char room[1024];
    struct process_lines l = {.text = room, .room = sizeof room};
    if (!clock->source || !has_process(t))
        return;
    process_line_begin(&l, "tracy", clock->begin_ns,
                       (struct process_self){(uint32_t)t->pid, clock->birth});
    process_line_text(&l, strrchr(path, '/') + 1);
    process_line_number(&l, (int64_t)clock->error_ns);
    process_line_text(&l, clock->source);
    process_line_end(&l);
    process_lines_write(&l, log_of(folder, &a));
    arena_free(&a);
}

void captures_note_process(const char *folder, const struct tracy *t,
                           const struct link_clock *clock)
{
    struct arena a = {0};
    char room[1024];
    struct process_lines l = {.text = room, .room = sizeof room};
    if (!has_process(t))
        return;
    process_line_begin(&l, "start", clock->begin_ns,
                       (struct process_self){(uint32_t)t->pid, clock->birth});
    process_line_number(&l, 0); // its parent is not known
    process_line_text(&l, arena_str(&a, t->program).p);
    process_line_end(&l);
    process_lines_write(&l, log_of(folder, &a));
    arena_free(&a);
}

// --- the folder ------------------------------------------------------------------------

const char *captures_folder(const char *path, struct arena *a)
{
    str name = str_of(path);
    if (!path_is_folder(path) && !str_ends(name, S("/")))
        return NULL;
    while (name.n > 1 && name.p[name.n - 1] == '/')
        name.n--;
    return arena_str(a, name).p;
}

static bool is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    bool is = true;
    for (const struct dirent *entry; d && is && (entry = readdir(d));)
        is = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (d)
        (void)closedir(d);
    return is;
}

// What captures_make and captures_finish leave.
static const char *const own_names[] = {"host", RUN_TRACY, PROCESS_LOG_NAME,
                                        "manifest.json"};

static bool has_others(const char *folder, struct arena *a)
{
    DIR *d = opendir(folder);
    bool has = !is_empty(arena_printf(a, "%s/host", folder).p);
    for (const struct dirent *entry; d && !has && (entry = readdir(d));) {
        has = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
            has = has && strcmp(entry->d_name, own_names[i]) != 0;
    }
    if (d)
        (void)closedir(d);
    return has;
}

static bool remove_captures(const char *folder, struct arena *a, struct err *e)
{
    if (has_others(folder, a))
        return err_set(
            e, ERR_IO,
            "%s: has files that are not of captures; choose another folder, or remove it",
            folder);
    for (size_t i = 0; i < sizeof own_names / sizeof *own_names; i++)
        if (!folder_delete(arena_printf(a, "%s/%s", folder, own_names[i]).p, e))
            return false;
    return true;
}

static bool make_parts(const char *folder, struct arena *a, struct err *e)
{
    const char *log = log_of(folder, a);
    return folder_make(arena_printf(a, "%s/host", folder).p, e) &&
           folder_make(arena_printf(a, "%s/" RUN_TRACY, folder).p, e) &&
           (process_log_create(log) ||
            err_set(e, ERR_IO, "%s: cannot write: %s", log, strerror(errno)));
}

enum captures_made captures_make(const char *folder, bool force, struct err *e)
{
    struct arena a = {0};
    bool is_there = access(folder, F_OK) == 0 && !is_empty(folder);
    enum captures_made made = CAPTURES_FAILED;
    if (is_there && !force)
        made = CAPTURES_EXIST;
    else if ((!is_there || remove_captures(folder, &a, e)) && make_parts(folder, &a, e))
        made = CAPTURES_MADE;
    arena_free(&a);
    return made;
}

void captures_remove(const char *folder)
{
    struct arena a = {0};
    (void)remove_captures(folder, &a, &(struct err){0});
    (void)rmdir(folder);
    arena_free(&a);
}

bool captures_finish(const char *folder, const char *command, uint64_t start_ns,
                     struct err *e)
{
    struct arena a = {0};
    struct run_facts f;
    struct tm now;
    time_t t = time(NULL);
    struct wrapped_run r = {.v = &run_defaults,
                            .root = (char *)"",
                            .folder = (char *)arena_str(&a, str_of(folder)).p,
                            .logs = (char *)arena_printf(&a, "%s/.logs", folder).p,
                            .start_ns = start_ns,
                            .end_ns = run_now_ns()};
    r.start_time = (int64_t)t - (int64_t)((r.end_ns - start_ns) / 1000000000);
    t = (time_t)r.start_time;
    (void)strftime(r.stamp, sizeof r.stamp, "%Y_%m_%d_%H_%M_%S", localtime_r(&t, &now));
    buf_z(&r.as_given, command);
    run_facts_find(&f, &r);
    bool ok = run_manifest_write(&r, &f, e);
    run_facts_free(&f);
    buf_free(&r.as_given);
    buf_free(&r.problems);
    arena_free(&a);
    return ok;
}
