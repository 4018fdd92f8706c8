// config.c - the device's configuration: key=value text over defaults, and the checks that
// both the text and a struct filled by hand must pass.
#include <errno.h>
#include <stdio.h>

#include "base/text/num.h"

#include "sim/chips.h"
#include "sim/report/shown.h"

enum key_kind {
    KEY_WORD,   // one of `words`, into an int: its number
    KEY_SWITCH, // off, on
    KEY_COUNT,  // 32-bit whole number
    KEY_LONG,   // 64-bit whole number
    KEY_BYTES,  // the same with K, M, G
    KEY_REAL,
    KEY_MASKS, // lists: one value, or one per device
    KEY_LONGS,
    KEY_REALS,
    KEY_PATH,
    KEY_LINKS, // a word, or file:PATH
    KEY_MODE,  // interp
};

struct key {
    const char *name;
    enum key_kind kind;
    size_t offset;
    const char *const *words;
    double least, most; // equal: any
    size_t is_set;      // lists: offset of the flag
};

static const char *const arch_words[] = {"wormhole", "blackhole", NULL};
static const char *const board_words[] = {"n150", "n300", "galaxy", "p100", "p150", NULL};
static const char *const link_words[] = {"default", "ring",      "line",
                                         "none",    "file:PATH", NULL};
static const char *const clock_words[] = {"det", "warp", NULL};
static const char *const variant_words[] = {"off", "prof", "full", NULL};
static const char *const mode_words[] = {"interp", NULL};
static const char *const switch_words[] = {"off", "on", NULL};
static const char *const quantum_words[] = {"8", "16", "32", NULL};

// A clock that starts above this could wrap in a long run.
#define BOOT_MOST 4611686018427387904.0

#define AT(field) offsetof(ttdev_cfg, field)
// clang-format off
#define WORD(key, field, words)            {key, KEY_WORD, AT(field), words, 0, 0, 0}
#define SWITCH(key, field)                 {key, KEY_SWITCH, AT(field), switch_words, 0, 0, 0}
#define ONE(key, field, kind, least, most) {key, kind, AT(field), NULL, least, most, 0}
#define LIST(key, field, kind, least, most, flag) \
    {key, kind, AT(field), NULL, least, most, AT(flag)}
static const struct key keys[] = {
    WORD("arch",              arch,              arch_words),
    WORD("board",             board,             board_words),
    ONE ("devices",           n_devices,         KEY_COUNT, 1, TTDEV_MAX_CHIPS),
    LIST("harvest",           harvest,           KEY_MASKS, 0, 0x3fff, harvest_is_set),
    {"links", KEY_LINKS, AT(links), link_words, 0, 0, 0},
    ONE ("hz",                hz,                KEY_REAL,  0, 1e11),
    LIST("ppm",               ppm,               KEY_REALS, -10000, 10000, ppm_is_set),
    ONE ("drift_ppm_s",       drift_ppm_s,       KEY_REAL,  -1000, 1000),
    LIST("boot_cycles",       boot_cycles,       KEY_LONGS, 0, BOOT_MOST, boot_is_set),
    ONE ("tile_skew",         tile_skew,         KEY_COUNT, 0, 1000000),
    {"quantum", KEY_COUNT, AT(quantum), quantum_words, 8, 32, 0}, // and see config_check
    ONE ("threads",           threads,           KEY_COUNT, 1, 256),
    WORD("clockmode",         clock_mode,        clock_words),
    ONE ("host_read_ns",      host_read_ns,      KEY_COUNT, 0, 1e9),
    ONE ("host_write_ns",     host_write_ns,     KEY_COUNT, 0, 1e9),
    ONE ("host_jitter_ns",    host_jitter_ns,    KEY_COUNT, 0, 1e9),
    ONE ("host_bytes_per_ns", host_bytes_per_ns, KEY_REAL,  1e-3, 1e6),
    ONE ("seed",              seed,              KEY_LONG,  0, 0),
    {"costs", KEY_PATH, AT(costs_file), NULL, 0, 0, 0},
    WORD("variant",           variant,           variant_words),
    SWITCH("numerics",        numerics),
    {"mode", KEY_MODE, 0, mode_words, 0, 0, 0}, // no field: there is one mode
    SWITCH("strict",          strict),
    SWITCH("icache",          icache),
    SWITCH("l0",              l0),
    SWITCH("poison",          poison),
    SWITCH("park",            park),
    ONE ("dram_cap",          dram_cap,          KEY_BYTES, 0, 0),
    ONE ("region_bytes",      region_bytes,      KEY_COUNT, 2064, 1 << 30), // see config_check
    ONE ("region_buffers",    region_buffers,    KEY_COUNT, 1, 2),
};
// clang-format on
enum { KEYS = sizeof keys / sizeof *keys };

