// config.c - device configuration: key=value text applied to defaults, and the checks
// that apply to both text and hand-filled structs.
#include <errno.h>
#include <stdio.h>

#include "base/text/fields.h"
#include "base/text/num.h"

#include "sim/chips.h"
#include "sim/report/shown.h"
#include "ttprof/dispatch_words.h"

struct key {
    struct field field; // no type: set_mode
    const char *noun;   // what the value is, if not a list of words
    size_t is_set;      // lists: offset of the is_set flag
};

// A clock starting above this could wrap in a long run.
#define BOOT_MOST 4611686018427387904.0

#define AT(at) offsetof(ttdev_cfg, at)
// clang-format off
#define WORD(name, at, words)        {{name, &field_word, AT(at), 0, 0, words}, NULL, 0}
#define SWITCH(name, at)             {{name, &field_switch, AT(at), 0, 0, "off on"}, NULL, 0}
#define COUNT(name, at, least, most) {{name, &field_u32, AT(at), least, most, NULL}, "an integer", 0}
#define REAL(name, at, least, most)  {{name, &field_real, AT(at), least, most, NULL}, "a number", 0}
#define OTHER(name, at, type, noun)  {{name, type, AT(at), 0, 0, NULL}, noun, 0}
#define LIST(name, at, type, least, most, noun, flag) \
    {{name, type, AT(at), least, most, NULL}, noun ", or one per device separated by ':',", AT(flag)}
static const struct key keys[] = {
    WORD("arch",              arch,              ARCH_WORDS),
    WORD("board",             board,             BOARD_WORDS),
    COUNT("devices",          n_devices,         1, TTDEV_MAX_CHIPS),
    LIST("harvest",           harvest,           &field_u32, 0, 0x3fff, "a mask", harvest_is_set),
    WORD("links",             links,             "default ring line none file:PATH"),
    REAL("hz",                hz,                0, 1e11),
    LIST("ppm",               ppm,               &field_real, -10000, 10000, "a number", ppm_is_set),
    REAL("drift_ppm_s",       drift_ppm_s,       -1000, 1000),
    LIST("boot_cycles",       boot_cycles,       &field_u64, 0, BOOT_MOST, "an integer", boot_is_set),
    COUNT("tile_skew",        tile_skew,         0, 1000000),
    {{"quantum", &field_u32, AT(quantum), 8, 32, "8 16 32"}, NULL, 0}, // see config_check
    COUNT("threads",          threads,           1, 256),
    WORD("clockmode",         clock_mode,        "det warp"),
    COUNT("host_read_ns",     host_read_ns,      0, 1e9),
    COUNT("host_write_ns",    host_write_ns,     0, 1e9),
    COUNT("host_jitter_ns",   host_jitter_ns,    0, 1e9),
    REAL("host_bytes_per_ns", host_bytes_per_ns, 1e-3, 1e6),
    WORD("dispatch",          dispatch,          "auto fast slow"),
    COUNT("cqs",              cqs,               1, TT_QUEUES),
    COUNT("ring_bytes",       ring_bytes,        4096, 98304), // see config_check
    COUNT("host_enqueue_ns",  host_enqueue_ns,   0, 1e9),
    COUNT("host_poll_ns",     host_poll_ns,      1, 1e9),
    REAL("host_copy_bytes_per_ns", host_copy_bytes_per_ns, 1e-3, 1e6),
    OTHER("seed",             seed,              &field_u64, "an integer, decimal or 0x.."),
    OTHER("costs",            costs_file,        &field_path, "a path of at most 255 bytes"),
    WORD("variant",           variant,           "off prof full"),
    SWITCH("numerics",        numerics),
    {{"mode", NULL, 0, 0, 0, "interp"}, NULL, 0}, // no field: there is only one mode
    SWITCH("strict",          strict),
    SWITCH("icache",          icache),
    SWITCH("l0",              l0),
    SWITCH("poison",          poison),
    SWITCH("park",            park),
    OTHER("dram_cap",         dram_cap,          &field_bytes, "a number of bytes such as 4096, 64K, 512M or 2G"),
    COUNT("region_bytes",     region_bytes,      2064, 1 << 30), // see config_check
    COUNT("region_buffers",   region_buffers,    1, 2),
};
// clang-format on
enum { KEYS = sizeof keys / sizeof *keys };

