// test_runtime_record.c - what the runtime tells about ops: the text of a record, what a
// reader makes of it, messages and zones in a recording.
#include <stdio.h>
#include <stdlib.h>

#include "../support/walk_track.h"
#include "formats/host_run/host_run.h"
#include "formats/ops_table/op_message.h"
#include "formats/ops_table/op_record.h"
#include "sample_record.h"
#include "sample_runtime.h"

static struct rt_told told_of(const struct rt_op *op)
{
    return (struct rt_told){
        .op = op, .device = 0, .id = 3072, .hash = 18446744073709551615u, .is_hit = true};
}

// Numbers over images change with the kernels.
static void hide_kernels(ttrt *m, const struct rt_op *op, struct buf *text)
{
    struct buf out = {0};
    for (size_t at = 0; at < text->n;) {
        bool is_found = false;
        for (size_t i = 0; i < op->n_kernels && !is_found; i++) {
            char number[32];
            int n = snprintf(number, sizeof number, "/%llu/",
                             (unsigned long long)rt_kernel_hash(m, &op->kernels[i]));
            is_found = str_starts(str_from(buf_view(text), at), (str){number, (size_t)n});
            if (is_found) {
                buf_z(&out, "/HASH/");
                at += (size_t)n;
            }
        }
        if (!is_found)
            buf_char(&out, text->p[at++]);
    }
    buf_free(text);
    *text = out;
}

static uint32_t image_bytes(ttrt *m, const char *name, int risc)
{
    ttdev_image *image = NULL;
    assert_int_equal(ttdev_image_find(m->t, name, risc, &image, &(struct err){0}), 0);
    return ttdev_image_bytes(image);
}

static const char tensor_text[] =
    "        {\n"
    "            \"dtype\": \"BFLOAT16\",\n"
    "            \"layout\": \"TILE\",\n"
    "            \"shape\": {\n"
    "                \"W\": \"1[1]\",\n"
    "                \"X\": \"64[40]\",\n"
    "                \"Y\": \"32[32]\",\n"
    "                \"Z\": \"1[1]\"\n"
    "            },\n"
    "            \"storage_type\": {\n"
    "                \"device_id\": 0,\n"
    "                \"memory_config\": {\n"
    "                    \"buffer_type\": \"DRAM\",\n"
    "                    \"memory_layout\": \"INTERLEAVED\"\n"
    "                }\n"
    "            }\n"
    "        }";

static void put_wanted(ttrt *m, struct buf *b)
{
    const char *t = tensor_text;
    buf_printf(b,
               "`TT_DNN_DEVICE_OP: \"SampleAdd\", 18446744073709551615, 0, true, 3072 ->\n"
               "{\n"
               "    \"attributes\": {\n"
               "        \"depth\": \"2\",\n"
               "        \"scheme\": \"``x``\"\n"
               "    },\n"
               "    \"device_id\": 0,\n"
               "    \"global_call_count\": 3072,\n"
               "    \"input_tensors\": [\n%s,\n%s\n    ],\n",
               t, t);
    buf_z(b,
          "    \"kernel_info\": {\n"
          "        \"compute_kernels\": [\n"
          "            {\n"
          "                \"math_fidelity\": \"HiFi4\",\n"
          "                \"name\": \"add/HASH/\",\n"
          "                \"source\": \"workloads/eltwise_add/add.compute.c\"\n"
          "            }\n"
          "        ],\n"
          "        \"datamovement_kernels\": [\n"
          "            {\n"
          "                \"name\": \"read/HASH/\",\n"
          "                \"source\": \"workloads/eltwise_add/read.ncrisc.c\"\n"
          "            },\n"
          "            {\n"
          "                \"name\": \"write/HASH/\",\n"
          "                \"source\": \"workloads/eltwise_add/write.brisc.c\"\n"
          "            }\n"
          "        ],\n"
          "        \"kernel_sizes\": {\n"
          "            \"ACTIVE_ETH_DM_0_max_kernel_size\": 0,\n"
          "            \"ACTIVE_ETH_DM_1_max_kernel_size\": 0,\n"
          "            \"IDLE_ETH_DM_0_max_kernel_size\": 0,\n"
          "            \"IDLE_ETH_DM_1_max_kernel_size\": 0,\n");
    for (int i = 0; i < 3; i++)
        buf_printf(b, "            \"TENSIX_COMPUTE_%d_max_kernel_size\": %u,\n", i,
                   image_bytes(m, "eltwise_add/add", TT_TRISC0 + i));
    buf_printf(b,
               "            \"TENSIX_DM_0_max_kernel_size\": %u,\n"
               "            \"TENSIX_DM_1_max_kernel_size\": %u\n"
               "        }\n"
               "    },\n",
               image_bytes(m, "eltwise_add/write", TT_BRISC),
               image_bytes(m, "eltwise_add/read", TT_NCRISC));
    buf_printf(b,
               "    \"op_code\": \"SampleAdd\",\n"
               "    \"op_hash\": 18446744073709551615,\n"
               "    \"op_type\": \"tt_dnn_device\",\n"
               "    \"optional_input_tensors\": [],\n"
               "    \"output_tensors\": [\n%s\n    ],\n"
               "    \"performance_model\": {\n"
               "        \"bandwidth_ns\": 14,\n"
               "        \"compute_ns\": 1,\n"
               "        \"ideal_ns\": 14,\n"
               "        \"input_bws\": [\n"
               "            292.5714416503906,\n"
               "            292.5714416503906\n"
               "        ],\n"
               "        \"output_bws\": [\n"
               "            292.5714416503906\n"
               "        ]\n"
               "    },\n"
               "    \"program_cache_hit\": true\n"
               "}`",
               t);
}