// One text being read.
struct config {
    ttdev_cfg cfg;
    bool is_given[KEYS];
    int n_values[KEYS]; // lists
    struct err *e;
};

void ttdev_cfg_default(ttdev_cfg *cfg)
{
    *cfg = (ttdev_cfg){
        .arch = TT_WORMHOLE,
        .board = TTDEV_N150,
        .n_devices = 1,
        .quantum = 32,
        .threads = 1,
        .clock_mode = TTDEV_DET,
        .host_read_ns = 1200,
        .host_write_ns = 400,
        .host_jitter_ns = 150,
        .host_bytes_per_ns = 8,
        .seed = 1,
        .variant = TTDEV_OFF,
        .numerics = true,
        .strict = true,
        .park = true,
        .region_bytes = 48 * 1000, // 1000 programs without markers of their own
        .region_buffers = 1,
    };
}

// --- values ----------------------------------------------------------------------------
// "a, b or c"
static void put_words(char *out, size_t bytes, const char *const *words)
{
    size_t n = 0;
    for (size_t i = 0; words[i] && n < bytes; i++) {
        const char *gap = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        n += (size_t)snprintf(out + n, bytes - n, "%s%s", gap, words[i]);
    }
}

// What a key takes, in words.
static void put_expected(char *out, size_t bytes, const struct key *key)
{
    static const char *const nouns[KEY_MODE + 1] = {
        [KEY_COUNT] = "a whole number",
        [KEY_LONG] = "a whole number, decimal or 0x..",
        [KEY_BYTES] = "a number of bytes such as 4096, 64K, 512M or 2G",
        [KEY_REAL] = "a number",
        [KEY_MASKS] = "a mask, or one per device with ':' between,",
        [KEY_LONGS] = "a whole number, or one per device with ':' between,",
        [KEY_REALS] = "a number, or one per device with ':' between,",
        [KEY_PATH] = "a path of at most 255 bytes",
    };
    if (key->words)
        put_words(out, bytes, key->words);
    else if (key->kind == KEY_MASKS)
        (void)snprintf(out, bytes, "%s up to 0x%x", nouns[key->kind], (unsigned)key->most);
    else if (key->most > 0)
        (void)snprintf(out, bytes, "%s from %.15g to %.15g", nouns[key->kind], key->least,
                       key->most);
    else
        (void)snprintf(out, bytes, "%s", nouns[key->kind]);
}

static bool bad_value(struct config *c, const struct key *key, str value)
{
    char expected[160] = "";
    put_expected(expected, sizeof expected, key);
    return err_set(c->e, ERR_USAGE, "%s=%s: expected %s", key->name, shown_of(value).text,
                   expected);
}

// Decimal or 0x..; nothing else around it.
static bool parse_long(str s, uint64_t *out)
{
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
    *out = v;
    return true;
}

static bool parse_bytes(str s, uint64_t *out)
{
    static const char units[] = "KMG";
    const char *unit = s.n ? memchr(units, s.p[s.n - 1], 3) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    uint64_t v;
    if (!parse_long((str){s.p, s.n - (unit != NULL)}, &v) || v > UINT64_MAX >> shift)
        return false;
    *out = v << shift;
    return true;
}

