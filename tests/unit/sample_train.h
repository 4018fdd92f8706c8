// sample_train.h - tables of ops written down in a test, and training runs made of them.
#ifndef TTP_TESTS_SAMPLE_TRAIN_H
#define TTP_TESTS_SAMPLE_TRAIN_H

#include "../support/memory_file.h"
#include "analyse/train/train.h"
#include "test.h"

#define TRAIN_HEAD                                                                         \
    "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,CORE COUNT,HOST DURATION [ns],"                  \
    "DEVICE FW DURATION [ns],OP TO OP LATENCY [ns],DEVICE KERNEL DURATION "                \
    "[ns],INPUT_0_W\n"

// One row: device, op code, times in ns.
static inline void sample_op(struct buf *b, int device, const char *code, int64_t ns)
{
    buf_printf(b, "%s,tt_dnn_device,%d,{'a': '1'; 'b': 'x'},64,%d,%lld,%d,%lld,1\n", code,
               device, 500, (long long)ns + 10, 40, (long long)ns);
}
// Ten rows of a marker.
static inline void sample_marker(struct buf *b, int device, const char *name)
{
    for (int i = 0; i < 10; i++)
        buf_printf(
            b, "ProfilerNoopOperation,tt_dnn_device,%d,{'identifier': '%s'},1,1,1,1,1,\n",
            device, name);
}

struct sample_training {
    struct memory_file file;
    struct train train;
    struct err e;
    bool ok;
};
static inline void sample_training(struct sample_training *s, struct buf *text,
                                   const struct train_options *options)
{
    *s = (struct sample_training){0};
    s->file = memory_file_make(buf_view(text));
    s->ok = train_load(&s->train, s->file.path, options, &s->e);
}
static inline void sample_training_free(struct sample_training *s, struct buf *text)
{
    train_free(&s->train);
    memory_file_free(&s->file);
    buf_free(text);
}

#endif
