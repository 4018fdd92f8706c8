// test_train_step.c - one step of a training run: segments, zones, their tree, the flame
// graph. Spec: run-and-python 10.3, analyses 6 and 8 to 10.
#include <math.h>

#include "analyse/diags.h"
#include "sample_train.h"

struct sample_step {
    struct sample_training s;
    struct train_step step;
    struct buf b;
    bool ok;
};

static void open_step(struct sample_step *x)
{
    *x = (struct sample_step){0};
    buf_z(&x->b, TRAIN_HEAD);
    sample_marker(&x->b, 0, "iteration_2");
}
static void make_step(struct sample_step *x, int64_t iteration)
{
    sample_training(&x->s, &x->b,
                    &(struct train_options){.device = -1, .iteration = iteration});
    x->ok = train_step_make(&x->step, &x->s.train);
}
static void free_step(struct sample_step *x)
{
    train_step_free(&x->step);
    sample_training_free(&x->s, &x->b);
}

// "label ops ms|"
static str segments(const struct sample_step *x, struct buf *b)
{
    for (size_t i = 0; i < x->step.segments.n; i++)
        buf_printf(b, "%.*s %zu %.1f|", STR(x->step.segments.v[i].label),
                   x->step.segments.v[i].n_ops, x->step.segments.v[i].ms);
    return buf_view(b);
}

// "name count ops ms|"
static str zones(const struct sample_step *x, struct buf *b)
{
    for (size_t i = 0; i < x->step.zones.n; i++) {
        const struct train_zone *z = &x->step.zones.v[i];
        buf_printf(b, "%.*s %zu %zu %.1f|", STR(train_name(&x->s.train, z->name)), z->count,
                   z->n_ops, z->ms);
    }
    return buf_view(b);
}

static void put_branch(const struct sample_step *x, uint32_t zone, struct buf *b)
{
    uint32_t children[32];
    size_t n = train_zone_children(&x->step, zone, children);
    for (size_t i = 0; i < n; i++) {
        buf_printf(b, "(%.*s %.1f",
                   STR(train_name(&x->s.train, x->step.tree.v[children[i]].name)),
                   x->step.tree.v[children[i]].ms);
        put_branch(x, children[i], b);
        buf_char(b, ')');
    }
}

static void usual_step(struct sample_step *x)
{
    open_step(x);
    struct buf *b = &x->b;
    sample_marker(b, 0, "dataloader_step_done");
    sample_marker(b, 0, "[FWD] [START] block");
    sample_op(b, 0, "Matmul", 2000000);
    sample_marker(b, 0, "[FWD] [START] attention");
    sample_op(b, 0, "Softmax", 1000000);
    sample_marker(b, 0, "[FWD] [END] attention");
    sample_marker(b, 0, "[FWD] [END] block");
    sample_marker(b, 0, "forward_pass_done");
    sample_marker(b, 0, "[FWD] [START] block"); // computed again
    sample_op(b, 0, "Matmul", 2000000);
    sample_marker(b, 0, "[FWD] [END] block");
    sample_marker(b, 0, "[BWD] [END] block");
    sample_op(b, 0, "Matmul", 4000000);
    sample_marker(b, 0, "[BWD] [START] block");
    sample_marker(b, 0, "backward_pass_done");
    sample_op(b, 0, "AdamW", 1000000);
    sample_marker(b, 0, "optimizer_step_done");
    sample_op(b, 0, "Copy", 500000);
    sample_marker(b, 0, "iteration_3");
    sample_op(b, 0, "Matmul", 77000000); // of the next step
    make_step(x, 0);
}

TEST(train_step_ends_where_the_next_begins)
{
    struct sample_step x;
    usual_step(&x);
    assert_true(x.ok);
    assert_int_equal(2, x.step.iteration);
    assert_int_equal(6, x.step.ops.n);
    REAL_IS(x.step.total_ms, 10.5);
    REAL_IS(x.step.p95_ms, 2 + 0.75 * 2); // between the two highest, at 4.75 of 5
    free_step(&x);
}

