// capture.h - what is written to standard error between two calls.
#ifndef TTP_TESTS_CAPTURE_H
#define TTP_TESTS_CAPTURE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

struct capture {
    int old, fd;
    char text[4096];
};

static inline void capture_start(struct capture *c)
{
    (void)fflush(stderr);
    c->old = dup(STDERR_FILENO);
    c->fd = memfd_create("stderr", 0);
    assert_true(c->old >= 0 && c->fd >= 0);
    (void)dup2(c->fd, STDERR_FILENO);
}

static inline str capture_end(struct capture *c)
{
    (void)fflush(stderr);
    (void)dup2(c->old, STDERR_FILENO);
    (void)close(c->old);
    ssize_t n = pread(c->fd, c->text, sizeof c->text, 0);
    (void)close(c->fd);
    assert_true(n >= 0);
    return (str){c->text, (size_t)n};
}

#endif
