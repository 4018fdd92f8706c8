// cmd_sim.c - the software device from the command line: `ttprof sim`.
#include "cli/cmd_sim.h"

#include <stdlib.h>
#include <strings.h>

#include "base/text/json.h"
#include "base/text/log.h"

#include "sim/program/image.h"

// Names of the settings as options, by number.
static const char *const setting_names[SETTINGS] = {
    "size",  "tiles",      "pages",    "ops",    "runs", "loops",
    "cores", "slow-stage", "fidelity", "format", "grid", "grid"};

const struct workload *sim_workload(const char *name, struct err *e)
{
    const struct workload *w = workload_find(str_of(name));
    const char *nearest = w ? NULL : workload_suggest(str_of(name));
    if (nearest)
        (void)err_set(e, ERR_USAGE, "unknown workload '%s'; did you mean '%s'?", name,
                      nearest);
    else if (!w)
        (void)err_set(e, ERR_USAGE, "unknown workload '%s'; 'ttprof sim list' lists all",
                      name);
    return w;
}

bool sim_settings(const struct workload *w, int64_t setting[SETTINGS], struct err *e)
{
    for (int id = 0; id < SETTINGS; id++) {
        const struct workload_setting *s = workload_setting(w, id);
        if (!s && setting[id] != INT64_MIN)
            return err_set(e, ERR_USAGE,
                           "%s has no option '--%s'; see 'ttprof sim list %s'", w->name,
                           setting_names[id], w->name);
        if (!s) {
            setting[id] = 0;
            continue;
        }
        bool is_grid = id == SETTING_GRID_X || id == SETTING_GRID_Y;
        if (setting[id] == INT64_MIN && is_grid) {
            setting[id] = 0; // run_open chooses it
            continue;
        }
        if (setting[id] == INT64_MIN)
            setting[id] = s->normal;
        if (setting[id] < s->least || setting[id] > s->most)
            return err_set(e, ERR_USAGE, "--%s: %lld is not between %lld and %lld",
                           setting_names[id], (long long)setting[id], (long long)s->least,
                           (long long)s->most);
    }
    return true;
}

void sim_tell_failures(const char *command, const struct run *r)
{
    sim_tell_warnings(command, r->t);
    str rest = buf_view(&r->failures);
    while (rest.n) {
        str line = str_cut(&rest, '\n');
        log_line("%s: %s: %.*s", command, r->workload->name, STR(line));
    }
    size_t told = 0;
    for (size_t i = 0; i < r->failures.n; i++)
        told += r->failures.p[i] == '\n';
    if (r->n_failures > told)
        log_line("%s: %s: and %zu more", command, r->workload->name, r->n_failures - told);
}

// --- ttprof sim list ---

struct list_values {
    bool json;
};

static void put_setting(const struct workload_setting *s, struct buf *b)
{
    buf_printf(b, "  --%-12s %lld (%lld..%lld): %s\n", setting_names[s->id],
               (long long)s->normal, (long long)s->least, (long long)s->most, s->what);
}

static void put_workload(const struct workload *w, struct buf *b)
{
    buf_printf(b, "%s - %s\n\nIts profile shows: %s.\n", w->name, w->what, w->shows);
    if (w->n_settings)
        buf_z(b, "\nOptions, with their defaults:\n");
    for (size_t i = 0; i < w->n_settings; i++) {
        const struct workload_setting *s = &w->settings[i];
        if (s->id == SETTING_GRID_X)
            buf_printf(b, "  --%-12s %lldx%lld: cores across and down\n", "grid",
                       (long long)s->normal, (long long)s[1].normal);
        else if (s->id == SETTING_FIDELITY || s->id == SETTING_FORMAT)
            buf_printf(b, "  --%-12s %s\n", setting_names[s->id], s->what);
        else if (s->id != SETTING_GRID_Y)
            put_setting(s, b);
    }
}

static void put_workloads_json(struct buf *b)
{
    struct json j = {.b = b, .is_first = true};
    json_open(&j, '[');
    for (size_t i = 0; i < n_workloads; i++) {
        json_newline(&j);
        json_open(&j, '{');
        json_key_text(&j, "name", str_of(workloads[i]->name));
        json_key_text(&j, "what", str_of(workloads[i]->what));
        json_key_text(&j, "shows", str_of(workloads[i]->shows));
        json_close(&j, '}');
    }
    json_close(&j, ']');
    buf_char(b, '\n');
}

