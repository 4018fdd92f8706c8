// python_anchors.c - what recording a Python call is compared with: a C profile or trace
// function that does nothing, and a module's functions for a callback in Python.
//
// Like the agent it takes the interpreter's functions from the process that loads it.
#include <stddef.h>

typedef struct _object PyObject;
typedef int function(PyObject *self, PyObject *frame, int what, PyObject *arg);
extern void PyEval_SetProfile(function *f, PyObject *self);
extern void PyEval_SetTrace(function *f, PyObject *self);
extern PyObject *Py_BuildValue(const char *format, ...);
void anchor_profile(int is_on);
void anchor_trace(int is_on);
PyObject *anchor_zone(PyObject *self, PyObject *arguments);

static int nothing(PyObject *self, PyObject *frame, int what, PyObject *arg)
{
    (void)self, (void)frame, (void)what, (void)arg;
    return 0;
}

void anchor_profile(int is_on)
{
    PyEval_SetProfile(is_on ? nothing : NULL, NULL);
}

void anchor_trace(int is_on)
{
    PyEval_SetTrace(is_on ? nothing : NULL, NULL);
}

// Called from Python, as the functions of a native module are.
PyObject *anchor_zone(PyObject *self, PyObject *arguments)
{
    (void)self, (void)arguments;
    return Py_BuildValue("");
}
