// events.c - what the interpreter tells: calls, returns and lines.
//
// A zone ends with the return of the frame that it began with. That frame is compared, so
// returns of functions that were called before the recording began, and frames that end
// unseen (greenlets), leave no zone open and end none that is not theirs.
#include <unistd.h>

#include "agent.h"

enum { NAME_TRIES = 64 };

// --- names of threads --------------------------------------------------------------------
// The module `threading` knows a thread by its ident soon after it began.
static bool name_from(PyObject *threads)
{
    PyObject *active = interpreter_attribute(threads, "_active"), *holder = NULL;
    PyObject *ident = interpreter_call(threads, "get_ident");
    PyObject *thread = active && ident ? py.PyObject_GetItem(active, ident) : NULL;
    const char *name = thread ? interpreter_text(thread, "name", &holder) : NULL;
    if (!thread)
        py.PyErr_Clear();
    else if (name)
        ttprof_thread_name_put(name);
    interpreter_release(holder);
    interpreter_release(thread);
    interpreter_release(ident);
    interpreter_release(active);
    return thread != NULL;
}

static AGENT_SLOW void find_name(struct agent_stack *s)
{
    struct interpreter_error e = interpreter_aside();
    PyObject *threads = interpreter_module("threading");
    s->has_name = getpid() == gettid() || (threads && name_from(threads)) ||
                  ++s->name_tries == NAME_TRIES;
    interpreter_release(threads);
    interpreter_back(e);
}

// --- Python functions --------------------------------------------------------------------
// NULL: no memory.
static inline const struct agent_place *place_of(PyFrameObject *frame, PyObject *code)
{
    const struct agent_place *place = agent_place_find(&agent_codes, (uintptr_t)code);
    if (agent_likely(place && (place->location || place->flags & PLACE_IS_HIDDEN)))
        return place;
    return agent_place_of_code(frame, code);
}

static void call_coroutine(struct agent_stack *s, PyFrameObject *frame, PyObject *code,
                           const struct agent_place *place)
{
    if (!agent_stack_next(s))
        return;
    bool has_lane = !s->is_in_lane && agent_lane_enter(code);
    agent_stack_push(s, (uintptr_t)frame, ENTRY_FUNCTION, place->location,
                     place->flags & PLACE_IS_HIDDEN);
    s->at[s->n - 1].is_coroutine = true;
    s->at[s->n - 1].has_lane = has_lane;
    s->is_in_lane |= has_lane;
    if (s->n_kept)
        agent_stack_resume(s, (uintptr_t)frame);
}

static AGENT_SLOW int call_unusual(struct agent_stack *s, PyFrameObject *frame,
                                   PyObject *code)
{
    const struct agent_place *place = place_of(frame, code);
    if (!s->has_name)
        find_name(s);
    if (place && place->flags & PLACE_IS_COROUTINE)
        call_coroutine(s, frame, code, place);
    else
        agent_stack_push(s, (uintptr_t)frame, ENTRY_FUNCTION, place ? place->location : 0,
                         !place || place->flags & PLACE_IS_HIDDEN);
    py.Py_DecRef(code);
    return 0;
}

static AGENT_HOT int on_call(struct agent_stack *s, PyFrameObject *frame)
{
    PyObject *code = py.PyFrame_GetCode(frame);
    const struct agent_place *place = agent_place_find(&agent_codes, (uintptr_t)code);
    bool is_usual = place && place->location && !place->flags && s->has_name;
    if (agent_unlikely(!is_usual || s->n == s->room))
        return call_unusual(s, frame, code);
    agent_stack_push(s, (uintptr_t)frame, ENTRY_FUNCTION, place->location, false);
    py.Py_DecRef(code);
    return 0;
}

static AGENT_SLOW void return_below(struct agent_stack *s, const PyFrameObject *frame)
{
    for (uint32_t i = s->n; i-- > 0;)
        if (s->at[i].frame == (uintptr_t)frame && s->at[i].kind == ENTRY_FUNCTION) {
            agent_stack_remove(s, i, NULL);
            return;
        }
}

static AGENT_HOT int on_return(struct agent_stack *s, const PyFrameObject *frame)
{
    const struct agent_entry *top = agent_stack_top(s);
    if (agent_unlikely(!top))
        return 0;
    if (agent_unlikely(top->frame != (uintptr_t)frame || top->kind != ENTRY_FUNCTION)) {
        return_below(s, frame);
        return 0;
    }
    s->n--;
    agent_entry_end(s, top);
    return 0;
}

// --- C functions -------------------------------------------------------------------------
// Whether the function of this frame is one that is not recorded.
static AGENT_SLOW bool is_hidden(const struct agent_stack *s, PyFrameObject *frame)
{
    for (uint32_t i = s->n; i-- > 0 && s->at[i].kind != ENTRY_NATIVE;)
        if (s->at[i].frame == (uintptr_t)frame && s->at[i].kind == ENTRY_FUNCTION)
            return s->at[i].is_hidden;
    PyObject *code = py.PyFrame_GetCode(frame); // it began before the recording
    const struct agent_place *place = place_of(frame, code);
    py.Py_DecRef(code);
    return !place || place->flags & PLACE_IS_HIDDEN;
}

