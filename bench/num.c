// num.c - speed of formatting and parsing numbers, compared with the C library.
//
// Two fixed sets of generated values: `short`, like the times in a report
// (thousandths below 10 000), and `long`, like its shares (17 digits). Prints one line of
// JSON per job.
#include "base/text/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/buf.h"

#include "bench.h"

enum { N = 200000, TEXT_MOST = 32 };

static double values[N];
static char texts[N][TEXT_MOST]; // the values, as the report writes them

static uint64_t next_random(uint64_t *x) // xorshift64
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

static void make_values(bool is_long)
{
    uint64_t x = 88172645463325252;
    struct buf b = {0};
    for (size_t i = 0; i < N; i++) {
        double whole = (double)(next_random(&x) % 10000000);
        values[i] = is_long ? 100.0 * whole / 9999991.0 : whole / 1000.0;
        b.n = 0;
        num_put_real(&b, values[i]);
        snprintf(texts[i], TEXT_MOST, "%.*s", STR(buf_view(&b)));
    }
    buf_free(&b);
}

// Each job returns a value that depends on all its work, so that none is optimised away.
static double put_real(struct buf *b)
{
    for (size_t i = 0; i < N; i++)
        num_put_real(b, values[i]);
    return (double)b->n;
}

static double put_fixed(struct buf *b)
{
    for (size_t i = 0; i < N; i++)
        num_put_fixed(b, values[i], 2, false);
    return (double)b->n;
}

static double print_g(struct buf *b)
{
    for (size_t i = 0; i < N; i++)
        b->n += (size_t)snprintf(buf_room(b, TEXT_MOST), TEXT_MOST, "%.17g", values[i]);
    return (double)b->n;
}

static double print_f(struct buf *b)
{
    for (size_t i = 0; i < N; i++)
        b->n += (size_t)snprintf(buf_room(b, TEXT_MOST), TEXT_MOST, "%.2f", values[i]);
    return (double)b->n;
}

static double read_real(struct buf *b)
{
    double sum = 0;
    (void)b;
    for (size_t i = 0; i < N; i++) {
        double v;
        if (num_real(str_of(texts[i]), &v))
            sum += v;
    }
    return sum;
}

static double read_strtod(struct buf *b)
{
    double sum = 0;
    (void)b;
    for (size_t i = 0; i < N; i++)
        sum += strtod(texts[i], NULL);
    return sum;
}

static const struct {
    const char *name;
    double (*run)(struct buf *b);
} jobs[] = {
    {"put_real", put_real},   {"snprintf_17g", print_g}, {"put_fixed", put_fixed},
    {"snprintf_2f", print_f}, {"read_real", read_real},  {"strtod", read_strtod},
};

int main(void)
{
    struct buf b = {0};
    for (int is_long = 0; is_long < 2; is_long++) {
        make_values(is_long);
        for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
            b.n = 0;
            (void)jobs[j].run(&b); // warm-up; the buffer has its size now
            b.n = 0;
            double start = bench_cpu();
            double result = jobs[j].run(&b);
            double cpu = bench_cpu() - start;
            printf(
                "{\"job\": \"%s\", \"set\": \"%s\", \"cpu\": %.9f, \"n\": %d, "
                "\"result\": %.17g}\n",
                jobs[j].name, is_long ? "long" : "short", cpu, (int)N, result);
        }
    }
    buf_free(&b);
    return 0;
}
