// delays_environment.c - debug delays requested through environment variables.
//
// TT_METAL_WATCHER_DEBUG_DELAY has the cycles; for each of READ, WRITE and ATOMIC there are
// variables that choose cores, RISCs and chips. All are read and checked before anything is
// set.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text/buf.h"
#include "base/text/num.h"

#include "sim/cluster.h"
#include "sim/dispatch/cores.h"
#include "sim/tile/delays.h"

#define CYCLES_NAME  "TT_METAL_WATCHER_DEBUG_DELAY"
#define WATCHER_NAME "TT_METAL_WATCHER"
enum { KINDS = 3, NAME_BYTES = 80 };
static const char *const kind_names[KINDS] = {"READ", "WRITE", "ATOMIC"};

struct rectangle {
    ttdev_xy from, to; // inclusive
};
struct rectangles {
    struct rectangle *v;
    size_t n, cap;
};

enum core_kind { CORES_WORKERS, CORES_ETH, CORES_DISPATCH, CORE_KINDS };
static const char *const core_kind_names[CORE_KINDS] = {"CORES", "ETH_CORES",
                                                        "DISPATCH_CORES"};

// The request for one kind of command.
struct request {
    struct rectangles cores[CORE_KINDS];
    char name[CORE_KINDS][NAME_BYTES]; // of the variables
    unsigned worker_riscs, eth_riscs;  // bit per RISC; worker_riscs: dispatch cores, too
    uint32_t chips;                    // bit per chip
};

struct reading {
    struct ttdev *t;
    const char *const *environment;
    struct buf log;
    struct err *e;
    bool is_wrong;
};

static void wrong(struct reading *r, const char *what, str value)
{
    if (!r->is_wrong)
        (void)err_set(r->e, ERR_USAGE, "%s: \"%.*s\"", what, STR(str_clip(value, 100)));
    r->is_wrong = true;
}

static str look_up(const struct reading *r, const char *name)
{
    size_t n = strlen(name);
    for (const char *const *e = r->environment; e && *e; e++)
        if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
            return str_of(*e + n + 1);
    return (str){NULL, 0};
}

static str look_up_kind(const struct reading *r, int kind, const char *what,
                        char name[NAME_BYTES])
{
    (void)snprintf(name, NAME_BYTES, "TT_METAL_%s_DEBUG_DELAY_%s", kind_names[kind], what);
    return look_up(r, name);
}

