// prop_num.c - numbers written and read against the C library.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "prop.h"

enum {
    LAW_BACK,
    LAW_SHORTEST,
    LAW_NEAREST,
    LAW_LAYOUT,
    LAW_FIXED,
    LAW_COMMAS,
    LAW_READ,
    LAW_INT,
    LAW_PUT_INT,
    LAWS
};
static struct law laws[LAWS] = {
    [LAW_BACK] = {.name = "a double that is written reads back equal"},
    [LAW_SHORTEST] = {.name = "no shorter text reads back equal"},
    [LAW_NEAREST] = {.name = "of the shortest texts it is the nearest"},
    [LAW_LAYOUT] = {.name = "exponents stand below 1e-4 and from 1e16, points elsewhere"},
    [LAW_FIXED] = {.name = "fixed places equal those of printf"},
    [LAW_COMMAS] = {.name = "commas group by three and change nothing else"},
    [LAW_READ] = {.name = "a decimal reads as strtod reads it"},
    [LAW_INT] = {.name = "an integer reads as strtoll reads it"},
    [LAW_PUT_INT] = {.name = "an integer that is written reads back equal"},
};

static bool is_same(double a, double b)
{
    return a == b && !signbit(a) == !signbit(b);
}

static double from_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static double random_double(struct random *r)
{
    switch (random_below(r, 8)) {
    case 0:
    case 1: return from_bits(random_bits(r));
    case 2: // few digits
        return (double)random_below(r, 100000) / pow(10, random_below(r, 9));
    case 3: return ldexp(1, (int)random_below(r, 2098) - 1074);
    case 4: { // powers of ten and their neighbours
        double v = pow(10, (int)random_below(r, 617) - 308);
        uint32_t which = random_below(r, 3);
        return which == 0 ? v : nextafter(v, which == 1 ? 0 : INFINITY);
    }
    case 5: return from_bits(random_bits(r) >> 12 >> random_below(r, 52)); // denormals
    case 6: return (double)(random_bits(r) >> random_below(r, 64));
    default: // around the edges of the layout
        return (random_one_in(r, 2) ? 1e-4 : 1e16) *
               (1 + (random_below(r, 3) - 1.0) * 1e-15);
    }
}

// Digits of the text without sign, point, outer zeros and exponent.
static size_t count_digits(str s)
{
    size_t n = 0, zeros = 0;
    for (size_t i = 0; i < s.n && s.p[i] != 'e'; i++) {
        if (s.p[i] == '0') {
            zeros += n > 0;
        } else if (s.p[i] > '0' && s.p[i] <= '9') {
            n += zeros + 1;
            zeros = 0;
        }
    }
    return n;
}

static bool is_laid_out(str s, double v)
{
    double size = fabs(v);
    bool has_point = memchr(s.p, '.', s.n) != NULL;
    const char *e = memchr(s.p, 'e', s.n);
    if (size != 0 && (size < 1e-4 || size >= 1e16)) {
        size_t after = e ? (size_t)(s.p + s.n - e) - 1 : 0;
        bool two = after == 3 || (after == 4 && e[2] != '0'); // sign and digits
        return e && (e[1] == '-') == (size < 1) && two && s.p[s.n - 1] != '.';
    }
    return has_point && !e && s.p[s.n - 1] != '.' && s.p[0] != '.';
}

static void check_real(double v)
{
    struct buf b = {0};
    num_put_real(&b, v);
    buf_char(&b, '\0');
    str s = {b.p, b.n - 1};
    double back = strtod(b.p, NULL);
    (void)law_check(&laws[LAW_BACK], is_same(back, v), "%.17g is %s", v, b.p);
    (void)law_check(&laws[LAW_LAYOUT], is_laid_out(s, v), "%.17g is %s", v, b.p);
    size_t digits = count_digits(s);
    char text[64];
    if (digits > 1) {
        (void)snprintf(text, sizeof text, "%.*e", (int)digits - 2, v);
        (void)law_check(&laws[LAW_SHORTEST], strtod(text, NULL) != v, "%s for %s", b.p,
                        text);
    }
    // printf rounds to the nearest of so many digits. Where that reads back, it is the
    // best.
    if (digits > 0) {
        (void)snprintf(text, sizeof text, "%.*e", (int)digits - 1, v);
        if (strtod(text, NULL) == v) {
            long double mine = strtold(b.p, NULL), best = strtold(text, NULL);
            bool is_nearest = fabsl(mine - v) <= fabsl(best - v);
            (void)law_check(&laws[LAW_NEAREST], is_nearest, "%s for %s", b.p, text);
        }
    }
    buf_free(&b);
}