// State while one text is read.
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
        .cqs = 1,
        .ring_bytes = 69 << 10,
        .host_enqueue_ns = 1500,
        .host_poll_ns = 200,
        .host_copy_bytes_per_ns = 10,
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
static bool bad_value(const struct key *key, const char *value, struct err *e)
{
    const struct field *f = &key->field;
    struct buf expected = {0};
    if (f->words)
        words_put(f->words, &expected);
    else
        buf_z(&expected, key->noun);
    if (!f->words && f->type == &field_u32 && key->is_set)
        buf_printf(&expected, " up to 0x%x", (unsigned)f->most);
    else if (!f->words && f->most > 0)
        buf_printf(&expected, " from %.15g to %.15g", f->least, f->most);
    (void)err_set(e, ERR_USAGE, "%s%s: expected %.*s", f->name, value, STR(expected));
    buf_free(&expected);
    return false;
}

// One value for all devices, or one per device.
static bool set_list(struct config *c, const struct key *key, str value)
{
    size_t size = key->field.type->bytes;
    unsigned char *field = field_of(&key->field, &c->cfg);
    int n = 0;
    for (bool has_more = true; has_more; n++) {
        has_more = str_has(value, S(":"));
        str one = str_cut(&value, ':');
        if (n == TTDEV_MAX_CHIPS ||
            field_read(&key->field, one, field + size * (size_t)n) != FIELD_OK)
            return false;
    }
    // A single value must hold for all devices, even if a later key raises their number.
    for (int i = n; i < TTDEV_MAX_CHIPS; i++)
        memcpy(field + size * (size_t)i, field + size * (size_t)(n - 1), size);
    c->n_values[key - keys] = n;
    *(bool *)((char *)&c->cfg + key->is_set) = true;
    return true;
}

// A word or file:PATH.
static bool set_links(ttdev_cfg *cfg, const struct field *f, str value)
{
    str path;
    if (str_starts(value, S("file:")) && str_after(value, S("file:"), &path)) {
        cfg->links = TTDEV_LINKS_FILE;
        return field_path.parse(f, path, cfg->links_file);
    }
    return field_read(f, value, &cfg->links) == FIELD_OK && cfg->links != TTDEV_LINKS_FILE;
}

static bool set_mode(struct config *c, str value)
{
    if (str_is(value, "native"))
        (void)err_set(c->e, ERR_USAGE, "mode=native: not available; use mode=interp");
    return str_is(value, "interp");
}

static bool set_key(struct config *c, const struct key *key, str value)
{
    void *field = field_of(&key->field, &c->cfg);
    if (!key->field.type)
        return set_mode(c, value);
    if (field == &c->cfg.links)
        return set_links(&c->cfg, &key->field, value);
    if (key->is_set)
        return set_list(c, key, value);
    return field_read(&key->field, value, field) == FIELD_OK;
}

// --- the text --------------------------------------------------------------------------
static bool read_pair(struct config *c, str pair)
{
    str value = pair;
    str name = str_cut(&value, '=');
    if (name.n == pair.n)
        return err_set(c->e, ERR_USAGE, "expected key=value, found '%s'",
                       shown_of(pair).text);
    // There is always a nearest key: even a far-fetched hint shows what keys look like.
    const struct key *key = fields_nearest(FIELDS(keys), name);
    if (!str_is(name, key->field.name))
        return err_set(c->e, ERR_USAGE, "unknown key '%s'; did you mean '%s'?",
                       shown_of(name).text, key->field.name);
    char shown[64];
    (void)snprintf(shown, sizeof shown, "=%s", shown_of(value).text);
    if (!set_key(c, key, value))
        return c->e->code ? false : bad_value(key, shown, c->e);
    c->is_given[key - keys] = true;
    return true;
}

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

static bool read_text(struct config *c, const char *text)
{
    for (const char *p = text; *p;) {
        const char *start = p;
        while (*p && !is_separator(*p))
            p++;
        if (p > start && !read_pair(c, (str){start, (size_t)(p - start)}))
            return false;
        while (is_separator(*p))
            p++;
    }
    return true;
}

static bool is_given(const struct config *c, const char *name)
{
    const struct key *key = fields_find(FIELDS(keys), str_of(name));
    return c->is_given[key - keys];
}