// --- list items ------------------------------------------------------------------------
static bool skip_char(str *s, char c)
{
    while (s->n && *s->p == ' ')
        *s = str_from(*s, 1);
    if (s->n == 0 || *s->p != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static bool is_digit(str s)
{
    return s.n && *s.p >= '0' && *s.p <= '9';
}

static bool take_number(str *s, int *number)
{
    enum { MOST = 1000000 };
    if (!is_digit(*s))
        return false;
    for (*number = 0; is_digit(*s); *s = str_from(*s, 1))
        if (*number < MOST)
            *number = *number * 10 + (*s->p - '0');
    return true;
}

static bool take_pair(str *s, ttdev_xy *pair)
{
    return take_number(s, &pair->x) && skip_char(s, ',') && take_number(s, &pair->y);
}

static bool take_corner(str *s, ttdev_xy *corner)
{
    return skip_char(s, '(') && take_pair(s, corner) && skip_char(s, ')');
}

// "x,y" (what follows is ignored), "(x,y)-(x,y)" or "(x,y),(x,y),...".
static bool read_cores(str s, struct rectangles *cores)
{
    struct rectangle r;
    if (is_digit(s)) {
        if (!take_pair(&s, &r.from))
            return false;
        r.to = r.from;
        vec_push(cores, r);
        return true;
    }
    do {
        if (!take_corner(&s, &r.from))
            return false;
        r.to = r.from;
        bool is_range = cores->n == 0 && skip_char(&s, '-');
        if (is_range && !take_corner(&s, &r.to))
            return false;
        vec_push(cores, r);
        if (is_range)
            break;
    } while (skip_char(&s, ','));
    return s.n == 0;
}

// --- the variables of one kind ---------------------------------------------------------
static void read_core_variable(struct reading *r, int kind, const char *what,
                               struct rectangles *cores, char name[NAME_BYTES])
{
    str value = look_up_kind(r, kind, what, name);
    char text[NAME_BYTES + 16];
    if (!value.p)
        return;
    if (str_is(value, "all") || str_is(value, "worker") || str_is(value, "dispatch")) {
        buf_printf(&r->log, "%s=%.*s selects nothing: debug delays take explicit cores\n",
                   name, STR(value));
        return;
    }
    (void)snprintf(text, sizeof text, "Invalid %s", name);
    if (!read_cores(value, cores))
        wrong(r, text, value);
}

// Kinds of cores the software device lacks; the syntax is checked all the same.
static void read_missing_cores(struct reading *r, int kind, const char *what)
{
    struct rectangles cores = {0};
    char name[NAME_BYTES];
    read_core_variable(r, kind, what, &cores, name);
    if (cores.n)
        buf_printf(&r->log, "%s is ignored: the software device has no such cores\n", name);
    vec_free(&cores);
}

static void read_riscs(struct reading *r, int kind, struct request *request)
{
    static const struct {
        const char *text;
        unsigned workers, eths;
    } words[] = {
        {"BR", 1u << TT_BRISC, 0},
        {"NC", 1u << TT_NCRISC, 0},
        {"TR0", 1u << TT_TRISC0, 0},
        {"TR1", 1u << TT_TRISC1, 0},
        {"TR2", 1u << TT_TRISC2, 0},
        {"TR*", 7u << TT_TRISC0, 0},
        {"ER0", 0, 1},
        {"ER1", 0, 2}, // Ethernet tiles have one RISC here
        {"ER*", 0, 3},
    };
    char name[NAME_BYTES];
    str value = look_up_kind(r, kind, "RISCVS", name);
    request->worker_riscs = request->eth_riscs = value.p ? 0 : (1u << TT_RISCS) - 1;
    for (size_t i = 0; value.p && i < sizeof words / sizeof *words; i++)
        if (str_has(value, str_of(words[i].text))) {
            request->worker_riscs |= words[i].workers;
            request->eth_riscs |= words[i].eths;
        }
    if (request->worker_riscs || request->eth_riscs || r->is_wrong)
        return;
    (void)err_set(
        r->e, ERR_USAGE,
        "Invalid RISC selection: \"%.*s\". Valid values are BR,NC,TR0,TR1,TR2,TR*,ER0,ER1,ER*.",
        STR(str_clip(value, 60)));
    r->is_wrong = true;
}

static bool read_chip_numbers(str s, uint32_t *chips)
{
    do {
        int chip;
        (void)skip_char(&s, ' ');
        if (!take_number(&s, &chip))
            return false;
        *chips |= chip < TTDEV_MAX_CHIPS ? 1u << chip : 0;
    } while (skip_char(&s, ','));
    return s.n == 0;
}

// "(M0,D1),...": mesh 0 is the whole cluster. "(r,c),...": the cluster is one row of chips.
static bool read_chip_pairs(str s, const char *heads, uint32_t *chips)
{
    do {
        int row, chip;
        bool is_pair = skip_char(&s, '(') && (!heads || skip_char(&s, heads[0])) &&
                       take_number(&s, &row) && skip_char(&s, ',') &&
                       (!heads || skip_char(&s, heads[1])) && take_number(&s, &chip) &&
                       skip_char(&s, ')');
        if (!is_pair)
            return false;
        *chips |= row == 0 && chip < TTDEV_MAX_CHIPS ? 1u << chip : 0;
    } while (skip_char(&s, ','));
    return s.n == 0;
}

static void read_chips(struct reading *r, int kind, struct request *request)
{
    static const char *const names[] = {"CHIPS", "NODES", "MESH_COORDS"};
    int n_set = 0;
    request->chips = UINT32_MAX;
    for (int i = 0; i < 3; i++) {
        char name[NAME_BYTES], text[NAME_BYTES + 64];
        str value = look_up_kind(r, kind, names[i], name);
        if (!value.p)
            continue;
        (void)snprintf(text, sizeof text, "%s: only one of _CHIPS, _NODES, _MESH_COORDS",
                       name);
        if (n_set++)
            wrong(r, text, value);
        if (str_is(value, "all"))
            continue;
        request->chips = 0;
        bool is_good = i == 0
                           ? read_chip_numbers(value, &request->chips)
                           : read_chip_pairs(value, i == 1 ? "MD" : NULL, &request->chips);
        (void)snprintf(text, sizeof text, "Invalid %s", name);
        if (!is_good)
            wrong(r, text, value);
    }
}

static void read_request(struct reading *r, int kind, struct request *request)
{
    for (int c = 0; c < CORE_KINDS; c++)
        read_core_variable(r, kind, core_kind_names[c], &request->cores[c],
                           request->name[c]);
    read_missing_cores(r, kind, "DRAM_CORES");
    read_riscs(r, kind, request);
    read_chips(r, kind, request);
}

// --- applying requests -----------------------------------------------------------------
static bool is_inside(const struct rectangle *r, int x, int y)
{
    return x >= r->from.x && x <= r->to.x && y >= r->from.y && y <= r->to.y;
}

// An Ethernet tile is addressed by its channel: 0,c as in TT-Metal, or c,0.
static bool covers_tile(const struct rectangle *r, const struct tile *tile)
{
    if (tile->kind == TILE_TENSIX)
        return is_inside(r, tile->logical.x, tile->logical.y);
    return is_inside(r, 0, tile->channel) || is_inside(r, tile->channel, 0);
}

static enum core_kind kind_of(const struct tile *tile)
{
    if (tile->kind == TILE_ETH)
        return CORES_ETH;
    return dispatch_is_core(tile) ? CORES_DISPATCH : CORES_WORKERS;
}

static unsigned riscs_of(const struct request *request, const struct tile *tile)
{
    bool is_eth = tile->kind == TILE_ETH;
    const struct rectangles *cores = &request->cores[kind_of(tile)];
    for (size_t i = 0; i < cores->n; i++)
        if (covers_tile(&cores->v[i], tile))
            return (is_eth ? request->eth_riscs : request->worker_riscs) &
                   ((1u << tile->n_riscs) - 1);
    return 0;
}

static void note_missing(struct reading *r, const struct chip *chip,
                         const struct request *request, enum core_kind kind)
{
    const struct rectangles *cores = &request->cores[kind];
    for (size_t i = 0; i < cores->n; i++) {
        const struct rectangle *asked = &cores->v[i];
        bool is_met = false;
        for (int k = 0; k < chip->n_tiles && !is_met; k++)
            is_met =
                kind_of(&chip->tiles[k]) == kind && covers_tile(asked, &chip->tiles[k]);
        if (!is_met)
            buf_printf(&r->log, "%s: device %d has no %score %d,%d; ignored\n",
                       request->name[kind], chip->number,
                       kind == CORES_DISPATCH ? "dispatch " : "", asked->from.x,
                       asked->from.y);
    }
}

static void apply_to_tile(struct reading *r, struct tile *tile,
                          const struct request *requests, uint32_t cycles)
{
    unsigned masks[KINDS], any = 0;
    for (int k = 0; k < KINDS; k++) {
        bool is_chip = requests[k].chips >> tile->chip->number & 1;
        any |= masks[k] = is_chip ? riscs_of(&requests[k], tile) : 0;
    }
    if (!any)
        return;
    for (int k = 0; k < KINDS; k++)
        delays_set(tile, masks[k], 1u << k, cycles);
    bool is_eth = tile->kind == TILE_ETH;
    buf_printf(&r->log,
               "Configured Watcher debug delays for device %d, core (x=%d,y=%d): "
               "read_delay_cores_mask=0x%x, write_delay_cores_mask=0x%x, "
               "atomic_delay_cores_mask=0x%x. Delay cycles: %u\n",
               tile->chip->number, is_eth ? 0 : tile->logical.x,
               is_eth ? tile->channel : tile->logical.y, masks[0], masks[1], masks[2],
               cycles);
}

static void apply_request(struct reading *r, const struct request *requests,
                          uint32_t cycles)
{
    for (int d = 0; d < r->t->n_chips; d++) {
        struct chip *chip = &r->t->chips[d];
        for (int k = 0; k < KINDS; k++) {
            const struct request *q = &requests[k];
            if (!(q->chips >> d & 1))
                continue;
            for (enum core_kind c = 0; c < CORE_KINDS; c++)
                note_missing(r, chip, q, c);
        }
        for (int i = 0; i < chip->n_tiles; i++)
            apply_to_tile(r, &chip->tiles[i], requests, cycles);
    }
}

static uint32_t read_cycles(struct reading *r)
{
    str value = look_up(r, CYCLES_NAME);
    int64_t cycles = 0;
    if (value.p && (!num_int(value, &cycles) || cycles < 0 || cycles > UINT32_MAX))
        wrong(r, "Invalid " CYCLES_NAME, value);
    return (uint32_t)cycles;
}

static void put_log(const struct buf *from, char *log, size_t n)
{
    str text = n ? str_clip(buf_view(from), n - 1) : (str){NULL, 0};
    if (text.n)
        memcpy(log, text.p, text.n);
    if (n)
        log[text.n] = '\0';
}

int ttdev_delays_from_environment(ttdev *t, const char *const *environment, char *log,
                                  size_t n, struct err *e)
{
    struct reading r = {.t = t, .environment = environment, .e = e};
    struct request requests[KINDS] = {0};
    size_t n_lists = 0;
    uint32_t cycles = read_cycles(&r);
    for (int k = 0; k < KINDS; k++) {
        read_request(&r, k, &requests[k]);
        for (int c = 0; c < CORE_KINDS; c++)
            n_lists += requests[k].cores[c].n;
    }
    if (!r.is_wrong && n_lists && cycles == 0)
        buf_printf(&r.log, "debug delay cores have no effect: %s is not set\n",
                   CYCLES_NAME);
    if (!r.is_wrong && n_lists && cycles) {
        if (!look_up(&r, WATCHER_NAME).p)
            buf_printf(&r.log, "debug delays act here without %s and without a rebuild\n",
                       WATCHER_NAME);
        apply_request(&r, requests, cycles);
    }
    put_log(&r.log, log, n);
    for (int k = 0; k < KINDS; k++)
        for (int c = 0; c < CORE_KINDS; c++)
            vec_free(&requests[k].cores[c]);
    buf_free(&r.log);
    return r.is_wrong ? -EINVAL : 0;
}
