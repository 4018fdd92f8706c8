// num_parse.c - text to numbers.
#include <math.h>
#include <stdlib.h>

#include "base/text/num.h"

bool num_int(str s, int64_t *out)
{
    s = str_trim(s);
    bool minus = s.n && s.p[0] == '-';
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');
    if (i == s.n)
        return false;
    while (i + 1 < s.n && s.p[i] == '0')
        i++;
    if (s.n - i > 19)
        return false;
    uint64_t v = 0;
    for (; i < s.n; i++) {
        unsigned d = (unsigned char)s.p[i] - (unsigned)'0';
        if (d > 9)
            return false;
        v = v * 10 + d; // 19 digits always fit
    }
    if (v > (uint64_t)INT64_MAX + minus)
        return false;
    *out = minus ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

// Excludes forms that only strtod accepts: hexadecimal, nan(...) and the like.
static bool is_plain_number(str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool ok = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' ||
                  c == 'E';
        if (!ok)
            return false;
    }
    return true;
}

static bool is_named_number(str s)
{
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_from(s, 1);
    return str_eq_nocase(s, S("nan")) || str_eq_nocase(s, S("inf")) ||
           str_eq_nocase(s, S("infinity"));
}

// Digits with at most one point: exact when the digits fit 2^53 and the scale is a power of
// ten that a double holds, because one division then rounds once.
static bool real_simple(str s, double *out)
{
    static const double ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    if (s.n > 17)
        return false;
    uint64_t v = 0;
    size_t digits = 0, places = 0;
    bool point = false;
    size_t i = s.n && s.p[0] == '-';
    for (; i < s.n; i++) {
        unsigned d = (unsigned char)s.p[i] - (unsigned)'0';
        if (d <= 9) {
            v = v * 10 + d;
            digits++;
            places += point;
        } else if (s.p[i] == '.' && !point) {
            point = true;
        } else {
            return false;
        }
    }
    if (digits == 0 || digits > 15)
        return false;
    double r = (double)v / ten[places];
    *out = s.p[0] == '-' ? -r : r;
    return true;
}

bool num_real(str s, double *out)
{
    s = str_trim(s);
    if (real_simple(s, out))
        return true;
    if (s.n == 0 || !(is_plain_number(s) || is_named_number(s)))
        return false;
    char small[512];
    char *text = s.n < sizeof small ? small : mem_alloc(s.n + 1);
    memcpy(text, s.p, s.n);
    text[s.n] = '\0';
    char *end;
    *out = strtod(text, &end);
    bool whole = end == text + s.n;
    if (text != small)
        mem_free(text);
    return whole;
}

bool num_size(str s, uint64_t *bytes)
{
    static const char units[] = "KMGT";
    double factor = 1, n = 0;
    s = str_trim(s);
    if (s.n > 1 && (s.p[s.n - 1] == 'B' || s.p[s.n - 1] == 'b'))
        s.n--;
    if (s.n > 1 && s.p[s.n - 1] == 'i')
        s.n--;
    for (size_t i = 0; s.n > 1 && units[i]; i++) {
        if ((s.p[s.n - 1] & ~0x20) == units[i]) {
            factor = (double)(UINT64_C(1) << (10 * (i + 1)));
            s.n--;
            break;
        }
    }
    if (!num_real(s, &n) || !isfinite(n) || n < 0 || n * factor > 1e18)
        return false;
    *bytes = (uint64_t)(n * factor);
    return true;
}