static bool check_board(const ttdev_cfg *cfg, struct err *e)
{
    const struct board *board = chip_board(cfg->board);
    return cfg->arch == board->chip ||
           err_set(e, ERR_USAGE, "board=%s is a %.*s board, not arch=%.*s", board->name,
                   STR(arch_of_device(board->chip)->name),
                   STR(arch_of_device(cfg->arch)->name));
}

// Fills in what a board implies, or what an arch implies if no board is named.
static bool apply_implied(struct config *c, const ttdev_cfg *before)
{
    ttdev_cfg *cfg = &c->cfg;
    bool has_arch = is_given(c, "arch");
    if (is_given(c, "board")) {
        if (has_arch && !check_board(cfg, c->e))
            return false;
    } else if (has_arch && cfg->arch != chip_board(before->board)->chip) {
        cfg->board = cfg->arch == TT_WORMHOLE ? TTDEV_N150 : TTDEV_P150;
    }
    cfg->arch = chip_board(cfg->board)->chip;
    if (cfg->board == before->board && !is_given(c, "board"))
        return true;
    if (!is_given(c, "devices"))
        cfg->n_devices = chip_board(cfg->board)->n_devices;
    if (!is_given(c, "harvest"))
        cfg->harvest_is_set = false; // a mask is only valid for the board it was given for
    return true;
}

// Checked last: `devices` may follow the list.
static bool check_lists(struct config *c)
{
    for (size_t i = 0; i < KEYS; i++)
        if (c->n_values[i] > 1 && c->n_values[i] != c->cfg.n_devices) {
            return err_set(c->e, ERR_USAGE, "%s: %d values for %d device%s",
                           keys[i].field.name, c->n_values[i], c->cfg.n_devices,
                           c->cfg.n_devices == 1 ? "" : "s");
        }
    return true;
}

// All or nothing: a text with an error changes nothing.
int ttdev_cfg_parse(ttdev_cfg *cfg, const char *text, struct err *e)
{
    *e = (struct err){0};
    struct config c = {.cfg = *cfg, .e = e};
    if (!read_text(&c, text) || !apply_implied(&c, cfg) || !check_lists(&c) ||
        !config_check(&c.cfg, e))
        return -EINVAL;
    *cfg = c.cfg;
    return 0;
}

// --- visible chips ---------------------------------------------------------------------
static bool add_visible(ttdev_cfg *cfg, int chip)
{
    int at = cfg->n_visible;
    if (at == TTDEV_MAX_CHIPS)
        return false;
    for (; at > 0 && cfg->visible[at - 1] > chip; at--)
        cfg->visible[at] = cfg->visible[at - 1];
    cfg->visible[at] = chip;
    cfg->n_visible++;
    return at == 0 || cfg->visible[at - 1] != chip;
}

int ttdev_cfg_visible(ttdev_cfg *cfg, const char *list, struct err *e)
{
    cfg->n_visible = 0;
    for (str rest = str_of(list ? list : ""); str_trim(rest).n;) {
        str one = str_trim(str_cut(&rest, ','));
        int64_t chip;
        if (num_int(one, &chip) && chip >= 0 && chip < TTDEV_MAX_CHIPS &&
            add_visible(cfg, (int)chip))
            continue;
        cfg->n_visible = 0;
        (void)err_set(
            e, ERR_USAGE,
            "TT_VISIBLE_DEVICES=%s: expected a comma-separated list of chips from 0 to %d, each once",
            shown_of(str_of(list)).text, TTDEV_MAX_CHIPS - 1);
        return -EINVAL;
    }
    return 0;
}

// --- dispatch --------------------------------------------------------------------------
// Whether some chip has a single row or column left, which dispatch cores would take.
static bool has_one_line(const ttdev_cfg *cfg)
{
    const struct die *die = &arch_of_device(cfg->arch)->die;
    int lines = (int)(die->harvest == DIE_ROWS_OFF ? die->rows.n : die->columns.n);
    for (int i = 0; cfg->harvest_is_set && i < cfg->n_devices; i++)
        if (__builtin_popcount(cfg->harvest[i]) + 1 >= lines)
            return true;
    return false;
}

void ttdev_cfg_choose_dispatch(ttdev_cfg *cfg, const char *slow_mode)
{
    if (cfg->dispatch != TTDEV_DISPATCH_AUTO)
        return;
    bool is_slow = slow_mode || cfg->poison || has_one_line(cfg);
    cfg->dispatch = is_slow ? TTDEV_DISPATCH_SLOW : TTDEV_DISPATCH_FAST;
}