static bool parse_word(str s, const char *const *words, int *out)
{
    for (int i = 0; words[i]; i++)
        if (str_is(s, words[i])) {
            *out = i;
            return true;
        }
    return false;
}

// NaN is in no range.
static bool in_range(const struct key *key, double v)
{
    return key->least == key->most || (v >= key->least && v <= key->most);
}

// --- setting a field -------------------------------------------------------------------
static bool set_number(const struct key *key, str value, void *field)
{
    uint64_t v;
    double real;
    uint32_t narrow;
    switch (key->kind) {
    case KEY_REAL:
    case KEY_REALS:
        if (!num_real(value, &real) || !in_range(key, real))
            return false;
        memcpy(field, &real, sizeof real);
        return true;
    case KEY_BYTES:
        if (!parse_bytes(value, &v))
            return false;
        memcpy(field, &v, sizeof v);
        return true;
    default: break;
    }
    if (!parse_long(value, &v) || !in_range(key, (double)v))
        return false;
    narrow = (uint32_t)v;
    if (key->kind == KEY_COUNT || key->kind == KEY_MASKS)
        memcpy(field, &narrow, sizeof narrow);
    else
        memcpy(field, &v, sizeof v);
    return true;
}

// One value for all devices, or one for each.
static bool set_list(struct config *c, const struct key *key, str value)
{
    size_t size = key->kind == KEY_MASKS ? sizeof(uint32_t) : sizeof(uint64_t);
    unsigned char *field = (unsigned char *)&c->cfg + key->offset;
    int n = 0;
    for (bool has_more = true; has_more; n++) {
        has_more = str_has(value, S(":"));
        str one = str_cut(&value, ':');
        if (n == TTDEV_MAX_CHIPS || !set_number(key, one, field + size * (size_t)n))
            return false;
    }
    // So that one value serves all, however many devices a later key asks for.
    for (int i = n; i < TTDEV_MAX_CHIPS; i++)
        memcpy(field + size * (size_t)i, field + size * (size_t)(n - 1), size);
    c->n_values[key - keys] = n;
    memcpy((unsigned char *)&c->cfg + key->is_set, &(bool){true}, sizeof(bool));
    return true;
}

static bool set_path(char field[256], str value)
{
    if (value.n == 0 || value.n > 255)
        return false;
    memcpy(field, value.p, value.n);
    field[value.n] = '\0';
    return true;
}

static bool set_links(ttdev_cfg *cfg, str value)
{
    str path;
    if (str_starts(value, S("file:")) && str_after(value, S("file:"), &path)) {
        cfg->links = TTDEV_LINKS_FILE;
        return set_path(cfg->links_file, path);
    }
    return parse_word(value, link_words, &cfg->links) && cfg->links != TTDEV_LINKS_FILE;
}

static bool set_mode(struct config *c, str value)
{
    if (str_is(value, "native"))
        (void)err_set(c->e, ERR_USAGE, "mode=native: not built; use mode=interp");
    return str_is(value, "interp");
}

static bool set_key(struct config *c, const struct key *key, str value)
{
    unsigned char *field = (unsigned char *)&c->cfg + key->offset;
    int word;
    switch (key->kind) {
    case KEY_WORD:
        if (!parse_word(value, key->words, &word))
            return false;
        memcpy(field, &word, sizeof word);
        return true;
    case KEY_SWITCH:
        if (!parse_word(value, key->words, &word))
            return false;
        memcpy(field, &(bool){word != 0}, sizeof(bool));
        return true;
    case KEY_MASKS:
    case KEY_LONGS:
    case KEY_REALS: return set_list(c, key, value);
    case KEY_PATH: return set_path((char *)field, value);
    case KEY_LINKS: return set_links(&c->cfg, value);
    case KEY_MODE: return set_mode(c, value);
    default: return set_number(key, value, field);
    }
}