static void check_fixed(struct random *r, double v)
{
    int decimals = (int)random_below(r, 5);
    char text[512];
    (void)snprintf(text, sizeof text, "%.*f", decimals, v);
    struct buf b = {0};
    num_put_fixed(&b, v, decimals, false);
    (void)law_check(&laws[LAW_FIXED], str_is(buf_view(&b), text),
                    "%.17g to %d places: %.*s", v, decimals, STR(b));
    struct buf c = {0};
    num_put_fixed(&c, v, decimals, true);
    size_t n = 0;
    bool ok = true;
    const char *point = memchr(c.p, '.', c.n);
    size_t whole = point ? (size_t)(point - c.p) : c.n;
    for (size_t i = 0; i < c.n; i++) {
        if (c.p[i] == ',')
            ok &= i < whole && (whole - i) % 4 == 0;
        else if (n < b.n)
            ok &= c.p[i] == b.p[n++];
    }
    size_t digits = whole - (c.p[0] == '-');
    ok &= n == b.n && (digits < 5 || memchr(c.p, ',', c.n) != NULL);
    (void)law_check(&laws[LAW_COMMAS], ok, "%.17g to %d places: %.*s", v, decimals, STR(c));
    buf_free(&b);
    buf_free(&c);
}

static double random_fixed(struct random *r)
{
    double sign = random_one_in(r, 4) ? -1 : 1;
    switch (random_below(r, 5)) {
    case 0: // ties and what only looks like one
        return sign * ((double)random_below(r, 1000000) + 0.5) /
               pow(10, random_below(r, 5));
    case 1: return sign * ldexp((double)random_bits(r), -(int)random_below(r, 70));
    case 2: return sign * (double)random_below(r, 100000) / 1000;
    case 3: return sign * (1e12 + ((double)random_below(r, 2000) - 1000) / 16);
    default: {
        double v = random_double(r);
        return isfinite(v) ? v : 0.25;
    }
    }
}

static size_t put_digits(struct random *r, char *to, size_t most)
{
    size_t n = random_below(r, (uint32_t)most + 1);
    for (size_t i = 0; i < n; i++)
        to[i] = (char)('0' + random_below(r, 10));
    return n;
}

static void check_read(struct random *r)
{
    char text[128];
    size_t n = 0;
    if (random_one_in(r, 3))
        text[n++] = random_one_in(r, 2) ? '-' : '+';
    n += put_digits(r, text + n, random_one_in(r, 4) ? 40 : 17);
    if (random_one_in(r, 2)) {
        text[n++] = '.';
        n += put_digits(r, text + n, random_one_in(r, 4) ? 40 : 16);
    }
    if (random_one_in(r, 3))
        n += (size_t)snprintf(text + n, 16, "%c%d", random_one_in(r, 2) ? 'e' : 'E',
                              (int)random_below(r, 700) - 350);
    if (random_one_in(r, 20))
        text[n++] = "x,-e. "[random_below(r, 6)];
    text[n] = '\0';
    char *end;
    double want = strtod(text, &end), got = 0;
    size_t blanks = strspn(end, " ");
    bool is_whole = n && end != text && end[blanks] == '\0';
    bool ok =
        num_real((str){text, n}, &got) == is_whole && (!is_whole || is_same(got, want));
    (void)law_check(&laws[LAW_READ], ok, "'%s': %.17g", text, got);
}

static void check_int(struct random *r)
{
    char text[64];
    uint64_t v = random_bits(r) >> random_below(r, 64);
    int n = 0;
    if (random_one_in(r, 3)) // around the ends of the range
        v = (uint64_t)INT64_MAX + random_below(r, 5) - 2;
    const char *sign = random_one_in(r, 3) ? "-" : random_one_in(r, 5) ? "+" : "";
    n = snprintf(text, sizeof text, "%s%s%llu%s", random_one_in(r, 5) ? " " : "", sign,
                 (unsigned long long)v, random_one_in(r, 9) ? " " : "");
    if (random_one_in(r, 20))
        text[random_below(r, (uint32_t)n)] = "x.-+e "[random_below(r, 6)];
    char *end;
    errno = 0;
    long long want = strtoll(text, &end, 10);
    int64_t got = 0;
    bool is_whole = end != text && end[strspn(end, " ")] == '\0' && errno == 0;
    bool ok =
        num_int((str){text, (size_t)n}, &got) == is_whole && (!is_whole || got == want);
    (void)law_check(&laws[LAW_INT], ok, "'%s': %lld", text, (long long)got);

    struct buf b = {0};
    int64_t back = 0, written = (int64_t)v;
    num_put_int(&b, written);
    ok = num_int(buf_view(&b), &back) && back == written;
    (void)law_check(&laws[LAW_PUT_INT], ok, "%lld is %.*s", (long long)written, STR(b));
    buf_free(&b);
}

int main(void)
{
    struct random r = {1};
    uint64_t rounds = prop_rounds(60000);
    for (uint64_t i = 0; i < rounds; i++) {
        double v = random_double(&r);
        if (isfinite(v))
            check_real(v);
        check_fixed(&r, random_fixed(&r));
        check_read(&r);
        check_int(&r);
    }
    for (int e = -1074; e <= 1023; e++) { // all powers of two and their neighbours
        check_real(ldexp(1, e));
        check_real(nextafter(ldexp(1, e), INFINITY));
        check_real(-nextafter(ldexp(1, e), 0));
    }
    return laws_report(laws, LAWS);
}
