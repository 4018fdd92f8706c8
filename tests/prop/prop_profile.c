// prop_profile.c - the whole profiler: what kernels execute is what a log shows, and what
// it does not show was counted.
//
// A scene is a cluster, options, random scripts for RISCs of some cores
// (tests/kernels/profile_random.h) and random acts of the host: launches, traces, replays,
// read-outs. The device's ground truth says which words were stored and which clock was
// read for them; the scripts say which markers there should be. Two players that differ in
// how they simulate and decode must write the same log.
//
// TTPROF_PROFILE_SCENES=FROM:COUNT plays other scenes than the usual ones.
#include "prop_profile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/data/mem.h"
#include "base/file/file.h"
#include "base/file/folder.h"

#include "collect/readout/dump.h"
#include "formats/device_log/device_log_write.h"
#include "sim/program/image.h"
#include "sim/tile/boot.h"

extern const unsigned char kernels_pack[];

enum { WAIT_NS = 2000000000 };

#define FAIL(p, format, ...)                                                               \
    law_break((p)->scene->law, "scene %llu: " format " (%s; %s)",                          \
              (unsigned long long)(p)->scene->seed, __VA_ARGS__, (p)->scene->config,       \
              (p)->scene->how)

// --- opening ---------------------------------------------------------------------------
static ttdev_image *load_image(struct player *p, const char *name, int risc)
{
    char full[256];
    struct err e = {0};
    const void *elf;
    size_t bytes;
    ttdev_image *image = NULL;
    image_full_name(p->t, risc, name, full, sizeof full);
    if (!images_find_in(kernels_pack, full, &elf, &bytes) ||
        ttdev_elf_load(p->t, full, elf, bytes, &image, &e)) {
        (void)fprintf(stderr, "%s: %s\n", full, e.text);
        exit(1);
    }
    return image;
}

static bool open_device(struct player *p, unsigned threads)
{
    static const char *const variants[] = {"off", "prof", "full"};
    const struct scene *s = p->scene;
    const struct profiler_options *o = &s->options;
    char text[500];
    struct err e = {0};
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    (void)snprintf(text, sizeof text,
                   "%s variant=%s region_bytes=%u region_buffers=%d threads=%u", s->config,
                   variants[profiler_variant(o)], profiler_region_bytes(o, NULL),
                   profiler_region_buffers(o), threads);
    if (ttdev_cfg_parse(&cfg, text, &e) || ttdev_open(&cfg, &p->t, &e))
        return FAIL(p, "%s: %s", text, e.text);
    ttdev_access(p->t, &p->access);
    return true;
}

static void make_program(struct player *p, int dev, uint32_t number)
{
    const struct scene *s = p->scene;
    ttdev_program *program = p->program[dev][number] = ttdev_program_new(p->t, "scene");
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        ttdev_range one = {at->at, at->at};
        for (uint32_t r = 0; at->dev == dev && r < riscs_of(at); r++) {
            const struct script *script = s->script[number][i][r];
            if (!script)
                continue;
            int risc = at->is_eth ? TTDEV_ERISC : (int)r;
            uint32_t base = at->base + r * (MOST_PROGRAMS * SCRIPT_BYTES + ROOM_BYTES);
            uint32_t args[] = {base + ROOM_BYTES + number * SCRIPT_BYTES, base};
            const char *name =
                at->is_eth ? "kernels/profile_random_eth" : "kernels/profile_random";
            int kernel = ttdev_program_kernel(program, one, risc, load_image(p, name, risc),
                                              r == TT_NCRISC);
            if (kernel < 0 || ttdev_program_args(program, kernel, one, args, 2) ||
                ttdev_l1_write(p->t, dev, at->core, args[0], script->words,
                               sizeof *script->words * script->n))
                FAIL(p, "program %u: %s", number, ttdev_error(p->t));
        }
    }
}

static bool open_profiler(struct player *p)
{
    const struct scene *s = p->scene;
    struct err e = {0};
    p->c.options = s->options;
    p->c.access = &p->access;
    if (s->has_dump && !p->decodes_often)
        (void)snprintf(p->c.options.dump_raw, sizeof p->c.options.dump_raw, "%s/dump",
                       p->folder);
    p->readout = readout_open(&p->access, &p->c, &e);
    if (!p->readout)
        return FAIL(p, "%s", e.text);
    readout_set_timeout(p->readout, WAIT_NS);
    p->decoder = decoder_new(&p->c);
    for (int dev = 0; dev < s->n_devs; dev++)
        for (uint32_t i = 0; i < s->n_programs; i++)
            make_program(p, dev, i);
    p->watched = mem_alloc(sizeof *p->watched * MOST_PLACES);
    (void)ttdev_truth(p->t, truth_take, p);
    return true;
}

