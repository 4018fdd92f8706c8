// start.c - what the packages call; the interpreter's lock is held.
#include <string.h>

#include "agent.h"

#define PUBLIC __attribute__((visibility("default")))

// Returned by the functions below.
enum { DONE = 0, NOT_RECORDED = 1, NOT_USABLE = 2, HAS_OTHER = 3 };
int ttprof_python_start(void);
int ttprof_python_enable(int with_lines);
void ttprof_python_disable(void);
void ttprof_python_hide(const char *folder);
uint32_t ttprof_python_zone_begin(uint32_t location);
int ttprof_python_zone_end(uint32_t number, const char *name, size_t bytes,
                           uint32_t colour);

static bool is_free_threaded(void)
{
    PyObject *ask = py.PySys_GetObject("_is_gil_enabled");
    PyObject *answer = ask ? py.PyObject_CallObject(ask, NULL) : NULL;
    bool is = answer && py.PyObject_IsTrue(answer) == 0;
    interpreter_release(answer);
    return is;
}

// NOT_RECORDED, NOT_USABLE or DONE: the interpreter can be recorded.
static int prepare(void)
{
    static int state = -1;
    if (!ttprof_is_recording())
        return NOT_RECORDED;
    if (state >= 0)
        return state;
    const char *missing = interpreter_find();
    state = NOT_USABLE;
    if (missing)
        agent_say(SAY_MISSING, missing);
    else if (is_free_threaded())
        agent_say(SAY_FREE_THREADED, NULL);
    else
        state = DONE;
    if (state == DONE)
        agent_filter_read();
    return state;
}

// Records all threads to the end of the program.
PUBLIC int ttprof_python_start(void)
{
    int error = prepare();
    if (error)
        return error;
    agent_is_whole = true;
    bool is_here = agent_install_here(false);
    agent_install_everywhere();
    return is_here ? DONE : HAS_OTHER;
}

// Records this thread until it is disabled as often as it was enabled.
PUBLIC int ttprof_python_enable(int with_lines)
{
    int error = prepare();
    if (error || agent_is_whole)
        return error;
    struct agent_stack *s = agent_stack_here();
    if (!s || !agent_install_here(with_lines != 0))
        return HAS_OTHER;
    s->enabled++;
    return DONE;
}

PUBLIC void ttprof_python_disable(void)
{
    struct agent_stack *s = agent_self;
    if (s && s->enabled && --s->enabled == 0)
        agent_remove_here();
}

PUBLIC void ttprof_python_hide(const char *folder)
{
    agent_filter_hide(folder);
}

// Zones of the program's own, among those of its functions. Returns a number, never 0.
PUBLIC uint32_t ttprof_python_zone_begin(uint32_t location)
{
    struct agent_stack *s = agent_stack_here();
    if (!s)
        return UINT32_MAX;
    s->last_own += 2;
    uint32_t number = s->last_own | 1;
    agent_stack_push(s, number, ENTRY_OWN, location, false);
    return number;
}

// The one with this number, or for 0 the last one begun in this thread. 1: there is none.
PUBLIC int ttprof_python_zone_end(uint32_t number, const char *name, size_t bytes,
                                  uint32_t colour)
{
    struct agent_stack *s = agent_stack_here();
    for (uint32_t i = s ? s->n : 0; i-- > 0;) {
        const struct agent_entry *e = &s->at[i];
        if (e->kind != ENTRY_OWN || (number && e->frame != number))
            continue;
        struct agent_epitaph last = {name, bytes, colour};
        agent_stack_remove(s, i, &last);
        return 0;
    }
    return 1;
}
