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
int ttprof_python_zone_begin(uint32_t location);
int ttprof_python_zone_end(const char *name, size_t bytes, uint32_t colour);

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

// Records this thread until it is disabled.
PUBLIC int ttprof_python_enable(int with_lines)
{
    int error = prepare();
    if (error)
        return error;
    return agent_install_here(with_lines != 0) ? DONE : HAS_OTHER;
}

PUBLIC void ttprof_python_disable(void)
{
    if (prepare() == DONE && !agent_is_whole)
        agent_remove_here();
}

PUBLIC void ttprof_python_hide(const char *folder)
{
    agent_filter_hide(folder);
}

// Zones of the program's own, among those of its functions. 1: it is open.
PUBLIC int ttprof_python_zone_begin(uint32_t location)
{
    struct agent_stack *s = agent_stack_here();
    if (!s || !agent_stack_next(s))
        return 0;
    agent_stack_push(s, NULL, ENTRY_OWN, location, false);
    return 1;
}

// The last one begun in this thread. 1: there is none.
PUBLIC int ttprof_python_zone_end(const char *name, size_t bytes, uint32_t colour)
{
    struct agent_stack *s = agent_stack_here();
    for (uint32_t i = s ? s->n : 0; i-- > 0;) {
        if (s->at[i].kind != ENTRY_OWN)
            continue;
        // Names and colours are those of the innermost zone.
        bool is_top = i == s->n - 1;
        if (is_top && bytes)
            ttprof_zone_name(s->at[i].zone, name, bytes);
        if (is_top && colour)
            ttprof_zone_colour(s->at[i].zone, colour);
        agent_stack_remove(s, i);
        return 0;
    }
    return 1;
}
