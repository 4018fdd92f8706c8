// legacy.c - the op profiler of 2023: a stack of ops, a CSV file per op and per call.
//
// Its state is per process, like its interface, which is called from one thread.
#include "runtime/legacy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file/folder.h"
#include "base/text/log.h"

#include "ttprof/host.h"

static struct legacy {
    bool is_used;
    bool is_listed;        // the list of folders has been started
    bool is_told;          // that files cannot be written was reported
    struct buf root, last; // folder of all ops; the name the caller gave
    struct map names;      // op names, for their counts
    struct arena texts;
    VEC(uint32_t) counts;
    uint32_t n_ops;
    VEC(struct legacy_op) stack;
    ttrt *m; // the device profiled with the ops, or NULL
} legacy;

// --- folders ---------------------------------------------------------------------------
static bool has_device_profiler(void)
{
    const char *value = getenv("TT_METAL_DEVICE_PROFILER");
    return value && strcmp(value, "1") == 0;
}

void legacy_put_logs(struct buf *b)
{
    const char *folder = getenv("TT_METAL_PROFILER_DIR"), *home = getenv("TT_METAL_HOME");
    if (folder && folder[0])
        buf_printf(b, "%s/.logs/", folder);
    else if (home && home[0])
        buf_printf(b, "%s/generated/profiler/.logs/", home);
    else
        buf_z(b, "generated/profiler/.logs/");
}

static void complain(const struct err *e)
{
    if (!legacy.is_told)
        log_line("op profiler: %s", e->text);
    legacy.is_told = true;
}

void legacy_append(const char *path, const char *head, str text)
{
    struct err e = {0};
    struct out o;
    if (!out_append(&o, path, &e)) {
        complain(&e);
        return;
    }
    if (!o.behind)
        buf_z(&o.b, head);
    buf_str(&o.b, text);
    if (!out_close(&o, &e))
        complain(&e);
}

static bool make_folder(const char *path)
{
    struct err e = {0};
    bool is_made = folder_make(path, &e);
    if (!is_made)
        complain(&e);
    return is_made;
}

// The list of folders belongs to this process: remove what another one left.
static void note_location(void)
{
    struct buf list = {0}, line = {0};
    legacy_put_logs(&list);
    buf_char(&list, '\0');
    (void)make_folder(list.p);
    list.n--;
    buf_z(&list, ".locations.log");
    buf_char(&list, '\0');
    if (!legacy.is_listed)
        (void)unlink(list.p);
    legacy.is_listed = true;
    buf_printf(&line, "%s\n", legacy.root.p);
    legacy_append(list.p, "", buf_view(&line));
    buf_free(&list);
    buf_free(&line);
}

static void set_folder(str folder)
{
    struct err e = {0};
    bool is_device = has_device_profiler();
    legacy.root.n = legacy.last.n = 0;
    for (size_t i = 0; i < legacy.counts.n; i++)
        legacy.counts.v[i] = 0; // calls, in the new folder
    buf_str(&legacy.last, folder);
    legacy_put_logs(&legacy.root);
    buf_str(&legacy.root, folder);
    if (is_device)
        buf_z(&legacy.root, "_device");
    buf_char(&legacy.root, '\0');
    if (is_device)
        log_line("Device profiling detected, logs folder location changed to %s",
                 legacy.root.p);
    if (!folder_delete(legacy.root.p, &e))
        complain(&e);
    (void)make_folder(legacy.root.p);
    note_location();
    legacy.is_used = true;
}

static bool leads_out(str folder)
{
    while (folder.n) {
        str part = str_cut(&folder, '/');
        if (str_is(part, "..") || (str_is(part, ".") && !folder.n))
            return true;
    }
    return false;
}

void ttrt_set_profiler_location(const char *folder)
{
    str name = str_of(folder);
    if (!folder)
        legacy.is_used = false;
    while (name.n && strchr(" \t\n/", name.p[name.n - 1]))
        name.n--;
    // The folder is deleted first, so it must be inside the logs folder.
    if (leads_out(name))
        log_line("op profiler: '%s' is not a folder of logs; name one without '..'",
                 folder);
    else if (name.n && !(legacy.is_used && str_eq(name, buf_view(&legacy.last))))
        set_folder(name);
}

bool ttrt_get_profiler_flag(void)
{
    return true;
}

bool rt_legacy_is_used(void)
{
    return legacy.is_used;
}

void rt_legacy_attach(ttrt *m, bool is_open)
{
    if (is_open && m->is_profiled)
        legacy.m = m;
    else if (!is_open && legacy.m == m)
        legacy.m = NULL;
}

// --- the stack -------------------------------------------------------------------------
static struct legacy_op *top_op(void)
{
    return legacy.stack.n ? &legacy.stack.v[legacy.stack.n - 1] : NULL;
}

struct legacy_op *rt_legacy_top(void)
{
    return top_op();
}

