// prop_sim.c - the whole device: whatever the kernels and the host do, every run does it
// the same way, with any number of threads, any window, with and without parking.
//
// A scene is a cluster, random scripts for RISCs of some cores (tests/kernels/script.h) and
// random acts of the host. Several devices that differ only in how they are simulated play
// it side by side; after every act all must have answered the same and show the same clocks
// and, now and then, the same state. Races, faults and deadlocks are welcome.
//
// What the devices have in common can be wrong, too: prop_sim_model.c has scripts for which
// it is known what they leave in memory.
//
// TTPROF_SIM_SCENES=FROM:COUNT plays other scenes than the usual ones.
#include "prop_sim.h"

#include <errno.h>
#include <string.h>

#include "base/data/mem.h"

#include "sim/program/image.h"
#include "sim/tile/boot.h"

extern const unsigned char kernels_pack[];

// --- devices ---------------------------------------------------------------------------
static void note_truth(void *context, const ttdev_truth_event *event)
{
    struct device *d = context;
    vec_push(&d->truth, *event);
}

static void ignore_step(void *context, const ttdev_step *step)
{
    (void)context, (void)step;
}

static bool open_device(struct scene *s, struct device *d)
{
    char text[500];
    struct err e = {0};
    ttdev_cfg cfg;
    ttdev_cfg_default(&cfg);
    (void)snprintf(text, sizeof text, "%s threads=%u quantum=%u park=%s", s->config,
                   d->way.threads, d->way.quantum, d->way.park ? "on" : "off");
    d->scene = s;
    if (ttdev_cfg_parse(&cfg, text, &e) || ttdev_open(&cfg, &d->t, &e))
        return law_check(s->law, false, "scene %llu: %s: %s", (unsigned long long)s->seed,
                         text, e.text);
    if (s->has_truth)
        (void)ttdev_truth(d->t, note_truth, d);
    if (d->way.is_traced)
        (void)ttdev_trace_risc(d->t, 0, (ttdev_core){TTDEV_LOGICAL, {0, 0}}, 0, 0,
                               UINT64_MAX, ignore_step, NULL);
    return true;
}

static void close_device(struct device *d)
{
    for (int i = 0; i < 2; i++)
        if (d->program[i])
            ttdev_program_free(d->program[i]);
    if (d->t)
        ttdev_close(d->t);
    vec_free(&d->truth);
}

// --- the host --------------------------------------------------------------------------
static ttdev_image *script_image(ttdev *t, const char *name, int risc)
{
    char full[256];
    struct err e = {0};
    const void *elf;
    size_t bytes;
    ttdev_image *image = NULL;
    image_full_name(t, risc, name, full, sizeof full);
    if (!images_find_in(kernels_pack, full, &elf, &bytes) ||
        ttdev_elf_load(t, full, elf, bytes, &image, &e)) {
        (void)fprintf(stderr, "%s: %s\n", full, e.text);
        exit(1);
    }
    return image;
}

static void make_program(struct scene *s, struct device *d, int dev)
{
    ttdev_program *p = d->program[dev] = ttdev_program_new(d->t, "scene");
    ttdev_info info;
    (void)ttdev_get_info(d->t, dev, &info);
    ttdev_range all = {{0, 0}, {info.grid.x - 1, info.grid.y - 1}};
    ttdev_image *images[TT_RISCS + 1];
    for (int r = 0; r <= TT_RISCS; r++)
        images[r] =
            r < TT_RISCS || s->n_devs > 1
                ? script_image(d->t, r < TT_RISCS ? "kernels/script" : "kernels/script_eth",
                               r)
                : NULL;
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        ttdev_range one = {at->at, at->at};
        if (at->dev != dev)
            continue;
        for (uint32_t b = 0; !at->is_eth && b < BUFFERS; b++)
            (void)ttdev_program_cb(p, one, (int)b, PAGES, PAGE, NULL);
        for (int r = 0; r < (at->is_eth ? 1 : TT_RISCS); r++) {
            int risc = at->is_eth ? TTDEV_ERISC : r;
            uint32_t args[] = {at->base + SCRIPT_STEPS + SCRIPT_STEPS_BYTES * (uint32_t)r,
                               at->base + SCRIPT_LOG + SCRIPT_LOG_BYTES * (uint32_t)r};
            int kernel = ttdev_program_kernel(p, one, risc, images[risc], r == TT_NCRISC);
            (void)law_check(
                s->law, kernel >= 0 && !ttdev_program_args(p, kernel, one, args, 2),
                "scene %llu: %s", (unsigned long long)s->seed, ttdev_error(d->t));
        }
    }
    for (int i = 0; i < 2; i++)
        (void)ttdev_program_sem(p, all, 0);
}