bool config_is_fast(const ttdev_cfg *cfg)
{
    return cfg->dispatch == TTDEV_DISPATCH_FAST;
}

// --- a whole configuration -------------------------------------------------------------
static bool check_harvest(const ttdev_cfg *cfg, struct err *e)
{
    const struct arch *arch = arch_of_device(cfg->arch);
    const struct die *die = &arch->die;
    bool by_row = die->harvest == DIE_ROWS_OFF;
    unsigned lines = (unsigned)(by_row ? die->rows.n : die->columns.n);
    const char *what = by_row ? "rows" : "columns";
    unsigned all = (1u << lines) - 1;
    for (int i = 0; i < cfg->n_devices; i++) {
        if (cfg->harvest[i] >= all)
            return err_set(
                e, ERR_USAGE,
                "harvest=0x%x: %.*s has %u %s and must keep one: expected a mask below 0x%x",
                (unsigned)cfg->harvest[i], STR(arch->name), lines, what, all);
        if (config_is_fast(cfg) &&
            (unsigned)__builtin_popcount(cfg->harvest[i]) + 1 == lines)
            return err_set(
                e, ERR_USAGE,
                "harvest=0x%x: dispatch=fast takes the last of the %u %s of %.*s",
                (unsigned)cfg->harvest[i], lines, what, STR(arch->name));
    }
    return true;
}

static bool word_is_good(const struct field *f, int word)
{
    int n = 0;
    for (str rest = str_of(f->words); rest.n; n++)
        (void)str_cut(&rest, ' ');
    return word >= 0 && word < n;
}

// All keys except harvest masks, which check_harvest covers.
static bool key_is_good(const struct key *key, const ttdev_cfg *cfg)
{
    const struct field *f = &key->field;
    const char *at = (const char *)cfg + f->at;
    if (f->type == &field_word)
        return word_is_good(f, *(const int *)at);
    if (!key->is_set)
        return !f->type || field_is_in_range(f, at);
    bool is_set = *(const bool *)((const char *)cfg + key->is_set);
    int n = is_set && f->type != &field_u32 ? cfg->n_devices : 0;
    for (int i = 0; i < n; i++)
        if (!field_is_in_range(f, at + f->type->bytes * (size_t)i))
            return false;
    return true;
}

static bool check_dispatch(const ttdev_cfg *cfg, struct err *e)
{
    if (cfg->ring_bytes % 16)
        return err_set(e, ERR_USAGE, "ring_bytes=%u: expected a multiple of 16",
                       (unsigned)cfg->ring_bytes);
    if (cfg->cqs > 1 && cfg->dispatch == TTDEV_DISPATCH_SLOW)
        return err_set(e, ERR_USAGE, "cqs=%u: dispatch=slow has no command queues",
                       (unsigned)cfg->cqs);
    return !cfg->poison || !config_is_fast(cfg) ||
           err_set(
               e, ERR_USAGE,
               "poison=on: not with dispatch=fast, which writes the next programs to L1 "
               "while one runs");
}

bool config_check(const ttdev_cfg *cfg, struct err *e)
{
    for (size_t i = 0; i < KEYS; i++)
        if (!key_is_good(&keys[i], cfg))
            return bad_value(&keys[i], "", e);
    if (cfg->quantum != 8 && cfg->quantum != 16 && cfg->quantum != 32)
        return err_set(e, ERR_USAGE, "quantum=%u: expected 8, 16 or 32", cfg->quantum);
    if (cfg->region_bytes % 16)
        return err_set(e, ERR_USAGE, "region_bytes=%u: expected a multiple of 16",
                       (unsigned)cfg->region_bytes);
    if (!check_board(cfg, e) || !check_dispatch(cfg, e))
        return false;
    if (cfg->hz > 0 && cfg->hz < 1e6)
        return err_set(e, ERR_USAGE, "hz=%g: expected 0 (nominal) or 1e6 to 1e11", cfg->hz);
    int last = cfg->n_visible ? cfg->visible[cfg->n_visible - 1] : 0;
    if (last >= cfg->n_devices)
        return err_set(e, ERR_USAGE, "TT_VISIBLE_DEVICES: no chip %d: the board has %d",
                       last, cfg->n_devices);
    return !cfg->harvest_is_set || check_harvest(cfg, e);
}
