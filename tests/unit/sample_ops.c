// sample_ops.c - from samples to a file to a report.
#include "sample_ops.h"

static void put(struct buf *b, const char *cell, const char *usual)
{
    csv_put(b, str_of(cell ? cell : usual));
    buf_char(b, ',');
}

static void put_op(struct buf *b, const struct sample_op *o)
{
    put(b, o->code, "");
    put(b, o->type, "tt_dnn_device");
    put(b, o->device, "0");
    put(b, o->attributes, "");
    put(b, o->fidelity, "");
    put(b, o->cores, "64");
    put(b, o->start, "");
    put(b, o->gap, "");
    put(b, o->ns, "1000");
    for (int i = 0; i < 12; i++)
        put(b, o->sizes[i], "");
    for (int i = 0; i < 3; i++)
        put(b, o->datatypes[i], "");
    for (int i = 0; i < 3; i++)
        put(b, o->memories[i], "");
    buf_z(b, "7\n");
}

void sample_run(struct sample_run *r, const struct sample_op *ops, size_t n,
                const struct perf_options *options)
{
    struct buf b = {0};
    buf_z(&b,
          "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,HOST START TS,"
          "OP TO OP LATENCY [ns],DEVICE KERNEL DURATION [ns],"
          "INPUT_0_W_PAD[LOGICAL],INPUT_0_Z_PAD[LOGICAL],INPUT_0_Y_PAD[LOGICAL],"
          "INPUT_0_X_PAD[LOGICAL],INPUT_1_W_PAD[LOGICAL],INPUT_1_Z_PAD[LOGICAL],"
          "INPUT_1_Y_PAD[LOGICAL],INPUT_1_X_PAD[LOGICAL],OUTPUT_0_W_PAD[LOGICAL],"
          "OUTPUT_0_Z_PAD[LOGICAL],OUTPUT_0_Y_PAD[LOGICAL],OUTPUT_0_X_PAD[LOGICAL],"
          "INPUT_0_DATATYPE,INPUT_1_DATATYPE,OUTPUT_0_DATATYPE,"
          "INPUT_0_MEMORY,INPUT_1_MEMORY,OUTPUT_0_MEMORY,GLOBAL CALL COUNT\n");
    for (size_t i = 0; i < n; i++)
        put_op(&b, &ops[i]);
    static const struct perf_options usual = {.min_percentage = 0.5};
    *r = (struct sample_run){.file = memory_file_make(buf_view(&b))};
    const char *path = r->file.path;
    r->status = perf_run(&r->perf, &path, 1, options ? options : &usual, &r->e);
    buf_free(&b);
}

void sample_free(struct sample_run *r)
{
    perf_free(&r->perf);
    memory_file_free(&r->file);
}

bool sample_has_note(const struct sample_run *r, const char *text)
{
    for (size_t i = 0; i < r->perf.notes.list.n; i++)
        if (str_is(r->perf.notes.list.v[i].text, text))
            return true;
    return false;
}
