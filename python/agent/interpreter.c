// interpreter.c - finds the interpreter's functions in the process.
#include "interpreter.h"

#include <dlfcn.h>
#include <string.h>

struct interpreter py;

const char *interpreter_find(void)
{
    const char *missing = NULL;
    // NOLINTBEGIN(bugprone-macro-parentheses): types and names
#define INTERPRETER_FIND(returns, name, parameters)                                        \
    *(void **)(void *)&py.name = dlsym(RTLD_DEFAULT, #name);
#define INTERPRETER_CHECK(returns, name, parameters) missing = py.name ? missing : #name;
    INTERPRETER_NEEDS(INTERPRETER_FIND)
    INTERPRETER_NEEDS(INTERPRETER_CHECK)
    INTERPRETER_MAY_HAVE(INTERPRETER_FIND)
#undef INTERPRETER_FIND
#undef INTERPRETER_CHECK
    // NOLINTEND(bugprone-macro-parentheses)
    return missing;
}

struct interpreter_error interpreter_aside(void)
{
    struct interpreter_error e = {0};
    py.PyErr_Fetch(&e.type, &e.value, &e.trace);
    return e;
}

void interpreter_back(struct interpreter_error e)
{
    py.PyErr_Restore(e.type, e.value, e.trace);
}

void interpreter_release(PyObject *o)
{
    if (o)
        py.Py_DecRef(o);
}

PyObject *interpreter_attribute(PyObject *o, const char *name)
{
    PyObject *found = o ? py.PyObject_GetAttrString(o, name) : NULL;
    if (!found)
        py.PyErr_Clear();
    return found;
}

const char *interpreter_text(PyObject *o, const char *attribute, PyObject **holder)
{
    *holder = interpreter_attribute(o, attribute);
    const char *text = *holder ? py.PyUnicode_AsUTF8AndSize(*holder, NULL) : NULL;
    if (!text)
        py.PyErr_Clear(); // not a text, or one with lone surrogates
    return text;
}

PyObject *interpreter_call(PyObject *o, const char *method)
{
    PyObject *function = interpreter_attribute(o, method);
    PyObject *result = function ? py.PyObject_CallObject(function, NULL) : NULL;
    if (!result)
        py.PyErr_Clear();
    interpreter_release(function);
    return result;
}

PyObject *interpreter_module(const char *name)
{
    PyObject *key = py.PyUnicode_FromString(name);
    PyObject *module = key ? py.PyImport_GetModule(key) : NULL;
    if (!module)
        py.PyErr_Clear();
    interpreter_release(key);
    return module;
}

bool interpreter_is_none(const PyObject *o)
{
    PyObject *none = py.Py_BuildValue("");
    interpreter_release(none); // it lives on
    return o == none;
}
