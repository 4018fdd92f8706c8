// prop_tracy.c - contents of traces that never were, as .tracy files of both generations:
// written and read back; cut anywhere, damaged anywhere.
#include <string.h>

#include "../support/memory_file.h"
#include "../support/tracy_dump.h"
#include "../support/tracy_laws.h"
#include "../support/tracy_sample.h"
#include "formats/diags.h"
#include "formats/tracy/tracy_file.h"
#include "prop.h"

enum { LAW_BACK, LAW_OTHER, LAW_CUT, LAW_DAMAGE, LAW_PLACES, LAWS };
static struct law laws[LAWS] = {
    [LAW_BACK] = {.name = "contents come back from a file of any form"},
    [LAW_OTHER] = {.name = "contents without extras come back from the other generation"},
    [LAW_CUT] = {.name = "a file that is cut gives the zones before the cut, and says so"},
    [LAW_DAMAGE] = {.name =
                        "a damaged file gives contents without loose ends, or an error"},
    [LAW_PLACES] = {.name = "zones of places beyond 32767 keep their names"},
};

static str write_text(const struct tracy *t, struct tracy_write_how how, struct buf *text)
{
    struct memory_file m = memory_file_make((str){0});
    struct out o = memory_out(&m);
    tracy_write_to(t, &o, how);
    struct file f = memory_out_end(&o, &m);
    buf_str(text, f.text);
    file_close(&f);
    memory_file_free(&m);
    return buf_view(text);
}

static struct tracy_write_how any_form(struct random *r, enum tracy_generation g)
{
    static const unsigned streams[] = {1, 2, 4, 5, 255};
    return (struct tracy_write_how){.generation = g,
                                    .packing = random_below(r, TRACY_PACKINGS),
                                    .n_streams = streams[random_below(r, 5)]};
}

static void show(struct buf *b, const struct tracy *t)
{
    tracy_dump(b, t);
    tracy_dump_rest(b, t);
}

// Where the two differ, for a message.
static const char *difference(str a, str b)
{
    while (a.n || b.n) {
        str x = str_cut(&a, '\n'), y = str_cut(&b, '\n');
        if (!str_eq(x, y)) {
            static char text[300];
            (void)snprintf(text, sizeof text, "'%.*s', not '%.*s'",
                           (int)(x.n < 99 ? x.n : 99), x.p, (int)(y.n < 99 ? y.n : 99),
                           y.p);
            return text;
        }
    }
    return NULL;
}

static void check_back(struct law *law, const struct tracy *t, str file, uint64_t seed)
{
    struct tracy again;
    struct err e = {0};
    struct buf want = {0}, got = {0};
    if (law_check(law,
                  tracy_read_text(&again, file, "made",
                                  (struct tracy_read_how){.is_strict = true}, &e),
                  "%llu: %s", (unsigned long long)seed, e.text)) {
        show(&want, t);
        show(&got, &again);
        const char *differs = difference(buf_view(&got), buf_view(&want));
        (void)law_check(law, !differs, "%llu: %s", (unsigned long long)seed, differs);
        (void)law_check(law, diag_total(&again.diag) == 0, "%llu: findings",
                        (unsigned long long)seed);
    }
    tracy_free(&again);
    buf_free(&want);
    buf_free(&got);
}

// By way of the other generation and back.
static void check_other(const struct tracy *t, struct random *r, uint64_t seed)
{
    struct tracy other;
    struct err e = {0};
    struct buf there = {0}, back = {0};
    enum tracy_generation g = t->generation == TRACY_F10 ? TRACY_U14 : TRACY_F10;
    str file = write_text(t, any_form(r, g), &there);
    if (law_check(&laws[LAW_OTHER],
                  tracy_read_text(&other, file, "made",
                                  (struct tracy_read_how){.is_strict = true}, &e),
                  "%llu: %s", (unsigned long long)seed, e.text)) {
        file = write_text(&other, any_form(r, t->generation), &back);
        other.delay = t->delay;
        check_back(&laws[LAW_OTHER], t, file, seed);
    }
    tracy_free(&other);
    buf_free(&there);
    buf_free(&back);
}

// --- damage ------------------------------------------------------------------------------

static bool is_same_zone(const struct tracy_zone *a, const struct tracy_zone *b)
{
    return a->start == b->start && a->place == b->place && a->extra == b->extra &&
           (a->end == b->end || b->end == -1) && b->children <= a->children;
}

// Whether the zones of `part` are the first ones of `whole`.
static bool is_beginning(const struct tracy *whole, const struct tracy *part)
{
    if (part->threads.n > whole->threads.n)
        return false;
    for (size_t i = 0; i < part->threads.n; i++) {
        const struct pile *a = &whole->threads.v[i].zones, *b = &part->threads.v[i].zones;
        if (b->n > a->n || (i + 1 < part->threads.n && b->n < a->n))
            return false;
        for (size_t k = 0; k < b->n; k++)
            if (!is_same_zone(pile_at(a, k), pile_at(b, k)))
                return false;
    }
    return true;
}

