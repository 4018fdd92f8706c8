// places.c - code objects and C functions become numbers of locations, once.
//
// A function is found by an address that stays taken: its code object is held, as is the
// object that a C function of pybind11 belongs to. Programs that make code without end
// (eval) do not keep all of it: when a table has filled up, code that only the table holds
// is dropped.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

enum { FIRST_SLOTS = 1 << 12, SWEEP_LEAST = 1 << 16, NAME_MOST = 512 };
enum { CO_COROUTINE = 0x80, CO_ITERABLE_COROUTINE = 0x100 };

static struct agent_place first[3][FIRST_SLOTS];
struct agent_places agent_codes = {first[0], FIRST_SLOTS - 1, 0};
struct agent_places agent_natives = {first[1], FIRST_SLOTS - 1, 0};
static struct agent_places lines = {first[2], FIRST_SLOTS - 1, 0};
static size_t sweep_at = SWEEP_LEAST;

// --- tables --------------------------------------------------------------------------
static void take_slot(const struct agent_places *p, struct agent_place place)
{
    size_t i = agent_place_hash(place.key);
    while (p->at[i & p->mask].key)
        i++;
    p->at[i & p->mask] = place;
}

// Moves what `is_kept` says (NULL: everything) to a table of this size.
static bool rebuild(struct agent_places *p, size_t slots,
                    bool (*is_kept)(const struct agent_place *))
{
    struct agent_places old = *p;
    struct agent_place *at = calloc(slots, sizeof *at);
    if (!at)
        return false;
    *p = (struct agent_places){at, slots - 1, 0};
    for (size_t i = 0; i <= old.mask; i++) {
        struct agent_place place = old.at[i];
        if (!place.key)
            continue;
        if (is_kept && !is_kept(&place)) {
            interpreter_release(place.held);
            continue;
        }
        take_slot(p, place);
        p->used++;
    }
    for (int i = 0; i < 3; i++)
        if (old.at == first[i])
            return true;
    free(old.at);
    return true;
}

static struct agent_place *add(struct agent_places *p, struct agent_place place)
{
    if (2 * (p->used + 1) > p->mask && !rebuild(p, 2 * (p->mask + 1), NULL))
        return NULL;
    if (place.held)
        py.Py_IncRef(place.held);
    take_slot(p, place);
    p->used++;
    return agent_place_find(p, place.key);
}

static long references(PyObject *o)
{
    PyObject *count = py.PySys_GetObject("getrefcount"), *arguments, *result;
    arguments = py.Py_BuildValue("(O)", o);
    result = count && arguments ? py.PyObject_CallObject(count, arguments) : NULL;
    long n = result ? py.PyLong_AsLong(result) : -1;
    if (n < 0)
        py.PyErr_Clear();
    interpreter_release(result);
    interpreter_release(arguments);
    return n;
}

static long references_of_held; // as counted for an object that only a table holds

static bool is_of_program(const struct agent_place *place)
{
    return !place->held || references(place->held) != references_of_held;
}

static void sweep(void)
{
    PyObject *sample = py.PyUnicode_FromString("only held here, like code that is gone");
    references_of_held = sample ? references(sample) : -1;
    interpreter_release(sample);
    rebuild(&agent_codes, agent_codes.mask + 1, is_of_program);
    // Lines may be found by an address that means another function from here on.
    memset(lines.at, 0, (lines.mask + 1) * sizeof *lines.at);
    lines.used = 0;
    sweep_at = 2 * agent_codes.used < SWEEP_LEAST ? SWEEP_LEAST : 2 * agent_codes.used;
}

// --- Python functions ----------------------------------------------------------------
static uint32_t make_location(const char *file, const char *function, const char *name,
                              long line)
{
    return ttprof_location_make(file, strlen(file), function, strlen(function), name,
                                strlen(name), line > 0 ? (uint32_t)line : 0, 0);
}

static long number_of(PyObject *o, const char *attribute)
{
    PyObject *value = interpreter_attribute(o, attribute);
    long number = value ? py.PyLong_AsLong(value) : 0;
    if (number < 0)
        py.PyErr_Clear();
    interpreter_release(value);
    return number;
}

