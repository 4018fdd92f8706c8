// lanes.c - asyncio tasks have tracks of their own.
//
// Each time a task continues, its coroutine is called by the event loop. What it does until
// the next await is recorded as that of a fiber, its lane. A lane has the name of the task,
// or of its coroutine if the task has none but "Task-7". When a task is done another one of
// that name gets its lane, so there are as many as tasks that were alive at once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

enum { LANES_MOST = 4096, NAME_MOST = 200, TRIES = 8 };

struct lane {
    PyObject *task; // not held; weak says whether it is still that one
    PyObject *weak;
    uint32_t fiber;
    uint32_t next; // of its name; 0: the last one
};
struct family { // lanes of one name
    char *name;
    uint32_t first, count, cursor; // cursor: where to look for a free one
};
static struct lane lanes[LANES_MOST + 1]; // from 1
static uint32_t n_lanes;
static struct family *families;
static size_t n_families;

static PyObject *running_task(void)
{
    static PyObject *current; // asyncio.current_task
    if (!current) {
        PyObject *tasks = interpreter_module("asyncio.tasks");
        current = interpreter_attribute(tasks, "current_task");
        interpreter_release(tasks);
    }
    PyObject *task = current ? py.PyObject_CallObject(current, NULL) : NULL;
    if (!task)
        py.PyErr_Clear(); // no event loop runs in this thread
    if (task && interpreter_is_none(task)) {
        interpreter_release(task);
        task = NULL;
    }
    return task;
}

// --- lanes of tasks ------------------------------------------------------------------
static bool is_of(const struct lane *l, const PyObject *task)
{
    return l->task == task && py.PyWeakref_GetObject(l->weak) == task;
}

static bool is_free(const struct lane *l)
{
    PyObject *task = py.PyWeakref_GetObject(l->weak);
    if (!task || interpreter_is_none(task))
        return true;
    PyObject *done = interpreter_call(task, "done");
    bool is = done && py.PyObject_IsTrue(done) == 1;
    interpreter_release(done);
    return is;
}

static bool take(struct lane *l, PyObject *task)
{
    PyObject *weak = py.PyWeakref_NewRef(task, NULL);
    if (!weak) {
        py.PyErr_Clear();
        return false;
    }
    interpreter_release(l->weak);
    l->weak = weak;
    l->task = task;
    return true;
}

static struct family *family_of(const char *name)
{
    for (size_t i = 0; i < n_families; i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    struct family *more = realloc(families, (n_families + 1) * sizeof *more);
    if (!more)
        return NULL;
    families = more;
    char *copy = strdup(name);
    if (!copy)
        return NULL;
    families[n_families] = (struct family){.name = copy};
    return &families[n_families++];
}

// "fetch", "fetch 2", ...
static struct lane *lane_new(struct family *f, PyObject *task)
{
    char name[NAME_MOST + 16];
    if (n_lanes == LANES_MOST) {
        agent_say(SAY_LANES, NULL);
        return NULL;
    }
    int n = f->count ? snprintf(name, sizeof name, "%s %u", f->name, f->count + 1)
                     : snprintf(name, sizeof name, "%s", f->name);
    struct lane *l = &lanes[n_lanes + 1];
    l->fiber = n > 0 ? ttprof_fiber_make(name, (size_t)n) : 0;
    if (!l->fiber || !take(l, task))
        return NULL;
    n_lanes++;
    l->next = f->first;
    f->first = n_lanes;
    f->count++;
    return l;
}

static struct lane *lane_find(struct family *f, PyObject *task)
{
    for (uint32_t i = f->first; i; i = lanes[i].next)
        if (is_of(&lanes[i], task))
            return &lanes[i];
    for (int k = 0; k < TRIES && f->first; k++) {
        f->cursor = f->cursor ? f->cursor : f->first;
        struct lane *l = &lanes[f->cursor];
        f->cursor = l->next;
        if (is_free(l))
            return take(l, task) ? l : NULL;
    }
    return lane_new(f, task);
}

static void task_name(PyObject *task, PyObject *code, char *out)
{
    PyObject *given = interpreter_call(task, "get_name");
    const char *name = given ? py.PyUnicode_AsUTF8AndSize(given, NULL) : NULL;
    if (!name)
        py.PyErr_Clear();
    if (!name || strncmp(name, "Task-", 5) == 0)
        agent_place_name(code, out, NAME_MOST);
    else
        (void)snprintf(out, NAME_MOST, "%s", name);
    interpreter_release(given);
}

bool agent_lane_enter(PyObject *code)
{
    char name[NAME_MOST];
    struct interpreter_error e = interpreter_aside();
    PyObject *task = running_task();
    const struct lane *l = NULL;
    if (task) {
        task_name(task, code, name);
        struct family *f = family_of(name);
        l = f ? lane_find(f, task) : NULL;
    }
    interpreter_release(task);
    interpreter_back(e);
    if (l)
        ttprof_fiber_enter_at(l->fiber);
    return l != NULL;
}