TEST(runtime_record_has_all_keys_in_order)
{
    struct sample_runtime s;
    struct buf got = {0}, want = {0};
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = ttrt_empty(s.m, ttrt_spec2(32, 40), "a");
    struct rt_op op = sample_add_op(s.m, "`x`", a, a, a);
    struct rt_told told = told_of(&op);
    rt_record_message(s.m, &told, false, &got);
    hide_kernels(s.m, &op, &got);
    put_wanted(s.m, &want);
    test_str_is(buf_view(&got), buf_view(&want), __FILE__, __LINE__);
    got.n = 0;
    rt_record_message(s.m, &told, true, &got);
    STR_IS(buf_view(&got),
           "`TT_DNN_DEVICE_OP: \"SampleAdd\", 18446744073709551615, 0, true, 3072`");
    buf_free(&got);
    buf_free(&want);
    sample_runtime_close(&s);
}

TEST(runtime_record_is_read_back)
{
    struct sample_runtime s;
    struct buf text = {0};
    struct arena a = {0};
    struct op_message message;
    struct op_record r;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *t = ttrt_empty(s.m, ttrt_spec2(32, 40), "t");
    struct rt_op op = sample_add_op(s.m, "<, \"x\"", t, t, t);
    op.code = "One, two";
    struct rt_told told = told_of(&op);
    rt_record_message(s.m, &told, false, &text);
    assert_true(op_message_is(buf_view(&text)));
    assert_true(op_message_parse(buf_view(&text), &message));
    STR_IS(message.name, "One; two");
    assert_true(message.hash == told.hash && message.id == told.id);
    assert_int_equal(message.cache, OP_CACHE_HIT);
    op_record_read(message.json, &a, &r);
    assert_false(r.is_damaged);
    assert_true(r.has_id && r.id == 3072 && r.has_hash && r.hash == told.hash);
    assert_true(r.has_hit && r.is_hit && r.has_device && r.device == 0);
    STR_IS(r.code, "One; two");
    STR_IS(r.type, "tt_dnn_device");
    STR_IS(r.attributes, "{'depth': '2'; 'scheme': '<; \"x\"'}");
    STR_IS(r.fidelity, "HiFi4");
    assert_int_equal(r.n_inputs, 2);
    assert_int_equal(r.n_outputs, 1);
    STR_IS(r.inputs[1].size[3], "64[40]");
    STR_IS(r.outputs[0].memory, "DEV_0_DRAM_INTERLEAVED");
    STR_IS(r.ideal, "14");
    STR_IS(r.input_rates, "[292.5714416503906; 292.5714416503906]");
    assert_int_equal(r.n_sizes, 9);
    arena_free(&a);
    buf_free(&text);
    sample_runtime_close(&s);
}