// Class.method where the interpreter says so (3.11), else the bare name.
static const char *qualified(PyObject *code, PyObject **holder)
{
    const char *name = interpreter_text(code, "co_qualname", holder);
    if (name)
        return name;
    interpreter_release(*holder);
    name = interpreter_text(code, "co_name", holder);
    return name ? name : "?";
}

static PyObject *module_of(PyFrameObject *frame)
{
    PyObject *globals = interpreter_attribute((PyObject *)frame, "f_globals");
    PyObject *key = py.PyUnicode_FromString("__name__");
    PyObject *name = globals && key ? py.PyObject_GetItem(globals, key) : NULL;
    if (!name)
        py.PyErr_Clear();
    interpreter_release(key);
    interpreter_release(globals);
    return name;
}

static struct agent_place describe_code(PyFrameObject *frame, PyObject *code)
{
    PyObject *name_of, *file_of, *bare_of, *module = module_of(frame);
    const char *name = qualified(code, &name_of);
    const char *file = interpreter_text(code, "co_filename", &file_of);
    const char *bare = interpreter_text(code, "co_name", &bare_of);
    const char *in = module ? py.PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
    struct agent_place place = {.key = (uintptr_t)code, .held = code};
    char whole[NAME_MOST];
    if (!in)
        py.PyErr_Clear();
    file = file ? file : "?";
    if (in && strcmp(name, "<module>") == 0) { // it would be the same for all
        (void)snprintf(whole, sizeof whole, "<module %s>", in);
        name = whole;
    }
    if (agent_filter_takes(in ? in : "", name, file))
        place.location = make_location(file, bare ? bare : name, name,
                                       number_of(code, "co_firstlineno"));
    else
        place.flags |= PLACE_IS_HIDDEN;
    if (number_of(code, "co_flags") & (CO_COROUTINE | CO_ITERABLE_COROUTINE))
        place.flags |= PLACE_IS_COROUTINE;
    interpreter_release(module);
    interpreter_release(bare_of);
    interpreter_release(file_of);
    interpreter_release(name_of);
    return place;
}

struct agent_place *agent_place_of_code(PyFrameObject *frame, PyObject *code)
{
    struct interpreter_error e = interpreter_aside();
    if (agent_codes.used >= sweep_at)
        sweep();
    struct agent_place place = describe_code(frame, code);
    struct agent_place *kept = agent_place_find(&agent_codes, place.key);
    if (kept) // it had no location while nothing was recorded
        kept->location = place.location;
    else
        kept = add(&agent_codes, place);
    interpreter_back(e);
    return kept;
}