static int run_list(const void *values, struct words words, struct err *e)
{
    const struct list_values *v = values;
    struct buf b = {0};
    if (words.n) {
        const struct workload *w = sim_workload(words.v[0], e);
        if (!w)
            return 2;
        put_workload(w, &b);
    } else if (v->json) {
        put_workloads_json(&b);
    } else {
        for (size_t i = 0; i < n_workloads; i++)
            buf_printf(&b, "%-18s %s\n", workloads[i]->name, workloads[i]->what);
    }
    return command_print(&b, e);
}

static const struct option list_options[] = {
    {.name = "json",
     .kind = OPTION_FLAG,
     .at = offsetof(struct list_values, json),
     .help = "print the list as JSON",
     .group = "Options"},
};
static const struct example list_examples[] = {
    {"ttprof sim list", "list all workloads"},
    {"ttprof sim list pipeline", "show what a workload does, and its options"},
};
static const struct list_values list_defaults = {0};

const struct command cmd_sim_list = {
    .name = "sim list",
    .args = "[NAME]",
    .what = "list the example workloads",
    .options = list_options,
    .n_options = sizeof list_options / sizeof *list_options,
    .examples = list_examples,
    .n_examples = sizeof list_examples / sizeof *list_examples,
    .most_words = 1,
    .run = run_list,
    .defaults = &list_defaults,
    .values_size = sizeof list_defaults,
};

// --- ttprof sim images ---

struct images_values {
    bool zones;
};

static void put_zones(const char *name, struct buf *b)
{
    const void *elf;
    size_t bytes;
    struct err unused = {0};
    int arch = str_starts(str_of(name), S("blackhole/")) ? TT_BLACKHOLE : TT_WORMHOLE;
    struct ttdev_image *image = images_find(name, &elf, &bytes)
                                    ? image_load(name, elf, bytes, arch, &unused)
                                    : NULL;
    for (size_t i = 0; image && i < image->zones.n; i++) {
        const struct image_zone *zone = &image->zones.v[i];
        if (zone->name)
            buf_printf(b, "    %-28s %s:%u\n", zone->name, zone->file, zone->line);
    }
    image_free(image);
}

static int run_images(const void *values, struct words words, struct err *e)
{
    const struct images_values *v = values;
    struct buf b = {0};
    for (size_t i = 0; i < images_count(); i++) {
        if (words.n && !str_has(str_of(images_name(i)), str_of(words.v[0])))
            continue;
        buf_printf(&b, "%s\n", images_name(i));
        if (v->zones)
            put_zones(images_name(i), &b);
    }
    if (!b.n) {
        (void)err_set(e, ERR_USAGE,
                      "no image has '%s' in its name; 'ttprof sim images' lists all",
                      words.n ? words.v[0] : "");
        return 2;
    }
    return command_print(&b, e);
}

static const struct option images_options[] = {
    {.name = "zones",
     .kind = OPTION_FLAG,
     .at = offsetof(struct images_values, zones),
     .help = "list the markers of each image with their locations",
     .group = "Options"},
};
static const struct example images_examples[] = {
    {"ttprof sim images loopback", "list the images of one workload"},
    {"ttprof sim images wormhole/prof/brisc/firmware --zones",
     "list the markers of a firmware image"},
};
static const struct images_values images_defaults = {0};

const struct command cmd_sim_images = {
    .name = "sim images",
    .args = "[PART]",
    .what = "list the built-in firmware and kernel images",
    .about =
        "Prints one name per line: chip, variant, RISC and source. PART selects names that contain it.",
    .options = images_options,
    .n_options = sizeof images_options / sizeof *images_options,
    .examples = images_examples,
    .n_examples = sizeof images_examples / sizeof *images_examples,
    .most_words = 1,
    .run = run_images,
    .defaults = &images_defaults,
    .values_size = sizeof images_defaults,
};

// --- ttprof sim ---

static const struct command *const parts[] = {
    &cmd_sim_list,   &cmd_sim_run,   &cmd_sim_kernel, &cmd_sim_info,
    &cmd_sim_disasm, &cmd_sim_trace, &cmd_sim_images, &cmd_sim_costs};

static const struct example examples[] = {
    {"ttprof sim run loopback", "run a workload on the software device"},
    {"ttprof sim run matmul_tiled --fidelity LoFi --arch blackhole", "with other options"},
    {"ttprof sim info --device board=n300", "show a board"},
};

const struct command cmd_sim = {
    .name = "sim",
    .args = "COMMAND",
    .what = "run workloads on the software device",
    .about =
        "The software device runs firmware and kernels as machine code with exact and "
        "reproducible cycle counts. These commands run the bundled workloads or your own "
        "kernels, and inspect the device and its code.",
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .least_words = 1,
    .most_words = 1,
    .parts = parts,
    .n_parts = sizeof parts / sizeof *parts,
};