// --- the model ---------------------------------------------------------------------------
static void matmul_model(const ttrt *m, const struct rt_op *op, struct rt_model *model)
{
    rt_model_cycles(m, op, rt_model_matrix_cycles(m, 2 * 32 * 32 * 32, TTRT_HIFI4), model);
}

// The values that the reference's own test expects of one tile.
TEST(runtime_model_of_a_matmul_of_one_tile)
{
    struct sample_runtime s;
    struct rt_model model;
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *t = ttrt_empty(s.m, ttrt_spec2(32, 32), "t");
    struct rt_op op = sample_add_op(s.m, "x", t, t, t);
    matmul_model(s.m, &op, &model);
    REAL_IS(model.ideal_ns, 7);
    REAL_IS(model.compute_ns, 1);
    REAL_IS(model.bandwidth_ns, 7);
    REAL_IS(rt_model_rate(t, model.ideal_ns), 292.5714416503906);
    sample_runtime_close(&s);
}

// --- in a recording ---------------------------------------------------------------------
struct heard {
    const struct trace *run;
    struct buf zones, ops; // one line each
    struct buf records;    // whole
};

static void hear_zone(void *context, const struct walk_zone *z)
{
    struct heard *h = context;
    str name = h->run->strings.keys.v[h->run->sites.v[z->site].name];
    buf_printf(&h->zones, "%.*s%s%.*s\n", STR(name), z->said.text.n ? " " : "",
               STR(z->said.text));
}

static void hear_event(void *context, const struct trace_event *ev)
{
    struct heard *h = context;
    str rest = ev->text, line = str_cut(&rest, '\n');
    if (ev->kind != TT_OP)
        return;
    buf_printf(&h->ops, "%.*s\n", STR(line));
    buf_str(&h->records, rest);
}

static void listen(const struct sample_record *r, struct heard *h)
{
    struct trace run;
    struct err e = {0};
    ttprof_stop();
    assert_true(host_run_open(&run, r->folder, &e));
    *h = (struct heard){.run = &run};
    struct walk_visitor v = {h, hear_zone, hear_event};
    for (uint32_t i = 0; i < run.tracks.n; i++)
        walk_track(&run, i, &v);
    trace_free(&run);
}

static void heard_free(struct heard *h)
{
    buf_free(&h->zones);
    buf_free(&h->ops);
    buf_free(&h->records);
}

static void nothing(void *context)
{
    *(int *)context += 1;
}

static size_t count(const struct buf *b, const char *what)
{
    size_t n = 0;
    str rest;
    for (str s = buf_view(b); str_after(s, str_of(what), &rest); s = rest)
        n++;
    return n;
}

TEST(runtime_tells_an_op_in_full_once_and_its_hits_as_they_were)
{
    struct sample_record r = sample_record(NULL);
    struct sample_runtime s;
    struct heard h;
    char line[128];
    int n_works = 0;
    assert_int_equal(setenv("TTNN_OP_PROFILER", "1", 1), 0);
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(32, 32), 1, "a");
    for (int i = 0; i < 3; i++)
        (void)sample_add(s.m, "x", a, a);
    uint32_t last = s.seen.id;
    ttrt_host_op(s.m, "torch.rand", TTRT_PYTHON_FALLBACK, nothing, &n_works);
    ttrt_host_op(s.m, "to_cpu", TTRT_CPU, nothing, &n_works);
    assert_int_equal(n_works, 2);
    sample_runtime_close(&s);
    listen(&r, &h);

    assert_int_equal(count(&h.ops, "`TT_DNN_DEVICE_OP: \"SampleAdd\", "), 3);
    (void)snprintf(line, sizeof line, ", 0, false, %u ->\n", last - 2048);
    assert_int_equal(count(&h.ops, line), 1);
    (void)snprintf(line, sizeof line, ", 0, true, %u`\n", last - 1024);
    assert_int_equal(count(&h.ops, line), 1);
    (void)snprintf(line, sizeof line, ", 0, true, %u`\n", last);
    assert_int_equal(count(&h.ops, line), 1);
    assert_int_equal(count(&h.ops, "`TT_DNN_FALL_BACK_OP:\"torch.rand\" ->\n"), 1);
    assert_int_equal(count(&h.ops, "`TT_DNN_HOST_OP:\"to_cpu\" ->\n"), 1);

    // Inner zones end first: the op's zone covers making, compiling and enqueuing. It does
    // not cover the wait for the op before.
    (void)snprintf(line, sizeof line,
                   "CompileProgram SampleAdd\nCreateProgram SampleAdd\n"
                   "EnqueueProgram SampleAdd\nTT_DNN_DEVICE_OP id:%u\n",
                   last - 2048);
    assert_int_equal(count(&h.zones, line), 1);
    (void)snprintf(line, sizeof line,
                   "WaitProgramDone\nHWCommandQueue_write_buffer\n"
                   "EnqueueProgram SampleAdd\nTT_DNN_DEVICE_OP id:%u\n",
                   last);
    assert_int_equal(count(&h.zones, line), 1);
    (void)snprintf(line, sizeof line, "TT_DNN_FALLBACK_OP id:%u\n",
                   (last + 1024) | 1u << 31);
    assert_int_equal(count(&h.zones, line), 1);
    heard_free(&h);
    sample_record_end(&r);
}

