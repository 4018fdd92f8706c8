// prop.h - laws checked on random data, the same data every time: a seeded generator, TAP
// lines, and the number of rounds from TTPROF_PROP_ROUNDS (100 = as written).
#ifndef TTP_TESTS_PROP_H
#define TTP_TESTS_PROP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/buf.h"
#include "base/text/num.h"

// splitmix64: small, fast, and every seed is good.
struct random {
    uint64_t state;
};

static inline uint64_t random_bits(struct random *r)
{
    uint64_t z = r->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

// 0..n-1
static inline uint32_t random_below(struct random *r, uint32_t n)
{
    return (uint32_t)((random_bits(r) >> 32) * n >> 32);
}

// True one time in n.
static inline bool random_one_in(struct random *r, uint32_t n)
{
    return random_below(r, n) == 0;
}

// --- laws ---

// One law, tried many times; the first counterexample is kept in words.
struct law {
    const char *name;
    uint64_t tried;
    bool is_broken;
    char why[1000];
};

#define law_check(law, holds, ...)                                                         \
    ((law)->tried++, (holds) || law_break((law), __VA_ARGS__))

__attribute__((format(printf, 2, 3))) static inline bool law_break(struct law *l,
                                                                   const char *fmt, ...)
{
    if (!l->is_broken) {
        va_list ap;
        va_start(ap, fmt);
        (void)vsnprintf(l->why, sizeof l->why, fmt, ap);
        va_end(ap);
    }
    l->is_broken = true;
    return false;
}

// Prints the laws as TAP; what main returns. A law that was never tried is broken.
static inline int laws_report(const struct law *laws, size_t n)
{
    bool all = true;
    (void)printf("1..%zu\n", n);
    for (size_t i = 0; i < n; i++) {
        bool ok = !laws[i].is_broken && laws[i].tried;
        (void)printf("%s %zu - %s (%llu times)\n", ok ? "ok" : "not ok", i + 1,
                     laws[i].name, (unsigned long long)laws[i].tried);
        if (!ok)
            (void)printf("# %s\n", laws[i].tried ? laws[i].why : "never tried");
        all &= ok;
    }
    return all ? 0 : 1;
}

static inline uint64_t prop_rounds(uint64_t usual)
{
    int64_t percent;
    const char *set = getenv("TTPROF_PROP_ROUNDS");
    if (!set || !num_int(str_of(set), &percent) || percent < 0)
        return usual;
    uint64_t n = usual * (uint64_t)percent / 100;
    return n ? n : 1;
}

// Seeds of the scenes to play: from 1, or as the variable says: "7", or "7:20" for 20.
struct prop_scenes {
    uint64_t from, to; // `to` is not among them
};

static inline struct prop_scenes prop_scenes(const char *variable, uint64_t usual)
{
    const char *set = getenv(variable);
    if (!set)
        return (struct prop_scenes){1, 1 + prop_rounds(usual)};
    char *rest;
    uint64_t from = strtoull(set, &rest, 10);
    uint64_t count = *rest == ':' ? strtoull(rest + 1, NULL, 10) : 1;
    return (struct prop_scenes){from, from + count};
}

// Bytes as they can be shown in a message.
static inline const char *prop_show(str s)
{
    static char text[256];
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < sizeof text - 8; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= 0x20 && c < 0x7F && c != '\\')
            text[n++] = (char)c;
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "\\x%02x", c);
    }
    text[n] = '\0';
    return text;
}

#endif
