// errors.c - the first error of a runtime, and the thread that may use it.
//
// A refused call has changed nothing, so the runtime can go on once the error is cleared. A
// chip that does not finish, or a call that only some of the chips have taken, leaves a
// mesh whose state nobody knows: that can only be closed.
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "runtime/parts.h"

// --- failing ---------------------------------------------------------------------------
static void set_failure(ttrt *m, int code, const char *fmt, va_list args)
{
    if (m->code)
        return;
    m->code = code;
    (void)err_setv(&m->error, ERR_FAILED, fmt, args);
}

void rt_fail(ttrt *m, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_failure(m, -EINVAL, fmt, args);
    va_end(args);
}

void rt_fail_with(ttrt *m, int code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_failure(m, code, fmt, args);
    va_end(args);
}

bool rt_has_failed(const ttrt *m)
{
    return m->code != 0;
}

// Codes with which the device refuses a request that it has not begun.
static bool is_refusal(int code)
{
    return code == -EINVAL || code == -ENOSPC || code == -ENOMEM || code == -ENOENT;
}

bool rt_checked(ttrt *m, int code, const char *what)
{
    if (code >= 0)
        return true;
    const char *why = ttdev_error(m->t);
    m->is_broken |= !is_refusal(code);
    rt_fail_with(m, code, "%s: %s", what, why && why[0] ? why : strerror(-code));
    return false;
}

void rt_break_after(ttrt *m, int n_done)
{
    m->is_broken |= m->code && n_done > 0;
}

// --- the thread ------------------------------------------------------------------------
// Text for a thread: its number and the name that the system has for it.
static void name_thread(char text[RT_THREAD_NAME])
{
    char name[16] = "";
    (void)pthread_getname_np(pthread_self(), name, sizeof name);
    (void)snprintf(text, RT_THREAD_NAME, "%d (%s)", (int)gettid(), name);
}

void ttrt_use_thread(ttrt *m)
{
    if (!m)
        return;
    m->thread = gettid();
    name_thread(m->thread_name);
}

// The owner may be in the middle of a call, so its error is left alone.
static void tell_stranger(ttrt *m)
{
    int none = RT_STRANGER_NONE;
    char here[RT_THREAD_NAME];
    if (!atomic_compare_exchange_strong(&m->stranger, &none, RT_STRANGER_WRITES))
        return;
    name_thread(here);
    (void)snprintf(m->stranger_text, sizeof m->stranger_text,
                   "the device belongs to thread %s, and thread %s used it", m->thread_name,
                   here);
    atomic_store(&m->stranger, RT_STRANGER_TOLD);
}

bool rt_is_owner(ttrt *m)
{
    if (m->thread == gettid())
        return true;
    tell_stranger(m);
    return false;
}

bool rt_enter(ttrt *m)
{
    return m && rt_is_owner(m) && !m->code;
}

void rt_will_be_made(ttrt *m, ttrt_tensor *t)
{
    if (m->n_results < RT_MOST_OPERANDS)
        m->results[m->n_results++] = t;
}

// --- asking and clearing ---------------------------------------------------------------
const char *ttrt_error(const ttrt *m)
{
    if (!m)
        return "";
    if (m->thread == gettid() && m->code)
        return m->fault ? m->fault : m->error.text;
    return atomic_load(&m->stranger) == RT_STRANGER_TOLD ? m->stranger_text : "";
}

int ttrt_clear_error(ttrt *m)
{
    if (!m)
        return 0;
    int told = RT_STRANGER_TOLD;
    (void)atomic_compare_exchange_strong(&m->stranger, &told, RT_STRANGER_NONE);
    if (m->thread != gettid())
        return -EPERM;
    if (m->is_broken)
        return m->code;
    for (size_t i = 0; m->code && i < m->n_results; i++)
        rt_buffer_free(m, m->results[i]);
    m->n_results = 0;
    m->code = 0;
    m->error = (struct err){0};
    arena_free(&m->op);
    return 0;
}