// Two lines by turns: each record says where its op comes from, and one without a
// description stands for the last.
TEST(runtime_tells_the_line_of_the_program_that_an_op_comes_from)
{
    struct sample_record r = sample_record(NULL);
    struct sample_runtime s;
    struct heard h;
    int n_works = 0;
    assert_int_equal(setenv("TTNN_OP_PROFILER", "1", 1), 0);
    sample_runtime_open(&s, "arch=wormhole");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(32, 32), 1, "a");
    static const uint32_t lines[] = {7, 7, 9, 7};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        ttrt_call_site(s.m, "model \"a\".py", lines[i], i ? "forward" : NULL);
        (void)sample_add(s.m, "x", a, a);
    }
    ttrt_host_op(s.m, "to_cpu", TTRT_CPU, nothing, &n_works);
    ttrt_call_site(s.m, NULL, 1, "forward");
    (void)sample_add(s.m, "x", a, a);
    sample_runtime_close(&s);
    listen(&r, &h);
    static const char *const seen[] = {
        "    \"call_site\": \"model \\\"a\\\".py:7\",\n    \"device_id\": 0,\n",
        "    \"call_site\": \"model \\\"a\\\".py:9 forward\",\n    \"device_id\": 0,\n",
        "    \"call_site\": \"model \\\"a\\\".py:7 forward\",\n    \"global_call_count\": ",
    };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        assert_int_equal(count(&h.records, seen[i]), 1);
    assert_int_equal(count(&h.records, "py:7 forward\",\n    \"device_id\": 0,\n"), 2);
    assert_int_equal(count(&h.records, "\"call_site\": \"\","), 1); // not known any more
    assert_int_equal(count(&h.records, "\"call_site\""), 6);
    assert_int_equal(count(&h.records, "\"SampleAdd\",\n"), 5);
    heard_free(&h);
    sample_record_end(&r);
}

TEST(runtime_tells_every_op_in_full_without_the_cache_of_records)
{
    struct sample_record r = sample_record(NULL);
    struct sample_runtime s;
    struct heard h;
    assert_int_equal(setenv("TTNN_OP_PROFILER", "1", 1), 0);
    assert_int_equal(setenv("TT_METAL_PROFILER_NO_CACHE_OP_INFO", "", 1), 0);
    sample_runtime_open(&s, "board=n300");
    ttrt_tensor *a = sample_tensor(s.m, ttrt_spec2(32, 32), 1, "a");
    for (int i = 0; i < 2; i++)
        (void)sample_add(s.m, "x", a, a);
    sample_runtime_close(&s);
    assert_int_equal(unsetenv("TT_METAL_PROFILER_NO_CACHE_OP_INFO"), 0);
    listen(&r, &h);
    assert_int_equal(count(&h.ops, " ->\n"), 4);
    assert_int_equal(count(&h.ops, ", 1, true, "), 1);
    assert_int_equal(count(&h.ops, ", 1, false, "), 1);
    heard_free(&h);
    sample_record_end(&r);
}