static void check_cut(const struct tracy *t, str file, struct random *r, uint64_t seed)
{
    struct tracy part;
    struct err e = {0};
    struct law *law = &laws[LAW_CUT];
    size_t n = random_below(r, (uint32_t)file.n);
    if (tracy_read_text(&part, (str){file.p, n}, "cut", (struct tracy_read_how){0}, &e)) {
        (void)law_check(law, part.diag.entry[DIAG_TRACY_DAMAGED].count == 1, "%llu: unsaid",
                        (unsigned long long)seed);
        (void)law_check(law, is_beginning(t, &part), "%llu: other zones at %zu",
                        (unsigned long long)seed, n);
        const char *loose = tracy_loose_end(&part);
        (void)law_check(law, !loose, "%llu: %s", (unsigned long long)seed, loose);
    } else
        (void)law_check(law, e.code == ERR_FORMAT, "%llu: no error",
                        (unsigned long long)seed);
    tracy_free(&part);
}

static void check_damage(str file, struct random *r, uint64_t seed)
{
    struct tracy t;
    struct err e = {0};
    struct buf damaged = {0};
    buf_str(&damaged, file);
    for (uint32_t i = 0, n = 1 + random_below(r, 4); i < n; i++)
        damaged.p[random_below(r, (uint32_t)file.n)] ^= (char)(1 << random_below(r, 8));
    if (tracy_read_text(&t, buf_view(&damaged), "flipped", (struct tracy_read_how){0},
                        &e)) {
        const char *loose = tracy_loose_end(&t);
        (void)law_check(&laws[LAW_DAMAGE], !loose, "%llu: %s", (unsigned long long)seed,
                        loose);
    } else
        (void)law_check(&laws[LAW_DAMAGE], e.code == ERR_FORMAT, "%llu: no error",
                        (unsigned long long)seed);
    tracy_free(&t);
    buf_free(&damaged);
}

static void play(uint64_t seed)
{
    struct random r = {seed};
    struct tracy t;
    static const char *const threads[] = {"1", "2", "3"};
    (void)setenv("TTPROF_THREADS", threads[random_below(&r, 3)], 1);
    struct tracy_sample_how how = {.seed = seed,
                                   .generation = random_below(&r, TRACY_FILE_GENERATIONS),
                                   .most = 1 + random_below(&r, 12),
                                   .n_zones = random_below(&r, 300),
                                   .n_places = random_below(&r, 20),
                                   .n_made = random_below(&r, 20)};
    if (random_one_in(&r, 10))
        how.n_zones = 10000; // several blocks for each stream
    tracy_sample_make(&t, how);
    struct buf text = {0};
    str file = write_text(&t, any_form(&r, t.generation), &text);
    check_back(&laws[LAW_BACK], &t, file, seed);
    for (unsigned i = 0; i < 4; i++) {
        check_cut(&t, file, &r, seed);
        check_damage(file, &r, seed);
    }
    if (t.generation == TRACY_F10) {
        t.delay = 0;
        check_other(&t, &r, seed);
    }
    buf_free(&text);
    tracy_free(&t);
}

// --- more places than a file has numbers for -----------------------------------------

static bool has_name(const struct tracy *t, const struct tracy_zone *z, str want)
{
    const struct tracy_extra *x = pile_at(&t->extras, z->extra);
    if (str_is(tracy_place_name(t, z->place), "(places beyond 32767)"))
        return x->name && str_eq(tracy_string(t, x->name - 1), want);
    return str_eq(tracy_place_name(t, z->place), want);
}

static void check_places(uint64_t seed, uint32_t n_places, uint32_t n_made)
{
    struct tracy t, again;
    struct err e = {0};
    struct buf text = {0};
    struct law *law = &laws[LAW_PLACES];
    tracy_sample_make(&t, (struct tracy_sample_how){.seed = seed,
                                                    .most = 5,
                                                    .n_zones = 5000,
                                                    .n_places = n_places,
                                                    .n_made = n_made});
    str file = write_text(&t, (struct tracy_write_how){0}, &text);
    (void)law_check(law,
                    tracy_read_text(&again, file, "made",
                                    (struct tracy_read_how){.is_strict = true}, &e),
                    "%s", e.text);
    (void)law_check(law, again.places.n <= 32768 && again.made_places.n <= 32767,
                    "%zu, %zu places", again.places.n, again.made_places.n);
    for (size_t i = 0; i < t.threads.n; i++)
        for (size_t k = 0; k < t.threads.v[i].zones.n; k++) {
            const struct tracy_zone *a = pile_at(&t.threads.v[i].zones, k);
            const struct tracy_zone *b = pile_at(&again.threads.v[i].zones, k);
            const struct tracy_extra *x = pile_at(&t.extras, a->extra),
                                     *y = pile_at(&again.extras, b->extra);
            str name = tracy_place_name(&t, a->place);
            bool is_named = x->name || str_is(name, "???") || has_name(&again, b, name);
            (void)law_check(law, is_named, "zone %zu: not '%.*s'", k, STR(name));
            (void)law_check(law,
                            x->text == y->text && x->colour == y->colour &&
                                (!x->name || x->name == y->name),
                            "zone %zu: another extra", k);
        }
    tracy_free(&t);
    tracy_free(&again);
    buf_free(&text);
}

int main(void)
{
    struct prop_scenes s = prop_scenes("TTPROF_PROP_TRACY", 300);
    for (uint64_t seed = s.from; seed < s.to; seed++)
        play(seed);
    check_places(1, 40000, 40000);
    check_places(2, 32768, 3);
    check_places(3, 3, 32768);
    check_places(4, 32767, 32767);
    return laws_report(laws, LAWS);
}