static void close_player(struct player *p)
{
    for (uint32_t i = 0; i < MOST_PLACES && p->watched; i++)
        for (int r = 0; r < TT_RISCS; r++) {
            vec_free(&p->watched[i][r].stored);
            vec_free(&p->watched[i][r].kernel);
        }
    mem_free(p->watched);
    for (int dev = 0; dev < 2; dev++) {
        vec_free(&p->launched[dev]);
        for (int i = 0; i < MOST_PROGRAMS; i++)
            if (p->program[dev][i])
                ttdev_program_free(p->program[dev][i]);
    }
    readout_close(p->readout);
    if (p->decoder)
        decoder_free(p->decoder);
    trace_free(&p->rows);
    collection_free(&p->c);
    buf_free(&p->log);
    if (p->t)
        ttdev_close(p->t);
}

// --- the log ---------------------------------------------------------------------------
static bool write_log(struct player *p, const struct trace *t, const char *name,
                      struct buf *out)
{
    char path[128];
    struct err e = {0};
    struct file f;
    (void)snprintf(path, sizeof path, "%s/%s", p->folder, name);
    if (!device_log_write(t, path, false, &e) || !file_open(path, &f, &e))
        return FAIL(p, "%s", e.text);
    str text = f.text;
    if (out->n) // the head is there already
        for (int i = 0; i < 2; i++)
            (void)str_cut(&text, '\n');
    buf_str(out, text);
    file_close(&f);
    (void)unlink(path);
    return true;
}

static bool decode(struct player *p, bool is_last)
{
    char lanes[16];
    (void)snprintf(lanes, sizeof lanes, "%u", p->lanes);
    (void)setenv("TTPROF_THREADS", lanes, 1);
    trace_free(&p->rows);
    p->rows = (struct trace){0};
    decoder_run(p->decoder, &p->rows, is_last);
    collection_drop_blocks(&p->c);
    return write_log(p, &p->rows, "log.csv", &p->log);
}

// --- acts ------------------------------------------------------------------------------
static bool launch(struct player *p, int dev, uint32_t program, uint32_t *base)
{
    uint32_t id = *base = ++p->next_base;
    // Ids that no 21 bits hold are ids as well.
    *base = id % 7 == 0 ? id << 20 | id : id;
    if (ttdev_wait(p->t, dev, WAIT_NS))
        return FAIL(p, "%s", ttdev_fault(p->t, dev));
    int code = ttdev_launch(p->t, dev, p->program[dev][program], *base);
    if (code)
        return FAIL(p, "launch: %d, %s", code, ttdev_error(p->t));
    vec_push(&p->launched[dev], ((struct launched){program, *base, -1, -1}));
    return true;
}

static bool record(struct player *p, const struct act *act)
{
    struct trace_made *t = &p->trace[act->dev][p->n_traces[act->dev]++];
    struct err e = {0};
    if (ttdev_wait(p->t, act->dev, WAIT_NS) || ttdev_trace_begin(p->t, act->dev))
        return FAIL(p, "%s", ttdev_error(p->t));
    for (uint32_t i = 0; i < act->n; i++) {
        t->program[i] = (act->program + i) % p->scene->n_programs;
        if (!launch(p, act->dev, t->program[i], &t->base[i]))
            return false;
    }
    t->n = act->n;
    if (readout_chip(p->readout, act->dev, READ_NORMAL, &e))
        return FAIL(p, "%s", "a trace is read while it is recorded");
    t->number = ttdev_trace_end(p->t, act->dev);
    return t->number >= 0 || FAIL(p, "%s", ttdev_error(p->t));
}

static bool replay(struct player *p, const struct act *act)
{
    struct trace_made *t = &p->trace[act->dev][act->program];
    if (ttdev_wait(p->t, act->dev, WAIT_NS))
        return FAIL(p, "%s", ttdev_fault(p->t, act->dev));
    t->n_replays++;
    for (uint32_t i = 0; i < t->n; i++)
        vec_push(&p->launched[act->dev],
                 ((struct launched){t->program[i], t->base[i], t->number, t->n_replays}));
    return ttdev_trace_replay(p->t, act->dev, t->number, WAIT_NS) == 0 ||
           FAIL(p, "replay: %s", ttdev_error(p->t));
}

static bool read_all(struct player *p, int dev)
{
    struct err e = {0};
    if (!readout_chip(p->readout, dev, READ_NORMAL, &e))
        return FAIL(p, "%s", e.text);
    readout_warnings(p->readout)->n = 0;
    return !p->decodes_often || decode(p, false);
}

static bool perform(struct player *p, const struct act *act)
{
    uint32_t base;
    switch (act->kind) {
    case ACT_LAUNCH: return launch(p, act->dev, act->program, &base);
    case ACT_WAIT: return ttdev_wait(p->t, act->dev, WAIT_NS) == 0;
    case ACT_SLEEP: return ttdev_sleep_ns(p->t, act->ns) == 0;
    case ACT_READ: return read_all(p, act->dev);
    case ACT_RECORD: return record(p, act);
    case ACT_REPLAY: return replay(p, act);
    }
    return true;
}

