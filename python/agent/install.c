// install.c - the profile function on each thread.
//
// With it goes an object of ours, one per thread. The interpreter drops it when the thread
// ends, or when the program sets a profile function of its own, which then has its way; the
// object tells which. A program may read it with sys.getprofile() and set it again later:
// it can be called like a profile function, and then puts the real one back.
#include <stdlib.h>

#include "agent.h"

static const char capsule_name[] = "ttprof.thread";
struct installed {
    PyThreadState *thread;
    struct installed *next;
};
static struct installed *all;   // threads that have the profile function
static bool is_ours;            // what is replaced now, we replace ourselves
static __thread bool has_trace; // of ours, unless the program has set one since
bool agent_is_whole;

// --- the object ----------------------------------------------------------------------
static bool forget(const struct installed *one)
{
    for (struct installed **at = &all; *at; at = &(*at)->next)
        if (*at == one) {
            *at = one->next;
            return true;
        }
    return false;
}

static bool is_installed(const PyThreadState *thread)
{
    for (const struct installed *one = all; one; one = one->next)
        if (one->thread == thread)
            return true;
    return false;
}

static void on_drop(PyObject *capsule)
{
    struct installed *one = py.PyCapsule_GetPointer(capsule, capsule_name);
    struct agent_stack *s = agent_self;
    if (!one || !forget(one))
        return;
    // At the end of a thread everything has returned. An object that the program has kept
    // may be dropped after a newer one was set.
    bool is_replaced = !is_ours && py.Py_IsInitialized() && s && s->n &&
                       py.PyThreadState_Get() == one->thread && !is_installed(one->thread);
    free(one);
    if (!is_replaced)
        return;
    agent_say(SAY_REPLACED, NULL);
    agent_stack_end_all(s);
}

static PyObject *on_object_call(PyObject *self, PyObject *arguments);
static PyMethodDef object_method = {"ttprof", on_object_call, METH_VARARGS,
                                    "The profile function of ttprof."};

static PyObject *object_make(PyThreadState *thread)
{
    struct installed *one = calloc(1, sizeof *one);
    PyObject *capsule = one ? py.PyCapsule_New(one, capsule_name, on_drop) : NULL;
    if (!capsule) {
        free(one);
        py.PyErr_Clear();
        return NULL;
    }
    one->thread = thread;
    one->next = all;
    all = one;
    PyObject *object = py.PyCFunction_NewEx(&object_method, capsule, NULL);
    interpreter_release(capsule); // the object has it
    if (!object)
        py.PyErr_Clear();
    return object;
}

static void set_profile(PyThreadState *thread)
{
    PyObject *object = object_make(thread);
    bool was_ours = is_ours;
    if (!object)
        return;
    is_ours = true;
    py.PyEval_SetProfile(agent_on_profile, object);
    is_ours = was_ours;
    interpreter_release(object); // the thread has it
}

// Called as (frame, event, argument), by an interpreter to which the program gave the
// object as its own function: from the next event on it is ours again. What has ended
// meanwhile ends with what called it.
static PyObject *on_object_call(PyObject *self, PyObject *arguments)
{
    PyThreadState *thread = py.PyThreadState_Get();
    (void)self;
    (void)arguments;
    struct interpreter_error e = interpreter_aside();
    agent_say(SAY_AWAY, NULL);
    set_profile(thread);
    interpreter_back(e);
    return py.Py_BuildValue("");
}

// --- this thread -------------------------------------------------------------------------
static bool has_function(const char *getter)
{
    PyObject *get = py.PySys_GetObject(getter);
    PyObject *now = get ? py.PyObject_CallObject(get, NULL) : NULL;
    bool has = now && !interpreter_is_none(now);
    if (!now)
        py.PyErr_Clear();
    interpreter_release(now);
    return has;
}

bool agent_install_here(bool with_lines)
{
    PyThreadState *thread = py.PyThreadState_Get();
    if (is_installed(thread))
        return true;
    if (has_function("getprofile")) {
        agent_say(SAY_TAKEN, NULL);
        return false;
    }
    if (with_lines && has_function("gettrace"))
        agent_say(SAY_TRACED, NULL);
    else if (with_lines) {
        py.PyEval_SetTrace(agent_on_trace, NULL);
        has_trace = true;
    }
    set_profile(thread);
    return true;
}

void agent_remove_here(void)
{
    struct agent_stack *s = agent_self;
    if (!is_installed(py.PyThreadState_Get()))
        return;
    is_ours = true;
    py.PyEval_SetProfile(NULL, NULL);
    is_ours = false;
    if (has_trace && !has_function("gettrace"))
        py.PyEval_SetTrace(NULL, NULL);
    has_trace = false;
    if (s)
        agent_stack_end_functions(s);
}

// --- other threads -----------------------------------------------------------------------
// Their functions that run now are not known; those that they call from here on are.
static void install_on(PyThreadState *thread)
{
    PyThreadState *here = py.PyThreadState_Swap(thread);
    if (!has_function("getprofile"))
        set_profile(thread);
    py.PyThreadState_Swap(here);
}

void agent_install_everywhere(void)
{
    struct interpreter_error e = interpreter_aside();
    if (py.PyEval_SetProfileAllThreads) {
        PyObject *object = object_make(NULL);
        is_ours = true;
        if (object)
            py.PyEval_SetProfileAllThreads(agent_on_profile, object);
        is_ours = false;
        interpreter_release(object);
    } else {
        PyThreadState *next = py.PyInterpreterState_ThreadHead(py.PyInterpreterState_Get());
        for (PyThreadState *t = next; t; t = next) {
            next = py.PyThreadState_Next(t);
            if (!is_installed(t))
                install_on(t);
        }
    }
    interpreter_back(e);
}