size_t agent_place_name(PyObject *code, char *out, size_t room)
{
    PyObject *holder;
    int n = snprintf(out, room, "%s", qualified(code, &holder));
    interpreter_release(holder);
    return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

// --- their lines ---------------------------------------------------------------------
static uint32_t describe_line(PyObject *code, int line)
{
    struct interpreter_error e = interpreter_aside();
    PyObject *name_of, *file_of, *bare_of;
    char name[NAME_MOST];
    (void)snprintf(name, sizeof name, "%s:%d", qualified(code, &name_of), line);
    const char *file = interpreter_text(code, "co_filename", &file_of);
    const char *bare = interpreter_text(code, "co_name", &bare_of);
    uint32_t location = make_location(file ? file : "?", bare ? bare : "?", name, line);
    interpreter_release(bare_of);
    interpreter_release(file_of);
    interpreter_release(name_of);
    interpreter_back(e);
    return location;
}

// The key is of the code and the line. Two lines with one key would share a place: the code
// that it belongs to and the line are compared, too, and then it is made again.
uint32_t agent_place_of_line(PyObject *code, int line)
{
    uintptr_t key = ((uintptr_t)code ^ (uintptr_t)line << 48) * 2 + 1;
    struct agent_place *place = agent_place_find(&lines, key);
    if (place && place->held == code && place->flags == (uint32_t)line)
        return place->location;
    uint32_t location = describe_line(code, line);
    if (location && !place) {
        struct agent_place new = {
            .key = key, .location = location, .flags = (uint32_t)line};
        place = add(&lines, new);
        if (place)
            place->held = code; // not counted: the function's own place holds it
    }
    return location;
}

// --- C functions ---------------------------------------------------------------------
// "module" of
// a function, "module.Class" of a method; of builtins nothing.
static void put_owner(PyObject *function, char *out, size_t room)
{
    PyObject *holder, *self = interpreter_attribute(function, "__self__"), *type = NULL;
    const char *module = interpreter_text(function, "__module__", &holder);
    if (!module && self) {
        interpreter_release(holder);
        type = py.PyObject_Type(self);
        // Of a class method the class itself is the owner.
        module = interpreter_text(self, "__module__", &holder);
        if (!module && type) {
            interpreter_release(holder);
            module = interpreter_text(type, "__module__", &holder);
        }
    }
    (void)snprintf(out, room, "%s", module ? module : "");
    interpreter_release(holder);
    interpreter_release(type);
    interpreter_release(self);
}

static bool is_thread_start(const char *module, const char *name)
{
    return strcmp(module, "_thread") == 0 && strncmp(name, "start_", 6) == 0;
}

static bool is_shared_by_many(PyObject *self)
{
    PyObject *type = self ? py.PyObject_Type(self) : NULL, *holder = NULL;
    const char *name = type ? interpreter_text(type, "__name__", &holder) : NULL;
    bool is = name && (strcmp(name, "PyCapsule") == 0 || strstr(name, "pybind11"));
    interpreter_release(holder);
    interpreter_release(type);
    return is;
}

static struct agent_place describe_native(PyObject *function, uintptr_t key,
                                          const char *name_attribute)
{
    char owner[NAME_MOST], full[2 * NAME_MOST];
    PyObject *holder;
    struct agent_place place = {.key = key};
    const char *name = interpreter_text(function, name_attribute, &holder);
    name = name ? name : "?";
    put_owner(function, owner, sizeof owner);
    bool is_named = owner[0] && strcmp(owner, "builtins") != 0;
    (void)snprintf(full, sizeof full, "%s%s%s", is_named ? owner : "", is_named ? "." : "",
                   name);
    if (agent_filter_takes_native(owner, full))
        place.location = make_location("<C>", name, full, 0);
    else
        place.flags |= PLACE_IS_HIDDEN;
    if (is_thread_start(owner, name))
        place.flags |= PLACE_STARTS_THREADS;
    interpreter_release(holder);
    return place;
}

static struct agent_place *native_put(struct agent_place place)
{
    struct agent_place *kept = agent_place_find(&agent_natives, place.key);
    if (!kept)
        return add(&agent_natives, place);
    kept->location = place.location;
    return kept;
}

// Told apart by what they belong to.
static struct agent_place *native_of_self(PyObject *function, PyObject *self)
{
    struct agent_place *known = agent_place_find(&agent_natives, (uintptr_t)self);
    if (known && (known->location || known->flags & PLACE_IS_HIDDEN))
        return known;
    struct agent_place place = describe_native(function, (uintptr_t)self, "__name__");
    place.held = self;
    return native_put(place);
}

struct agent_place *agent_place_of_native(PyObject *function, PyCFunction entry)
{
    struct interpreter_error e = interpreter_aside();
    PyObject *self = py.PyCFunction_GetSelf(function);
    uintptr_t key = (uintptr_t)entry;
    struct agent_place *known = agent_place_find(&agent_natives, key);
    if (!known && is_shared_by_many(self))
        known = add(&agent_natives,
                    (struct agent_place){.key = key, .flags = PLACE_DEPENDS_ON_SELF});
    if (known && known->flags & PLACE_DEPENDS_ON_SELF)
        known = self ? native_of_self(function, self) : known;
    else
        known = native_put(describe_native(function, key, "__qualname__"));
    interpreter_back(e);
    return known;
}