static int launch(struct scene *s, struct device *d, int dev)
{
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        for (uint32_t r = 0; at->dev == dev && r < (at->is_eth ? 1 : TT_RISCS); r++) {
            uint32_t n = 1;
            while (s->steps[i][r][n - 1].op != STEP_END)
                n++;
            (void)ttdev_l1_write(d->t, dev, at->core,
                                 at->base + SCRIPT_STEPS + SCRIPT_STEPS_BYTES * r,
                                 s->steps[i][r], n * sizeof s->steps[i][r][0]);
        }
    }
    return ttdev_launch(d->t, dev, d->program[dev], 7);
}

// Ends every wait for a shared word or register.
static void release(const struct scene *s, struct device *d, uint32_t value)
{
    uint32_t words[257];
    for (uint32_t i = 0; i < 257; i++)
        words[i] = 0x04040404u * (1 + value % 16);
    const struct tt_layout *l = &tt_layouts[s->arch];
    for (uint32_t i = 0; i < s->n_places; i++) {
        const struct place *at = &s->place[i];
        (void)ttdev_l1_write(d->t, at->dev, at->core, at->base + SCRIPT_SHARED, words,
                             sizeof words);
        if (at->is_eth)
            continue;
        (void)ttdev_l1_write(d->t, at->dev, at->core,
                             l->kernel_config + TT_CONFIG_SEMAPHORES, words, 32);
        for (uint32_t k = 0; k < 4; k++)
            (void)ttdev_reg_write32(
                d->t, at->dev, at->core,
                TT_STREAMS + TT_STREAM_STRIDE * (5 + k / 2) +
                    4 * (k % 2 ? l->cb_received_word : l->cb_acked_word),
                1000 + value);
    }
}

static int on_quiet(void *context, int dev)
{
    struct device *d = context;
    (void)dev;
    if (d->n_quiet == 3)
        return 0;
    release(d->scene, d, 16 + d->n_quiet++);
    return 1;
}

static int replay(struct scene *s, struct device *d, const struct act *act)
{
    int code = ttdev_trace_begin(d->t, act->dev);
    code = code ? code : launch(s, d, act->dev);
    code = code ? code : ttdev_wait(d->t, act->dev, act->ns);
    int trace = ttdev_trace_end(d->t, act->dev);
    return code ? code : ttdev_trace_replay(d->t, act->dev, trace, act->ns);
}

static int perform(struct scene *s, struct device *d, const struct act *act,
                   struct answer *answer)
{
    const struct place *p = &act->place;
    uint32_t data[256] = {act->value, act->value + 1, act->value + 2};
    int code = 0;
    switch (act->kind) {
    case ACT_LAUNCH: return launch(s, d, act->dev);
    case ACT_SLEEP: return ttdev_sleep_ns(d->t, act->ns);
    case ACT_POLL: return ttdev_poll(d->t, act->dev, act->ns);
    case ACT_WRITE:
        return ttdev_l1_write(d->t, p->dev, p->core, act->address, data, act->bytes);
    case ACT_READ:
        code = ttdev_l1_read(d->t, p->dev, p->core, act->address, data, act->bytes);
        break;
    case ACT_REGISTER_READ:
        code = ttdev_reg_read32(d->t, p->dev, p->core, act->address, data);
        break;
    case ACT_REGISTER_WRITE:
        return ttdev_reg_write32(d->t, p->dev, p->core, act->address, act->value);
    case ACT_DRAM_WRITE:
        return ttdev_dram_write(d->t, act->dev, 0, act->address, data, act->bytes);
    case ACT_DRAM_READ:
        code = ttdev_dram_read(d->t, act->dev, 0, act->address, data, act->bytes);
        break;
    case ACT_WAIT: return ttdev_wait(d->t, act->dev, act->ns);
    case ACT_RELEASE: release(s, d, act->value); return 0;
    case ACT_REPLAY: return replay(s, d, act);
    case ACT_DELAY:
        return ttdev_delay(d->t, p->dev, p->core, act->bytes, act->address, act->value);
    }
    memcpy(answer->data, data, sizeof answer->data);
    return code;
}

