// attachments_file.c - attachments.json: what each attachment of a run adds to its numbers.
#include "base/file/file.h"
#include "base/file/folder.h"
#include "base/text/json.h"
#include "base/text/json_read.h"

#include "analyse/host/attachments_parts.h"

static const char *path_of(const struct attachments *a, struct arena *arena)
{
    return arena_printf(arena, "%s/" ATTACHMENTS_FILE, a->run).p;
}

bool attachments_write(const struct attachments *a, struct err *e)
{
    struct arena arena = {0};
    struct out o;
    bool ok = out_open(&o, path_of(a, &arena), e);
    arena_free(&arena);
    if (!ok)
        return false;
    struct json j = {.b = &o.b, .is_first = true};
    json_open(&j, '{');
    json_key(&j, S("attachments"));
    json_open(&j, '[');
    for (size_t i = 0; i < a->v.n; i++) {
        const struct attachment *at = &a->v.v[i];
        json_newline(&j);
        json_open(&j, '{');
        if (at->folder)
            json_key_text(&j, "folder", str_of(at->folder));
        json_key_int(&j, "pid", at->pid);
        json_key_int(&j, "birth", (int64_t)at->birth);
        json_key_int(&j, "start_ns", (int64_t)at->start_ns);
        json_key_int(&j, "attachment", at->number);
        json_key_int(&j, "since_ns", (int64_t)at->since_ns);
        json_key_int(&j, "more_programs", at->more_programs);
        json_key_int(&j, "more_traces", at->more_traces);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    buf_char(&o.b, '\n');
    return out_close(&o, e);
}

static int64_t get_number(struct json_read object, const char *key, int64_t most)
{
    int64_t v = 0;
    struct json_read at = json_find(object, key, NULL);
    return json_take_int(&at, &v) && v > 0 && v <= most ? v : 0;
}

// The same process of the run; its first event may be known more exactly now.
static uint32_t process_of(const struct trace *host, const struct attachment *at)
{
    uint32_t found = TRACE_NONE;
    for (uint32_t i = 0; host && i < host->processes.n; i++) {
        const struct trace_process *p = &host->processes.v[i];
        if (p->pid == at->pid && p->birth == at->birth &&
            (found == TRACE_NONE || p->start_ns <= at->start_ns))
            found = i;
    }
    return found;
}

// Only a folder of the run: a file must not lead elsewhere.
static bool is_own(str folder)
{
    return (str_starts(folder, S("devices/")) || str_is(folder, ".logs")) &&
           !str_has(folder, S(".."));
}

static struct attachment get_attachment(struct attachments *a, struct json_read object,
                                        const struct trace *host)
{
    str folder;
    struct json_read at = json_find(object, "folder", NULL);
    bool has_folder = json_take_text(&at, &a->a, &folder) && is_own(folder);
    struct attachment one = {
        .folder = has_folder ? arena_str(&a->a, folder).p : NULL,
        .pid = (uint32_t)get_number(object, "pid", UINT32_MAX),
        .birth = (uint64_t)get_number(object, "birth", INT64_MAX),
        .start_ns = (uint64_t)get_number(object, "start_ns", INT64_MAX),
        .number = (uint32_t)get_number(object, "attachment", UINT32_MAX),
        .since_ns = (uint64_t)get_number(object, "since_ns", INT64_MAX),
        .more_programs = get_number(object, "more_programs", UINT32_MAX),
        .more_traces = get_number(object, "more_traces", UINT32_MAX)};
    one.process = process_of(host, &one);
    if (one.folder && !attachment_read_clocks(a, &one))
        one.folder = NULL;
    return one;
}

bool attachments_read(struct attachments *a, const struct trace *host)
{
    struct err ignored = {0}; // without the file the numbers are found again
    struct file f;
    const char *path = path_of(a, &a->a);
    if (!path_is_file(path) || !file_open(path, &f, &ignored))
        return false;
    bool ok = json_check(f.text, ATTACHMENTS_FILE, &ignored);
    struct json_read list = json_find(json_read_of(f.text), "attachments", NULL);
    if (ok)
        for (json_enter(&list, '['); json_element(&list); json_skip(&list))
            vec_push(&a->v, get_attachment(a, list, host));
    attachments_sort(a);
    file_close(&f);
    return ok && a->v.n;
}