// Commas separate columns; a slash would lead to another folder.
static void put_clean(struct buf *to, const char *text)
{
    for (const char *c = text; *c; c++)
        buf_char(to, *c == ',' ? ';' : *c == '/' ? '_' : *c);
}

// The caller's text may be gone when the op ends.
static const char *type_of(const char *type)
{
    static const char *const types[] = {"custom_zone", "python_fallback", "tt_dnn_cpu",
                                        "tt_dnn_device", "unknown"};
    for (size_t i = 0; type && i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i]) == 0)
            return types[i];
    return type ? arena_str(&legacy.texts, str_of(type)).p : types[0];
}

void ttrt_start_profiling(const char *name, const char *type)
{
    struct legacy_op op = {.global_count = ++legacy.n_ops, .type = type_of(type)};
    if (!legacy.is_used)
        set_folder(S("ops"));
    put_clean(&op.name, name);
    op.start = ttprof_now();
    vec_push(&legacy.stack, op);
}

static uint32_t count_call(str name)
{
    uint32_t id = map_put_copy(&legacy.names, name.p, name.n, &legacy.texts);
    if (id == legacy.counts.n)
        vec_push(&legacy.counts, 0);
    return ++legacy.counts.v[id];
}

// Writes into the folder of one call: "<root>/<op>/<call count>/".
static void write_op(struct legacy_op *op)
{
    struct buf path = {0};
    op->depth = (uint32_t)legacy.stack.n;
    op->count = count_call(buf_view(&op->name));
    buf_printf(&path, "%s/%.*s/%u/", legacy.root.p, STR(op->name), op->count);
    buf_char(&path, '\0');
    if (make_folder(path.p)) {
        path.n--;
        legacy_write(op, &path, legacy.m);
    }
    buf_free(&path);
}

int ttrt_stop_profiling(const char *name)
{
    struct legacy_op *op = top_op();
    struct buf asked = {0};
    put_clean(&asked, name);
    bool is_top = op && str_eq(buf_view(&asked), buf_view(&op->name));
    buf_free(&asked);
    if (!is_top) {
        log_line(
            "op profiler: Something is wrong, op name mismatch: '%s' is stopped, '%.*s' is open",
            name, STR(op ? op->name : (struct buf){0}));
        return -EINVAL;
    }
    op->stop = ttprof_now();
    if (op->preferred.n && strcmp(op->type, "tt_dnn_device") != 0) {
        buf_char(&op->name, '_');
        buf_str(&op->name, buf_view(&op->preferred));
    }
    write_op(op);
    legacy_free(op);
    legacy.stack.n--;
    return 0;
}

// --- the op on top of the stack --------------------------------------------------------
void legacy_join(struct buf *list, str text, char separator)
{
    if (list->n)
        buf_char(list, separator);
    buf_str(list, text);
}

int ttrt_append_meta_data(const char *text)
{
    struct legacy_op *op = top_op();
    struct buf clean = {0};
    if (!op)
        return -EINVAL;
    for (const char *c = text; *c; c++)
        buf_char(&clean, *c == ',' ? ';' : *c == '-' ? '_' : *c);
    legacy_join(&op->meta, buf_view(&clean), '-');
    buf_free(&clean);
    return 0;
}

static void put_tensor_text(const ttrt_tensor *t, struct buf *b)
{
    for (int i = 0; i < 4; i++)
        buf_printf(b, "%s%u", i ? "_" : "", t->padded[i]);
    buf_printf(b, "|%s|%s|DEV_%d_%s_%s", rt_layout_name(t->spec.layout),
               rt_dtypes[t->spec.dtype].name, t->m->chip_id[0],
               rt_buffer_name(t->spec.memory.buffer),
               rt_memory_layout_name(t->spec.memory.layout));
}

static void append_tensor(struct buf *list, const ttrt_tensor *t)
{
    struct buf text = {0};
    put_tensor_text(t, &text);
    legacy_join(list, buf_view(&text), '-');
    buf_free(&text);
}

void ttrt_append_input_data(const ttrt_tensor *t)
{
    struct legacy_op *op = top_op();
    if (op && t)
        append_tensor(&op->inputs, t);
}

void ttrt_append_output_data(const ttrt_tensor *t)
{
    struct legacy_op *op = top_op();
    if (op && t)
        append_tensor(&op->outputs, t);
}

void ttrt_set_preferred_name(const char *name)
{
    struct legacy_op *op = top_op();
    if (!op)
        return;
    op->preferred.n = 0;
    put_clean(&op->preferred, name);
}

// --- runtime calls ---------------------------------------------------------------------
struct rt_call rt_call_begin(const char *name)
{
    struct rt_call call = {0};
    if (legacy.stack.n)
        call = (struct rt_call){name, ttprof_now()};
    return call;
}

void rt_call_end(const struct rt_call *call)
{
    struct legacy_op *op = top_op();
    if (call->name && op)
        vec_push(&op->calls, (struct legacy_call){call->name, call->start, ttprof_now()});
}