static struct act some_act(struct scene *s)
{
    const struct place *p = &s->place[ANY(s, s->n_places)];
    struct act act = {.kind = ACT_SLEEP + ANY(s, 9),
                      .value = ANY(s, 4),
                      .address = scene_shared_word(s, p),
                      .bytes = 4 * (1 + ANY(s, ONE_IN(s, 3) ? 200 : 2)),
                      .dev = (int)ANY(s, (uint32_t)s->n_devs),
                      .ns = (uint64_t)s->scale * ANY(s, ONE_IN(s, 3) ? 8000 : 500),
                      .place = *p};
    if (act.kind == ACT_REGISTER_READ && !p->is_eth)
        act.address = ONE_IN(s, 3) ? TT_WALL_CLOCK_L : scene_register(s, false);
    if (act.kind == ACT_REGISTER_WRITE && !p->is_eth)
        act.address = scene_register(s, true);
    if (act.kind == ACT_REGISTER_WRITE && s->has_resets && !p->is_eth) {
        act.address = TT_SOFT_RESET;
        act.value = scene_reset(s);
    }
    if (act.kind == ACT_REGISTER_WRITE && s->has_faults && p->is_eth)
        act.address = TT_ETH + TT_ETH_SEND;
    if (act.kind == ACT_WRITE && p->base + SCRIPT_SHARED > act.address)
        act.bytes = 4;
    if (act.kind == ACT_DRAM_READ || act.kind == ACT_DRAM_WRITE)
        act.address = 0x1000000 + 64 * ANY(s, 4096);
    return act;
}

static struct act some_delay(struct scene *s)
{
    return (struct act){.kind = ACT_DELAY,
                        .place = s->place[ANY(s, s->n_places)],
                        .bytes = 1 + ANY(s, 3),
                        .address = 1 + ANY(s, 7),
                        .value = ANY(s, ONE_IN(s, 2) ? 20 : 300)};
}

static uint32_t make_acts(struct scene *s, struct act *acts)
{
    uint32_t n = 0;
    bool has_delays = ONE_IN(s, 4);
    for (uint32_t k = 0; has_delays && k < 3; k++)
        acts[n++] = some_delay(s);
    if (ONE_IN(s, 12))
        acts[n++] = (struct act){.kind = ACT_REPLAY, .ns = 10000 * s->scale};
    for (int dev = 0; dev < s->n_devs; dev++) {
        for (uint32_t k = ANY(s, 3); k > 0; k--)
            acts[n++] = some_act(s);
        acts[n++] = (struct act){.kind = ACT_LAUNCH, .dev = dev};
    }
    for (uint32_t k = ANY(s, 16); k > 0; k--)
        acts[n++] = has_delays && ONE_IN(s, 4) ? some_delay(s) : some_act(s);
    uint32_t releases = ONE_IN(s, 3) ? 0 : 4;
    for (uint32_t k = 0; k <= releases; k++) {
        for (int dev = 0; dev < s->n_devs; dev++)
            acts[n++] = (struct act){
                .kind = ACT_WAIT, .dev = dev, .ns = (2000 + ANY(s, 6000)) * s->scale};
        if (k < releases)
            acts[n++] = (struct act){.kind = ACT_RELEASE, .value = k};
    }
    return n;
}

// --- a scene ---------------------------------------------------------------------------
static void choose_ways(struct scene *s)
{
    static const unsigned quanta[] = {8, 16, 32};
    s->n = 3 + ANY(s, MOST_DEVICES - 2);
    s->device[0].way = (struct way){1, 16, true, false};
    for (uint32_t i = 1; i < s->n; i++)
        s->device[i].way =
            (struct way){1 + ANY(s, 3), quanta[ANY(s, 3)], i > 1 || s->has_parking, false};
    s->device[s->n - 1].way.is_traced = !s->has_parking && ONE_IN(s, 4);
    if (ONE_IN(s, 4))
        s->device[s->n - 1].way = s->device[0].way; // two runs
}

