// fields.c - types of fields, and tables of them.
#include "base/text/fields.h"

#include <assert.h>

#include "base/text/num.h"

// --- lists of words --------------------------------------------------------------------
static int find_word(const char *words, str word, bool (*is_same)(str a, str b))
{
    str rest = str_of(words);
    for (int i = 0; rest.n; i++)
        if (is_same(str_cut(&rest, ' '), word))
            return i;
    return -1;
}

int words_find(const char *words, str word)
{
    return find_word(words, word, str_eq);
}

void words_put(const char *words, struct buf *b)
{
    for (str rest = str_of(words); rest.n;) {
        bool is_first = rest.p == words;
        str word = str_cut(&rest, ' ');
        buf_z(b, is_first ? "" : rest.n ? ", " : " or ");
        buf_str(b, word);
    }
}

// --- types -----------------------------------------------------------------------------
static bool parse_text(const struct field *f, str text, void *to)
{
    (void)f;
    *(str *)to = text;
    return true;
}

static bool parse_int(const struct field *f, str text, void *to)
{
    (void)f;
    return num_int(text, to);
}

static bool parse_bits(const struct field *f, str text, void *to)
{
    int64_t v;
    (void)f;
    if (!num_int(text, &v))
        return false;
    // Saturate, so that a value too large for the field is also outside its range.
    *(uint32_t *)to = v < 0 || v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
    return true;
}

static bool parse_real(const struct field *f, str text, void *to)
{
    (void)f;
    return num_real(text, to);
}

static bool parse_u64(const struct field *f, str s, void *to)
{
    (void)f;
    bool is_hex = s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X');
    uint64_t base = is_hex ? 16 : 10, v = 0;
    size_t i = is_hex ? 2 : 0;
    if (i == s.n)
        return false;
    for (; i < s.n; i++) {
        char c = s.p[i];
        uint64_t digit = c >= '0' && c <= '9'             ? (uint64_t)(c - '0')
                         : is_hex && c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a' + 10)
                         : is_hex && c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A' + 10)
                                                          : base;
        if (digit == base || v > (UINT64_MAX - digit) / base)
            return false;
        v = v * base + digit;
    }
    *(uint64_t *)to = v;
    return true;
}

static bool parse_u32(const struct field *f, str text, void *to)
{
    uint64_t v;
    if (!parse_u64(f, text, &v) || v > UINT32_MAX)
        return false;
    *(uint32_t *)to = (uint32_t)v;
    return true;
}

static bool parse_bytes(const struct field *f, str s, void *to)
{
    static const char units[] = "KMG";
    const char *unit = s.n ? memchr(units, s.p[s.n - 1], 3) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    uint64_t v;
    if (!parse_u64(f, (str){s.p, s.n - (unit != NULL)}, &v) || v > UINT64_MAX >> shift)
        return false;
    *(uint64_t *)to = v << shift;
    return true;
}

static bool parse_word(const struct field *f, str text, void *to)
{
    return (*(int *)to = words_find(f->words, text)) >= 0;
}

static bool parse_word_nocase(const struct field *f, str text, void *to)
{
    return (*(int *)to = find_word(f->words, text, str_eq_nocase)) >= 0;
}

static bool parse_switch(const struct field *f, str text, void *to)
{
    int word = words_find(f->words, text);
    *(bool *)to = word == 1;
    return word >= 0;
}

static bool parse_path(const struct field *f, str text, void *to)
{
    (void)f;
    if (text.n == 0 || text.n >= FIELD_PATH)
        return false;
    memcpy(to, text.p, text.n);
    ((char *)to)[text.n] = '\0';
    return true;
}

static double int_number(const void *at)
{
    return (double)*(const int64_t *)at;
}
static double u32_number(const void *at)
{
    return *(const uint32_t *)at;
}
static double u64_number(const void *at)
{
    return (double)*(const uint64_t *)at;
}
static double real_number(const void *at)
{
    return *(const double *)at;
}

static void put_int(const struct field *f, const void *at, struct buf *b)
{
    (void)f;
    num_put_int(b, *(const int64_t *)at);
}

static void put_bits(const struct field *f, const void *at, struct buf *b)
{
    (void)f;
    num_put_int(b, *(const uint32_t *)at);
}

static void put_word(const struct field *f, const void *at, struct buf *b)
{
    str rest = str_of(f->words), word = {0};
    for (int i = 0; i <= *(const int *)at; i++)
        word = str_cut(&rest, ' ');
    buf_str(b, word);
}

// clang-format off
const struct field_type field_text        = {sizeof(str), parse_text, NULL, NULL};
const struct field_type field_int         = {sizeof(int64_t), parse_int, int_number, put_int};
const struct field_type field_bits        = {sizeof(uint32_t), parse_bits, u32_number, put_bits};
const struct field_type field_u32         = {sizeof(uint32_t), parse_u32, u32_number, NULL};
const struct field_type field_u64         = {sizeof(uint64_t), parse_u64, u64_number, NULL};
const struct field_type field_bytes       = {sizeof(uint64_t), parse_bytes, u64_number, NULL};
const struct field_type field_real        = {sizeof(double), parse_real, real_number, NULL};
const struct field_type field_word        = {sizeof(int), parse_word, NULL, put_word};
const struct field_type field_word_nocase = {sizeof(int), parse_word_nocase, NULL, put_word};
const struct field_type field_switch      = {sizeof(bool), parse_switch, NULL, NULL};
const struct field_type field_path        = {FIELD_PATH, parse_path, NULL, NULL};
// clang-format on

// --- a field ---------------------------------------------------------------------------
bool field_is_in_range(const struct field *f, const void *at)
{
    if (!f->type->number || f->least == f->most)
        return true;
    double v = f->type->number(at);
    return v >= f->least && v <= f->most;
}

enum field_result field_read(const struct field *f, str text, void *to)
{
    union {
        char bytes[FIELD_BYTES_MOST];
        uint64_t number;
        double real;
        str view;
    } value = {{0}};
    assert(f->type->bytes <= sizeof value);
    if (!f->type->parse(f, text, &value))
        return FIELD_MALFORMED;
    if (!field_is_in_range(f, &value))
        return FIELD_OUT_OF_RANGE;
    memcpy(to, &value, f->type->bytes);
    return FIELD_OK;
}

void field_put(const struct field *f, const void *at, struct buf *b)
{
    if (f->type->put)
        f->type->put(f, at, b);
}

// --- tables ----------------------------------------------------------------------------
const void *fields_nearest(struct fields table, str name)
{
    const void *best = NULL;
    unsigned best_distance = UINT32_MAX;
    for (size_t i = 0; i < table.n; i++) {
        const struct field *f =
            (const void *)((const char *)table.rows + i * table.row_bytes);
        unsigned d = str_distance(name, str_of(f->name), 64);
        if (d < best_distance) {
            best_distance = d;
            best = f;
        }
    }
    return best;
}

const void *fields_find(struct fields table, str name)
{
    for (size_t i = 0; i < table.n; i++) {
        const struct field *f =
            (const void *)((const char *)table.rows + i * table.row_bytes);
        if (str_is(name, f->name))
            return f;
    }
    return NULL;
}