static bool play_acts(struct player *p)
{
    struct err e = {0};
    for (uint32_t i = 0; i < p->scene->n_acts; i++)
        if (!perform(p, &p->scene->act[i]))
            return FAIL(p, "act %u, kind %d: %s", i, p->scene->act[i].kind,
                        ttdev_fault(p->t, p->scene->act[i].dev));
    if (!readout_all(p->readout, READ_LAST, &e))
        return FAIL(p, "%s", e.text);
    const struct buf *warnings = readout_warnings(p->readout);
    if (warnings->n && memmem(warnings->p, warnings->n, "partial", strlen("partial")))
        return FAIL(p, "%.*s", STR(*warnings));
    return decode(p, true);
}

// --- two players -----------------------------------------------------------------------
static int by_text(const void *a, const void *b)
{
    const str *x = a, *y = b;
    int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);
    return order ? order : (x->n > y->n) - (x->n < y->n);
}

// Rows of several decodings come in another order.
static void sort_lines(struct buf *text)
{
    VEC(str) lines = {0};
    struct buf sorted = {0};
    str rest = buf_view(text);
    while (rest.n)
        vec_push(&lines, str_cut(&rest, '\n'));
    if (lines.n)
        qsort(lines.v, lines.n, sizeof *lines.v, by_text);
    for (size_t i = 0; i < lines.n; i++)
        buf_printf(&sorted, "%.*s\n", STR(lines.v[i]));
    buf_free(text);
    *text = sorted;
    vec_free(&lines);
}

static bool same_log(struct player *p, struct buf *a, struct buf *b, const char *what)
{
    str x = buf_view(a), y = buf_view(b);
    for (size_t line = 1; x.n || y.n; line++) {
        str one = str_cut(&x, '\n'), other = str_cut(&y, '\n');
        if (!str_eq(one, other))
            return FAIL(p, "%s: line %zu is '%.*s' and '%.*s'", what, line, STR(one),
                        STR(other));
    }
    return true;
}

// What a folder of raw words says is what the device said.
static bool check_dump(struct player *p)
{
    struct collection *c = mem_alloc(sizeof *c);
    struct buf warnings = {0}, log = {0};
    struct trace t = {0};
    struct err e = {0};
    bool is_fine = true;
    if (!*p->c.options.dump_raw)
        is_fine = true;
    else if (!dump_read(c, p->c.options.dump_raw, &warnings, &e))
        is_fine = FAIL(p, "%s", e.text);
    else {
        struct decoder *d = decoder_new(c);
        decoder_run(d, &t, true);
        is_fine = write_log(p, &t, "again.csv", &log) &&
                  same_log(p, &p->log, &log, "a dump's log");
        decoder_free(d);
    }
    trace_free(&t);
    collection_free(c);
    mem_free(c);
    buf_free(&warnings);
    buf_free(&log);
    return is_fine;
}

static void play(struct law *law, uint64_t seed, const char *folder)
{
    struct scene *s = mem_alloc(sizeof *s);
    struct player *players = mem_alloc(PLAYERS * sizeof *players);
    s->law = law;
    law->tried++;
    s->seed = seed;
    s->random.state = seed * 7919;
    scene_choose(s);
    bool is_fine = true;
    for (int i = 0; i < PLAYERS && is_fine; i++) {
        struct player *p = &players[i];
        p->scene = s;
        p->lanes = i ? 3 : 1;
        p->decodes_often = i && seed % 2;
        (void)snprintf(p->folder, sizeof p->folder, "%s", folder);
        is_fine = open_device(p, i ? 2 : 1);
        if (is_fine && i == 0)
            scene_populate(s, p->t);
        is_fine = is_fine && open_profiler(p) && play_acts(p);
        if (is_fine && i == 0)
            check_player(p);
        is_fine &= !law->is_broken;
    }
    if (is_fine && check_dump(&players[0])) {
        if (players[1].decodes_often) {
            sort_lines(&players[0].log);
            sort_lines(&players[1].log);
        }
        (void)same_log(&players[1], &players[0].log, &players[1].log,
                       players[1].decodes_often ? "decoded in parts" : "other threads");
    }
    for (int i = 0; i < PLAYERS; i++)
        close_player(&players[i]);
    scene_free(s);
    mem_free(players);
    mem_free(s);
}

int main(void)
{
    struct law law = {.name = "a log shows what was executed, or says what it lacks"};
    struct prop_scenes scenes = prop_scenes("TTPROF_PROFILE_SCENES", 100);
    char folder[] = "/tmp/ttprof-prop-profile-XXXXXX", command[128];
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    for (uint64_t seed = scenes.from; seed < scenes.to && !law.is_broken; seed++)
        play(&law, seed, folder);
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command))
        (void)fprintf(stderr, "%s stays\n", folder);
    return laws_report(&law, 1);
}
