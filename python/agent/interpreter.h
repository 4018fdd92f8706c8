// interpreter.h - the functions of the interpreter that the agent uses.
//
// All are public, and none is linked: they are looked up when the library is loaded, so one
// binary serves Python 3.9 to 3.13. No header of Python is needed; the declarations below
// are those of its documentation, and objects are never looked into.
#ifndef TTP_AGENT_INTERPRETER_H
#define TTP_AGENT_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct _object PyObject;
typedef struct _frame PyFrameObject;
typedef struct _ts PyThreadState;
typedef struct _is PyInterpreterState;
typedef int (*Py_tracefunc)(PyObject *self, PyFrameObject *frame, int what, PyObject *arg);
typedef PyObject *(*PyCFunction)(PyObject *self, PyObject *arguments);
typedef void (*PyCapsule_Destructor)(PyObject *capsule);
// The stable ABI fixes its layout.
typedef struct {
    const char *name;
    PyCFunction function;
    int flags;
    const char *doc;
} PyMethodDef;

enum { METH_VARARGS = 1 };
enum {
    PyTrace_CALL,
    PyTrace_EXCEPTION,
    PyTrace_LINE,
    PyTrace_RETURN,
    PyTrace_C_CALL,
    PyTrace_C_EXCEPTION,
    PyTrace_C_RETURN
};

// The agent records nothing if one of these is missing, and says which.
//
//   X(returns, name, parameters)
#define INTERPRETER_NEEDS(X)                                                               \
    X(void, Py_IncRef, (PyObject *))                                                       \
    X(void, Py_DecRef, (PyObject *))                                                       \
    X(int, Py_IsInitialized, (void))                                                       \
    X(PyObject *, Py_BuildValue, (const char *, ...))                                      \
    X(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                          \
    X(void, PyErr_Restore, (PyObject *, PyObject *, PyObject *))                           \
    X(void, PyErr_Clear, (void))                                                           \
    X(void, PyEval_SetProfile, (Py_tracefunc, PyObject *))                                 \
    X(void, PyEval_SetTrace, (Py_tracefunc, PyObject *))                                   \
    X(PyObject *, PyFrame_GetCode, (PyFrameObject *))                                      \
    X(int, PyFrame_GetLineNumber, (PyFrameObject *))                                       \
    X(PyCFunction, PyCFunction_GetFunction, (PyObject *))                                  \
    X(PyObject *, PyCFunction_GetSelf, (PyObject *))                                       \
    X(PyObject *, PyCFunction_NewEx, (PyMethodDef *, PyObject *, PyObject *))              \
    X(PyObject *, PyCapsule_New, (void *, const char *, PyCapsule_Destructor))             \
    X(void *, PyCapsule_GetPointer, (PyObject *, const char *))                            \
    X(PyObject *, PyObject_Type, (PyObject *))                                             \
    X(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                      \
    X(PyObject *, PyObject_GetItem, (PyObject *, PyObject *))                              \
    X(PyObject *, PyObject_CallObject, (PyObject *, PyObject *))                           \
    X(int, PyObject_IsTrue, (PyObject *))                                                  \
    X(PyObject *, PyTuple_GetItem, (PyObject *, ptrdiff_t))                                \
    X(const char *, PyUnicode_AsUTF8AndSize, (PyObject *, ptrdiff_t *))                    \
    X(PyObject *, PyUnicode_FromString, (const char *))                                    \
    X(long, PyLong_AsLong, (PyObject *))                                                   \
    X(PyObject *, PyLong_FromUnsignedLong, (unsigned long))                                \
    X(PyObject *, PyImport_GetModule, (PyObject *))                                        \
    X(PyObject *, PySys_GetObject, (const char *))                                         \
    X(PyObject *, PyWeakref_NewRef, (PyObject *, PyObject *))                              \
    X(PyObject *, PyWeakref_GetObject, (PyObject *))                                       \
    X(PyThreadState *, PyThreadState_Get, (void))                                          \
    X(PyThreadState *, PyThreadState_Swap, (PyThreadState *))                              \
    X(PyThreadState *, PyThreadState_Next, (PyThreadState *))                              \
    X(PyInterpreterState *, PyInterpreterState_Get, (void))                                \
    X(PyThreadState *, PyInterpreterState_ThreadHead, (PyInterpreterState *))
// Only in some versions.
#define INTERPRETER_MAY_HAVE(X)                                                            \
    X(void, PyEval_SetProfileAllThreads, (Py_tracefunc, PyObject *))

// NOLINTBEGIN(bugprone-macro-parentheses): types and names
struct interpreter {
#define INTERPRETER_FIELD(returns, name, parameters) returns(*name) parameters;
    INTERPRETER_NEEDS(INTERPRETER_FIELD)
    INTERPRETER_MAY_HAVE(INTERPRETER_FIELD)
#undef INTERPRETER_FIELD
};
// NOLINTEND(bugprone-macro-parentheses)
extern struct interpreter py;

// NULL: all are there; else the name of one that is not.
const char *interpreter_find(void);

// --- what is used in more than one place; errors of the interpreter never leave these
// An error that the program has raised is put aside during calls into the
// interpreter.
struct interpreter_error {
    PyObject *type, *value, *trace;
};
struct interpreter_error interpreter_aside(void);
void interpreter_back(struct interpreter_error e);
// A text of an attribute, valid as long as *holder, which the caller releases. NULL: there
// is none.
const char *interpreter_text(PyObject *o, const char *attribute, PyObject **holder);
PyObject *interpreter_attribute(PyObject *o, const char *name); // NULL: there is none
PyObject *interpreter_call(PyObject *o, const char *method);    // without arguments
PyObject *interpreter_module(const char *name);                 // NULL: not imported
bool interpreter_is_none(const PyObject *o);
void interpreter_release(PyObject *o); // NULL is fine

#endif