static bool play_act(struct scene *s, uint32_t number, const struct act *act)
{
    struct answer first = {0};
    s->law->tried++;
    bool with_state = ONE_IN(s, 3) || act->kind == ACT_WAIT;
    for (uint32_t i = 0; i < s->n; i++) {
        struct device *d = &s->device[i];
        struct answer answer = {0};
        answer.code = perform(s, d, act, &answer);
        // Without parking nobody sees that RISCs wait for ever.
        if (answer.code == -EDEADLK && !s->has_parking)
            return false;
        answer.host_ns = ttdev_host_ns(d->t);
        for (int dev = 0; dev < s->n_devs; dev++) {
            answer.clock[dev] = ttdev_clock(d->t, dev);
            answer.state[dev] = with_state ? ttdev_state_hash(d->t, dev) : 0;
        }
        if (i == 0)
            first = answer;
        else if (!same_answer(s, number, act, &first, &answer, d))
            return false;
    }
    return true;
}

static void play(struct law *law, uint64_t seed)
{
    struct scene *s = mem_alloc(sizeof *s);
    struct act acts[MOST_ACTS];
    s->law = law;
    s->seed = seed;
    s->random.state = seed * 7919;
    s->has_faults = ONE_IN(s, 5);
    s->has_few_waits = !ONE_IN(s, 3);
    s->has_resets = ONE_IN(s, 8);
    s->has_truth = ONE_IN(s, 2);
    s->has_parking = ONE_IN(s, 3);
    s->has_quiet = s->has_parking && ONE_IN(s, 2);
    scene_configure(s);
    choose_ways(s);
    bool is_open = true;
    for (uint32_t i = 0; i < s->n && is_open; i++)
        is_open = open_device(s, &s->device[i]);
    if (is_open) {
        scene_choose_places(s);
        for (uint32_t i = 0; i < s->n_places; i++)
            scene_write_script(s, i);
        for (uint32_t i = 0; i < s->n; i++) {
            for (int dev = 0; dev < s->n_devs; dev++)
                make_program(s, &s->device[i], dev);
            if (s->has_quiet)
                (void)ttdev_on_quiet(s->device[i].t, on_quiet, &s->device[i]);
        }
        uint32_t n = make_acts(s, acts);
        bool is_same = true;
        for (uint32_t i = 0; i < n && is_same; i++)
            is_same = play_act(s, i, &acts[i]);
        if (is_same && s->has_truth)
            same_truth(s);
    }
    for (uint32_t i = 0; i < s->n; i++)
        close_device(&s->device[i]);
    mem_free(s);
}

// One device beside the model.
static void play_model(struct law *law, uint64_t seed)
{
    struct scene *s = mem_alloc(sizeof *s);
    struct device *d = &s->device[0];
    s->law = law;
    s->seed = seed;
    s->random.state = seed * 104729;
    do
        scene_configure(s);
    while (s->n_devs > 1);
    if (!strstr(s->config, "l0=") && !ONE_IN(s, 4))
        (void)strcat(s->config, " icache=on l0=on");
    d->way = (struct way){1 + ANY(s, 3), 16, !ONE_IN(s, 3), false};
    if (open_device(s, d)) {
        scene_choose_places(s);
        struct model *m = model_new(s);
        make_program(s, d, 0);
        int code = launch(s, d, 0);
        model_check(m, code ? code : ttdev_wait(d->t, 0, s->scale * UINT64_C(1000000000)));
    }
    close_device(d);
    mem_free(s);
}

int main(void)
{
    struct law laws[] = {{.name = "every run of a scene is the same"},
                         {.name = "a RISC leaves in memory what a plain model leaves"}};
    struct prop_scenes scenes = prop_scenes("TTPROF_SIM_SCENES", 40);
    for (uint64_t seed = scenes.from; seed < scenes.to && !laws[0].is_broken; seed++)
        play(&laws[0], seed);
    for (uint64_t seed = scenes.from; seed < scenes.to && !laws[1].is_broken; seed++)
        play_model(&laws[1], seed);
    return laws_report(laws, 2);
}