// NULL: it is a callable of another kind, or there is no memory.
static inline const struct agent_place *native_of(PyObject *function)
{
    PyCFunction entry = py.PyCFunction_GetFunction(function);
    if (agent_unlikely(!entry)) {
        py.PyErr_Clear();
        return NULL;
    }
    const struct agent_place *place = agent_place_find(&agent_natives, (uintptr_t)entry);
    if (agent_unlikely(place && place->flags & PLACE_DEPENDS_ON_SELF))
        place =
            agent_place_find(&agent_natives, (uintptr_t)py.PyCFunction_GetSelf(function));
    if (agent_likely(place && (place->location || place->flags & PLACE_IS_HIDDEN)))
        return place;
    return agent_place_of_native(function, entry);
}

static AGENT_HOT int on_native_call(struct agent_stack *s, PyFrameObject *frame,
                                    PyObject *function)
{
    const struct agent_place *place = native_of(function);
    const struct agent_entry *top = agent_stack_top(s);
    bool is_of_hidden = agent_likely(top && top->frame == (uintptr_t)frame)
                            ? top->is_hidden
                            : is_hidden(s, frame);
    if (agent_unlikely(!place || !agent_stack_next(s)))
        return 0;
    agent_stack_push(s, (uintptr_t)frame, ENTRY_NATIVE, is_of_hidden ? 0 : place->location,
                     is_of_hidden);
    if (agent_unlikely(place->flags & PLACE_STARTS_THREADS))
        s->at[s->n - 1].starts_thread = true;
    return 0;
}

// The C function has begun zones of the program's own (a call by ctypes), or its call was
// not seen.
static AGENT_SLOW void native_return_below(struct agent_stack *s,
                                           const PyFrameObject *frame)
{
    uint32_t i = s->n;
    while (i > 0 && s->at[i - 1].kind == ENTRY_OWN)
        i--;
    if (i > 0 && s->at[i - 1].kind == ENTRY_NATIVE &&
        s->at[i - 1].frame == (uintptr_t)frame)
        agent_stack_remove(s, i - 1, NULL);
}

static AGENT_HOT int on_native_return(struct agent_stack *s, const PyFrameObject *frame)
{
    const struct agent_entry *top = agent_stack_top(s);
    if (agent_unlikely(!top))
        return 0;
    if (agent_unlikely(top->frame != (uintptr_t)frame || top->kind != ENTRY_NATIVE)) {
        native_return_below(s, frame);
        return 0;
    }
    bool has_started_thread = top->starts_thread;
    s->n--;
    agent_entry_end(s, top);
    if (agent_unlikely(has_started_thread && agent_is_whole))
        agent_install_everywhere();
    return 0;
}

static inline int on_event(struct agent_stack *s, PyFrameObject *frame, int what,
                           PyObject *arg)
{
    switch (what) {
    case PyTrace_CALL: return on_call(s, frame);
    case PyTrace_RETURN: return on_return(s, frame);
    case PyTrace_C_CALL: return on_native_call(s, frame, arg);
    case PyTrace_C_EXCEPTION:
    case PyTrace_C_RETURN: return on_native_return(s, frame);
    default: return 0;
    }
}

static AGENT_SLOW int on_first_event(PyFrameObject *frame, int what, PyObject *arg)
{
    struct agent_stack *s = agent_stack_make();
    return s ? on_event(s, frame, what, arg) : 0;
}

int agent_on_profile(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    (void)self;
    if (agent_unlikely(!agent_self))
        return on_first_event(frame, what, arg);
    return on_event(agent_self, frame, what, arg);
}

// --- lines -------------------------------------------------------------------------------
// A line lasts until the next one of its function, with all that it calls. Its function was
// called after the recording began.
static void on_line(struct agent_stack *s, PyFrameObject *frame)
{
    const struct agent_entry *top = agent_stack_top(s);
    if (top && top->kind == ENTRY_LINE && top->frame == (uintptr_t)frame) {
        agent_entry_end(s, top);
        s->n--;
        top = agent_stack_top(s);
    }
    if (!top || top->frame != (uintptr_t)frame || top->kind != ENTRY_FUNCTION ||
        !top->location)
        return;
    PyObject *code = py.PyFrame_GetCode(frame);
    uint32_t location = agent_place_of_line(code, py.PyFrame_GetLineNumber(frame));
    agent_stack_push(s, (uintptr_t)frame, ENTRY_LINE, location, false);
    py.Py_DecRef(code);
}

int agent_on_trace(PyObject *self, PyFrameObject *frame, int what, PyObject *arg)
{
    struct agent_stack *s = agent_stack_here();
    (void)self, (void)arg;
    if (s && what == PyTrace_LINE)
        on_line(s, frame);
    return 0;
}
