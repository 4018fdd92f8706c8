// convert.c - `ttprof convert`: reads a run or a .tracy file and writes a .tracy file.
#include "app/convert/convert.h"

#include "base/file/file.h"
#include "base/file/folder.h"

#include "app/app.h"
#include "app/run/captures.h"
#include "app/run/run.h"
#include "formats/tracy/tracy_trace.h"

struct convert_job {
    const struct convert_values *v;
    const char *in, *out;
    const char *folder; // OUT, if it is to be a run folder; else NULL
    struct tracy_write_how how;
    struct diag diag;
    struct err *e;
};

static bool check(const struct convert_job *j)
{
    const struct convert_values *v = j->v;
    if (j->folder && !tracy_is_at(j->in))
        return err_set(
            j->e, ERR_USAGE,
            "'%s' is a folder: only .tracy files become run folders, and '%s' is none; give the name of a .tracy file",
            j->out, j->in);
    if (file_is_same(j->in, j->out))
        return err_set(j->e, ERR_USAGE, "'%s' cannot be converted into itself", j->in);
    if (v->level < 0 || v->level > 22)
        return err_set(j->e, ERR_USAGE, "--level must be from 0 to 22, got %lld",
                       (long long)v->level);
    if (v->streams < 0 || v->streams > TRACY_STREAMS_MOST)
        return err_set(j->e, ERR_USAGE, "--streams must be from 0 to %d, got %lld",
                       TRACY_STREAMS_MOST, (long long)v->streams);
    return true;
}

// A file keeps its generation; a run becomes what tt-metal's tools read.
static void choose(struct convert_job *j)
{
    const struct convert_values *v = j->v;
    enum tracy_generation generation = TRACY_F10;
    if (v->format)
        generation = strcmp(v->format, "0.14") == 0 ? TRACY_U14 : TRACY_F10;
    else
        (void)tracy_generation_at(j->in, &generation);
    j->how = tracy_write_usual(generation);
    if (v->compression)
        j->how.packing = strcmp(v->compression, "zstd") == 0 ? TRACY_ZSTD : TRACY_LZ4;
    j->how.level = (int)v->level;
    j->how.n_streams = (unsigned)v->streams;
    j->how.diag = &j->diag;
}

// When it was recorded is not in the file, so it is a run of its own.
static bool write_run(struct convert_job *j, struct tracy *contents)
{
    struct arena a = {0};
    uint64_t start_ns = run_now_ns();
    const char *path = NULL;
    enum captures_made made = captures_make(j->folder, false, j->e);
    if (made == CAPTURES_EXIST)
        (void)err_set(j->e, ERR_IO, "%s: is not empty; choose another folder, or remove it",
                      j->folder);
    if (made == CAPTURES_MADE)
        path = captures_name(j->folder, contents->pid, &a, j->e);
    bool ok = path && tracy_write(contents, path, j->how, j->e);
    const char *command = arena_printf(&a, "ttprof convert %s %s", j->in, j->out).p;
    ok = ok && captures_finish(j->folder, command, start_ns, j->e);
    arena_free(&a);
    return ok;
}

// Keeps everything that both forms have.
static bool convert_file(struct convert_job *j)
{
    struct tracy contents;
    struct tracy_read_how how = {.folder = tracy_spill_folder(),
                                 .held_most = TRACY_HELD_MOST};
    bool ok = tracy_read(&contents, j->in, how, j->e) &&
              (j->folder ? write_run(j, &contents)
                         : tracy_write(&contents, j->out, j->how, j->e));
    diag_add(&j->diag, &contents.diag);
    tracy_free(&contents);
    return ok;
}

int convert_command(const struct convert_values *values, struct words words, struct err *e)
{
    struct convert_job j = {.v = values, .in = words.v[0], .out = words.v[1], .e = e};
    struct arena a = {0};
    j.folder = captures_folder(j.out, &a);
    if (check(&j)) {
        choose(&j);
        bool ok = tracy_is_at(j.in)
                      ? convert_file(&j)
                      : convert_run("convert", j.in, j.out, j.how, &j.diag, e);
        if (ok)
            command_findings("convert", &j.diag, values->strict, e);
    }
    arena_free(&a);
    return err_exit_code(e->code);
}