// Rows with the cycles of their firmware, which runs at 2 GHz.
static void put_timed(struct buf *b, const char *code, const char *about, int64_t start,
                      int64_t end)
{
    buf_printf(b, "%s,tt_dnn_device,0,%s,%lld,%lld,%lld,%lld\n", code, about,
               (long long)(end - start) / 2, (long long)(end - start) / 4, (long long)start,
               (long long)end);
}

TEST(train_step_lasts_from_its_marker_to_the_next)
{
    struct sample_step x = {0};
    buf_z(&x.b,
          "OP CODE,OP TYPE,DEVICE ID,ATTRIBUTES,DEVICE FW DURATION [ns],"
          "DEVICE KERNEL DURATION [ns],DEVICE FW START CYCLE,DEVICE FW END CYCLE\n");
    buf_z(&x.b, "ProfilerNoopOperation,,0,'identifier': 'iteration_2',,,,\n");
    put_timed(&x.b, "ProfilerNoopOperation", "'identifier': 'iteration_2'", 400, 500);
    put_timed(&x.b, "ProfilerNoopOperation", "'identifier': 'iteration_2'", 600, 700);
    put_timed(&x.b, "Matmul", "", 1000400, 2000400);
    put_timed(&x.b, "ProfilerNoopOperation", "'identifier': 'iteration_3'", 4000400,
              4000500);
    put_timed(&x.b, "ProfilerNoopOperation", "'identifier': 'iteration_3'", 9000400,
              9000500);
    make_step(&x, 2);
    assert_true(x.ok);
    REAL_IS(x.step.step_ms, 2);
    REAL_IS(x.step.total_ms, 0.25);
    free_step(&x);
}

TEST(train_step_is_cut_at_every_marker)
{
    struct sample_step x;
    struct buf b = {0};
    open_step(&x);
    sample_op(&x.b, 0, "Copy", 100000);
    sample_marker(&x.b, 0, "dataloader_step_done");
    sample_op(&x.b, 0, "Matmul", 2000000);
    sample_op(&x.b, 0, "Matmul", 1000000);
    sample_marker(&x.b, 0, "forward_pass_done");
    sample_op(&x.b, 0, "Matmul", 3000000);
    sample_marker(&x.b, 0, "my_marker");
    sample_op(&x.b, 0, "Add", 400000);
    make_step(&x, 0);
    STR_IS(segments(&x, &b),
           "Other 1 0.1|Forward 2 3.0|forward_pass_done -> my_marker 1 "
           "3.0|Remaining 1 0.4|");
    uint32_t slowest[3];
    assert_int_equal(3, train_step_slowest(&x.s.train, &x.step, 3, slowest));
    assert_int_equal(3, slowest[0]);
    assert_int_equal(1, slowest[1]);
    assert_int_equal(2, slowest[2]);
    buf_free(&b);
    free_step(&x);
}

TEST(train_step_that_is_not_there_is_a_note)
{
    struct sample_step x;
    open_step(&x);
    sample_op(&x.b, 0, "Copy", 100000);
    make_step(&x, 9);
    assert_false(x.ok);
    size_t n = x.s.train.notes.list.n;
    assert_true(str_has(x.s.train.notes.list.v[n - 1].text, S("'iteration_9'")));
    free_step(&x);
}

TEST(train_step_takes_the_first_iteration_where_there_is_no_second)
{
    struct sample_step x = {0};
    buf_z(&x.b, TRAIN_HEAD);
    sample_marker(&x.b, 0, "iteration_7");
    sample_op(&x.b, 0, "Copy", 100000);
    make_step(&x, 0);
    assert_true(x.ok);
    assert_int_equal(7, x.step.iteration);
    free_step(&x);
}

TEST(train_zones_pair_forward_and_backward_markers)
{
    struct sample_step x;
    struct buf b = {0};
    usual_step(&x);
    STR_IS(zones(&x, &b),
           "Backward (full) 1 2 6.0|[FWD] block 2 3 5.0|[BWD] block 1 1 4.0|"
           "Forward (full) 1 2 3.0|[FWD] attention 1 1 1.0|"
           "Optimizer Step (full) 1 1 1.0|");
    REAL_IS(x.step.zones.v[1].min, 2);
    REAL_IS(x.step.zones.v[1].max, 3);
    assert_int_equal(0, x.step.n_unpaired);
    buf_free(&b);
    free_step(&x);
}