// --- the text --------------------------------------------------------------------------
// Some key is always the nearest: a far-fetched hint still shows what keys look like.
static const struct key *find_key(struct config *c, str name)
{
    const struct key *best = NULL;
    unsigned best_distance = UINT32_MAX;
    for (size_t i = 0; i < KEYS; i++) {
        unsigned d = str_distance(name, str_of(keys[i].name), 64);
        if (d < best_distance) {
            best_distance = d;
            best = &keys[i];
        }
    }
    if (best_distance == 0)
        return best;
    (void)err_set(c->e, ERR_USAGE, "unknown key '%s'; did you mean '%s'?",
                  shown_of(name).text, best->name);
    return NULL;
}

static bool read_pair(struct config *c, str pair)
{
    str value = pair;
    str name = str_cut(&value, '=');
    if (name.n == pair.n) {
        return err_set(c->e, ERR_USAGE, "expected key=value, found '%s'",
                       shown_of(pair).text);
    }
    const struct key *key = find_key(c, name);
    if (!key)
        return false;
    if (!set_key(c, key, value))
        return c->e->code ? false : bad_value(c, key, value);
    c->is_given[key - keys] = true;
    return true;
}

static bool is_gap(char c)
{
    return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

static bool read_text(struct config *c, const char *text)
{
    for (const char *p = text; *p;) {
        const char *start = p;
        while (*p && !is_gap(*p))
            p++;
        if (p > start && !read_pair(c, (str){start, (size_t)(p - start)}))
            return false;
        while (is_gap(*p))
            p++;
    }
    return true;
}

static bool is_given(const struct config *c, const char *name)
{
    for (size_t i = 0; i < KEYS; i++)
        if (strcmp(keys[i].name, name) == 0)
            return c->is_given[i];
    return false;
}

// What a board implies; what an arch implies when no board is named.
static bool imply(struct config *c, const ttdev_cfg *before)
{
    ttdev_cfg *cfg = &c->cfg;
    bool has_arch = is_given(c, "arch");
    if (is_given(c, "board")) {
        const struct board *board = chip_board(cfg->board);
        if (has_arch && cfg->arch != board->chip) {
            return err_set(c->e, ERR_USAGE, "board=%s is a %s board, not arch=%s",
                           board->name, arch_words[board->chip], arch_words[cfg->arch]);
        }
    } else if (has_arch && cfg->arch != chip_board(before->board)->chip) {
        cfg->board = cfg->arch == TT_WORMHOLE ? TTDEV_N150 : TTDEV_P150;
    }
    cfg->arch = chip_board(cfg->board)->chip;
    if (cfg->board == before->board && !is_given(c, "board"))
        return true;
    if (!is_given(c, "devices"))
        cfg->n_devices = chip_board(cfg->board)->n_devices;
    if (!is_given(c, "harvest"))
        cfg->harvest_is_set = false; // a mask belongs to the board it was given for
    return true;
}

// Only now: `devices` may stand behind the list.
static bool check_lists(struct config *c)
{
    for (size_t i = 0; i < KEYS; i++)
        if (c->n_values[i] > 1 && c->n_values[i] != c->cfg.n_devices) {
            return err_set(c->e, ERR_USAGE, "%s: %d values for %d device%s", keys[i].name,
                           c->n_values[i], c->cfg.n_devices,
                           c->cfg.n_devices == 1 ? "" : "s");
        }
    return true;
}

// All or nothing: a text with a mistake changes nothing.
int ttdev_cfg_parse(ttdev_cfg *cfg, const char *text, struct err *e)
{
    *e = (struct err){0};
    struct config c = {.cfg = *cfg, .e = e};
    if (!read_text(&c, text) || !imply(&c, cfg) || !check_lists(&c) ||
        !config_check(&c.cfg, e))
        return -EINVAL;
    *cfg = c.cfg;
    return 0;
}

// --- a whole configuration -------------------------------------------------------------
static bool check_harvest(const ttdev_cfg *cfg, struct err *e)
{
    const struct die *die = &arch_of_device(cfg->arch)->die;
    bool by_row = die->harvest == DIE_ROWS_OFF;
    unsigned lines = (unsigned)(by_row ? die->rows.n : die->columns.n);
    const char *what = by_row ? "rows" : "columns";
    unsigned all = (1u << lines) - 1;
    for (int i = 0; i < cfg->n_devices; i++)
        if (cfg->harvest[i] >= all) {
            return err_set(
                e, ERR_USAGE,
                "harvest=0x%x: %s has %u %s, of which one must be left: expected "
                "a mask below 0x%x",
                (unsigned)cfg->harvest[i], arch_words[cfg->arch], lines, what, all);
        }
    return true;
}

// Masks and bytes are left out: they are checked by themselves, or may be anything.
static bool number_is_good(const struct key *key, const unsigned char *field, int n_devices)
{
    bool is_list = key->kind == KEY_LONGS || key->kind == KEY_REALS;
    for (int i = 0; i < (is_list ? n_devices : 1); i++) {
        uint32_t narrow;
        uint64_t wide;
        double real = 0;
        if (key->kind == KEY_COUNT) {
            memcpy(&narrow, field, sizeof narrow);
            real = narrow;
        } else if (key->kind == KEY_LONGS) {
            memcpy(&wide, field + sizeof wide * (size_t)i, sizeof wide);
            real = (double)wide;
        } else {
            memcpy(&real, field + sizeof real * (size_t)i, sizeof real);
        }
        if (!in_range(key, real))
            return false;
    }
    return true;
}

static bool word_is_good(const struct key *key, const unsigned char *field)
{
    int word, n = 0;
    memcpy(&word, field, sizeof word);
    while (key->words[n])
        n++;
    return word >= 0 && word < n;
}

static bool key_is_good(const struct key *key, const ttdev_cfg *cfg)
{
    const unsigned char *field = (const unsigned char *)cfg + key->offset;
    switch (key->kind) {
    case KEY_WORD:
    case KEY_LINKS: return word_is_good(key, field);
    case KEY_COUNT:
    case KEY_REAL: return number_is_good(key, field, 1);
    case KEY_LONGS:
    case KEY_REALS: {
        bool is_set;
        memcpy(&is_set, (const unsigned char *)cfg + key->is_set, sizeof is_set);
        return !is_set || number_is_good(key, field, cfg->n_devices);
    }
    default: return true;
    }
}

bool config_check(const ttdev_cfg *cfg, struct err *e)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!key_is_good(&keys[i], cfg)) {
            char expected[160] = "";
            put_expected(expected, sizeof expected, &keys[i]);
            return err_set(e, ERR_USAGE, "%s: expected %s", keys[i].name, expected);
        }
    if (cfg->quantum != 8 && cfg->quantum != 16 && cfg->quantum != 32) {
        return err_set(e, ERR_USAGE, "quantum=%u: expected 8, 16 or 32", cfg->quantum);
    }
    if (cfg->region_bytes % 16) {
        return err_set(e, ERR_USAGE, "region_bytes=%u: expected a multiple of 16",
                       (unsigned)cfg->region_bytes);
    }
    const struct board *board = chip_board(cfg->board);
    if (cfg->arch != board->chip) {
        return err_set(e, ERR_USAGE, "board=%s is a %s board, not arch=%s", board->name,
                       arch_words[board->chip], arch_words[cfg->arch]);
    }
    if (cfg->hz > 0 && cfg->hz < 1e6) {
        return err_set(e, ERR_USAGE, "hz=%g: expected 0 (nominal) or 1e6 to 1e11", cfg->hz);
    }
    return !cfg->harvest_is_set || check_harvest(cfg, e);
}
