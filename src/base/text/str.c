// str.c - searching, cutting and checking text views.
#include "base/text/str.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_eq_nocase(str a, str b)
{
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

int str_cmp(str a, str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

bool str_starts(str s, str head)
{
    return s.n >= head.n && str_eq((str){s.p, head.n}, head);
}

bool str_ends(str s, str tail)
{
    return s.n >= tail.n && str_eq(str_from(s, s.n - tail.n), tail);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

str str_base_name(str path)
{
    const char *slash = path.n ? memrchr(path.p, '/', path.n) : NULL;
    str name = slash ? str_from(path, (size_t)(slash - path.p) + 1) : path;
    return name.n ? name : path;
}

str str_trim(str s)
{
    while (s.n && is_blank(s.p[0]))
        s = (str){s.p + 1, s.n - 1};
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

size_t str_find(str s, str what)
{
    if (what.n == 0)
        return 0;
    if (s.n < what.n)
        return STR_NOT_FOUND;
    const char *hit = memmem(s.p, s.n, what.p, what.n);
    return hit ? (size_t)(hit - s.p) : STR_NOT_FOUND;
}

bool str_has(str s, str what)
{
    return str_find(s, what) != STR_NOT_FOUND;
}

bool str_after(str s, str what, str *rest)
{
    size_t at = str_find(s, what);
    if (at == STR_NOT_FOUND)
        return false;
    *rest = (str){s.p + at + what.n, s.n - at - what.n};
    return true;
}

str str_cut(str *s, char sep)
{
    const char *hit = s->n ? memchr(s->p, sep, s->n) : NULL;
    str head = *s;
    if (!hit) {
        *s = (str){NULL, 0};
        return head;
    }
    head.n = (size_t)(hit - s->p);
    *s = (str){hit + 1, s->n - head.n - 1};
    return head;
}

size_t str_points(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return n;
}

// Length of the sequence a lead byte opens, 0 for a byte that cannot lead, and the range of
// its second byte (narrower than 80..BF where overlong forms, surrogates or values past
// U+10FFFF would hide).
static size_t utf8_lead(unsigned char c, unsigned char *low, unsigned char *high)
{
    *low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    *high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    if (c < 0x80)
        return 1;
    if (c < 0xC2 || c > 0xF4)
        return 0;
    return c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

// Counts the valid bytes of the sequence at `at`, which should have *len; 0 for a byte that
// cannot lead.
static size_t utf8_good(str s, size_t at, size_t *len)
{
    unsigned char low, high;
    size_t n = 1;
    *len = utf8_lead((unsigned char)s.p[at], &low, &high);
    for (; n < *len && at + n < s.n; n++) {
        unsigned char c = (unsigned char)s.p[at + n];
        if (c < (n == 1 ? low : 0x80) || c > (n == 1 ? high : 0xBF))
            break;
    }
    return *len ? n : 0;
}

size_t str_char(str s, size_t at)
{
    size_t len;
    return utf8_good(s, at, &len) == len ? len : 0;
}

size_t str_bad_utf8(str s, size_t at, size_t *tail)
{
    while (at < s.n) {
        if ((unsigned char)s.p[at] < 0x80) {
            at++;
            continue;
        }
        size_t len, good = utf8_good(s, at, &len);
        if (!len || good < len) {
            *tail = at;
            return good && at + good == s.n ? s.n : at;
        }
        at += len;
    }
    *tail = at;
    return at;
}

str str_clip(str s, size_t most)
{
    if (s.n > most) {
        s.n = most;
        while (s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80)
            s.n--;
    }
    return s;
}

unsigned str_distance(str a, str b, unsigned limit)
{
    enum { LONGEST = 63 };
    if (a.n > LONGEST || b.n > LONGEST)
        return limit;
    unsigned row[LONGEST + 1];
    for (size_t j = 0; j <= b.n; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.n; j++) {
            unsigned best = diagonal + (a.p[i - 1] != b.p[j - 1]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[b.n] < limit ? row[b.n] : limit;
}