TEST(train_zones_make_a_tree_with_recomputation_apart)
{
    struct sample_step x;
    struct buf b = {0};
    usual_step(&x);
    put_branch(&x, TRAIN_NO_ZONE, &b);
    STR_IS(buf_view(&b),
           "(Whole Step 10.5(Forward (full) 3.0([FWD] block 3.0([FWD] attention "
           "1.0)))(Backward (full) 6.0([RECOMP] block 2.0)([BWD] block 4.0))"
           "(Optimizer Step (full) 1.0))");
    buf_free(&b);
    free_step(&x);
}

TEST(train_zones_without_their_other_half_are_counted)
{
    struct sample_step x;
    struct buf b = {0};
    open_step(&x);
    sample_marker(&x.b, 0, "[START] a"); // the old form
    sample_marker(&x.b, 0, "[START] b");
    sample_op(&x.b, 0, "Add", 400000);
    sample_marker(&x.b, 0, "[END] c");
    sample_marker(&x.b, 0, "[END] a");
    make_step(&x, 0);
    STR_IS(zones(&x, &b), "a 1 1 0.4|");
    assert_int_equal(1, x.step.n_unpaired);
    assert_int_equal(2, x.s.train.diag.entry[DIAG_MARKER_UNPAIRED].count);
    buf_free(&b);
    free_step(&x);
}

// Each lies in the other once: one of them is the parent, and the walk ends.
TEST(train_zones_that_lie_in_each_other_have_no_circle)
{
    struct sample_step x;
    struct buf b = {0};
    open_step(&x);
    static const char *const order[] = {"[START] a", "[START] b", "[END] b", "[END] a",
                                        "[START] b", "[START] a", "[END] a", "[END] b"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        sample_marker(&x.b, 0, order[i]);
        sample_op(&x.b, 0, "Add", 100000);
    }
    make_step(&x, 0);
    put_branch(&x, TRAIN_NO_ZONE, &b);
    STR_IS(buf_view(&b), "(Whole Step 0.8(a 0.4(b 0.4)))");
    buf_free(&b);
    free_step(&x);
}

TEST(train_flame_graph_fills_its_zones)
{
    struct sample_step x;
    struct train_flame f;
    struct buf b = {0};
    usual_step(&x);
    train_flame_make(&f, &x.s.train, &x.step);
    for (size_t i = 0; i < f.v.n; i++)
        buf_printf(&b, "%u %.*s %.1f-%.1f|", f.v.v[i].depth, STR(f.v.v[i].name),
                   10.5 * f.v.v[i].x, 10.5 * (f.v.v[i].x + f.v.v[i].width));
    STR_IS(buf_view(&b),
           "0 Whole Step 0.0-10.5|1 Forward (full) 0.0-3.0|2 [FWD] block 0.0-3.0|"
           "3 [FWD] attention 0.0-1.0|4 Softmax 0.0-1.0|3 Other 1.0-3.0|4 Matmul 1.0-3.0|"
           "1 Backward (full) 3.0-9.0|2 [RECOMP] block 3.0-5.0|3 Matmul 3.0-5.0|"
           "2 [BWD] block 5.0-9.0|3 Matmul 5.0-9.0|1 Optimizer Step (full) 9.0-10.0|"
           "2 AdamW 9.0-10.0|1 Other 10.0-10.5|2 Copy 10.0-10.5|");
    assert_int_equal(0x6B7B8D, f.v.v[0].colour);
    assert_int_equal(0x5BAE5B, f.v.v[1].colour);
    assert_int_equal(0x4A90D9, f.v.v[2].colour);
    assert_int_equal(0x9B59B6, f.v.v[8].colour);
    assert_int_equal(0xE8833A, f.v.v[10].colour);
    assert_int_equal(0xE74C3C, f.v.v[12].colour);
    buf_free(&b);
    train_flame_free(&f);
    free_step(&x);
}
