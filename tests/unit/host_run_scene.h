// host_run_scene.h - runs that tests of the reader write by hand.
#ifndef TTP_TESTS_HOST_RUN_SCENE_H
#define TTP_TESTS_HOST_RUN_SCENE_H

#include "../support/sample_run.h"
#include "trace/trace.h"

// One process, two places, and words to fill: what most tests start with.
struct scene {
    struct sample_run s;
    struct sample_process *p;
    struct sample_words w;
    uint32_t outer, inner;
    struct trace r;
};

str string_of(const struct trace *r, uint64_t id);
str zones_of(const struct trace *r, uint32_t track);
str events_of(const struct trace *r, uint32_t track);
void open_run(struct trace *r, struct sample_run *s);
void close_run(struct trace *r, struct sample_run *s, struct sample_words *w);
uint64_t found(struct trace *r, int kind);
void scene_start(struct scene *c);
void scene_open(struct scene *c);
void scene_end(struct scene *c);

#endif
