// chart.c - contents and layout of the chart.
//
// Groups become segments; the segments of a device form one bar. Heights are rounded from
// running sums, never summed from rounded ones: a bar of hundreds of slivers is as high as
// one of a single block.
#include "present/page/chart.h"

#include <fontconfig/fontconfig.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/num.h"

#include "present/page/chart_draw.h"

enum {
    DPI = 300,
    HEIGHT = 8 * DPI,
    MIN_WIDTH = 6 * DPI,
    DEVICE_WIDTH = 2 * DPI,
    MAX_WIDTH = 30000, // cairo limits images to 32767
    MARGIN = 50,
    TITLE_ROOM = 150,
    SLIM = 200, // narrower bars get upright text rather than cut text
    LEGEND_ROW = 52,
    LEGEND_COLUMN = 560,
};
#define SMALL_SHARE 2.0 // percent; smaller segments carry no text
#define MICRO       "\xce\xbcs"
#define NO_TIME     "No device time to show"

struct segment {
    const struct summary_group *group;
    size_t index; // in the summary: table order
    double time;
    struct rgb fill;
};

struct bar {
    const struct segment *segments;
    size_t n;
    int32_t device;
    double total;
};

struct chart {
    const struct summary *s;
    bool is_classic;
    struct arena arena;
    struct segment *segments;
    struct bar *bars;
    size_t n_bars;
    double total;
    double category_time[CATEGORIES];
    size_t n_small;
    double small_time;
    cairo_t *cr;
    double width;
    struct box plot;
};

// From the bottom of the bar up; the host is left out.
static const enum category stack_order[CATEGORIES] = {
    CATEGORY_COMPUTE, CATEGORY_TM, CATEGORY_DM, CATEGORY_OTHER, CATEGORY_HOST,
};

static int place_of(const struct segment *s)
{
    int i = 0;
    while (i < CATEGORIES - 1 && stack_order[i] != s->group->category)
        i++;
    return i;
}

static int by_index(const struct segment *x, const struct segment *y)
{
    return (x->index > y->index) - (x->index < y->index);
}

static int by_device_and_index(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    int32_t d = x->group->device, e = y->group->device;
    return d != e ? (d > e) - (d < e) : by_index(x, y);
}

// Within a category the table is sorted by time, longest first.
static int by_device_and_category(const void *a, const void *b)
{
    const struct segment *x = a, *y = b;
    int32_t d = x->group->device, e = y->group->device;
    if (d != e)
        return (d > e) - (d < e);
    int p = place_of(x), q = place_of(y);
    return p != q ? p - q : by_index(x, y);
}

static int by_key(const void *a, const void *b)
{
    const struct segment *x = *(struct segment *const *)a, *y = *(struct segment *const *)b;
    int c = str_cmp(x->group->key, y->group->key);
    return c ? c : by_index(x, y);
}

// The segments of one key on all devices share a colour.
struct tint {
    struct segment **segments;
    size_t n, index;
};

static int tint_by_index(const void *a, const void *b)
{
    const struct tint *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

// Colours follow table order: the first group is the darkest of its category, or takes the
// first colour of the cycle.
static void colour_segments(struct chart *c)
{
    size_t n = c->s->n_groups, n_tints = 0, n_of[CATEGORIES] = {0},
           rank_of[CATEGORIES] = {0};
    struct segment **sorted = push_many(&c->arena, struct segment *, n);
    struct tint *tints = push_many(&c->arena, struct tint, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &c->segments[i];
    qsort(sorted, n, sizeof(struct segment *), by_key);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !str_eq(sorted[i - 1]->group->key, sorted[i]->group->key)) {
            tints[n_tints++] =
                (struct tint){.segments = &sorted[i], .index = sorted[i]->index};
            n_of[sorted[i]->group->category]++;
        }
        tints[n_tints - 1].n++;
    }
    qsort(tints, n_tints, sizeof *tints, tint_by_index);
    for (size_t i = 0; i < n_tints; i++) {
        enum category k = tints[i].segments[0]->group->category;
        struct rgb fill =
            c->is_classic ? draw_cycle(i) : draw_shade(k, rank_of[k]++, n_of[k]);
        for (size_t j = 0; j < tints[i].n; j++)
            tints[i].segments[j]->fill = fill;
    }
}

static void add_to_bar(struct chart *c, const struct segment *s)
{
    bool is_new = c->n_bars == 0 ||
                  (c->s->is_by_device && c->bars[c->n_bars - 1].device != s->group->device);
    if (is_new)
        c->bars[c->n_bars++] = (struct bar){.segments = s, .device = s->group->device};
    struct bar *b = &c->bars[c->n_bars - 1];
    b->n++;
    b->total += s->time;
    c->total += s->time;
    c->category_time[s->group->category] += s->time;
}

static double share_of_total(double part, double whole)
{
    return whole > 0 ? part / whole * 100 : 0;
}

static void chart_build(struct chart *c)
{
    size_t n = c->s->n_groups;
    c->segments = push_many(&c->arena, struct segment, n);
    c->bars = push_many(&c->arena, struct bar, n);
    for (size_t i = 0; i < n; i++) {
        const struct summary_group *g = &c->s->groups[i];
        // No measurement exceeds 1e15 (30 years), and sums below that cannot overflow.
        double time = g->time > 0 && g->time < 1e15 ? g->time : 0;
        c->segments[i] = (struct segment){.group = g, .index = i, .time = time};
    }
    if (n == 0)
        return;
    colour_segments(c);
    qsort(c->segments, n, sizeof *c->segments,
          c->is_classic ? by_device_and_index : by_device_and_category);
    for (size_t i = 0; i < n; i++)
        add_to_bar(c, &c->segments[i]);
    for (size_t i = 0; i < c->n_bars; i++)
        for (size_t j = 0; j < c->bars[i].n; j++) {
            double time = c->bars[i].segments[j].time;
            if (time > 0 && share_of_total(time, c->bars[i].total) < SMALL_SHARE) {
                c->n_small++;
                c->small_time += time;
            }
        }
}

// Formats `before`, the number with its decimals, `after`.
static str number_text(struct chart *c, const char *before, double v, int decimals,
                       bool commas, const char *after)
{
    struct buf b = {0};
    buf_z(&b, before);
    num_put_fixed(&b, v, decimals, commas);
    buf_z(&b, after);
    str text = arena_str(&c->arena, buf_view(&b));
    buf_free(&b);
    return text;
}

static void util_line(struct buf *b, const struct summary_group *g)
{
    buf_z(b, " Util [");
    num_put_fixed(b, g->flops_min, 1, false);
    buf_z(b, " - ");
    num_put_fixed(b, g->flops_max, 1, false);
    buf_z(b, "]");
    if (g->has_weighted) {
        buf_z(b, " weighted_mean=");
        num_put_fixed(b, g->flops_weighted, 1, false);
        buf_z(b, "%");
    }
    buf_z(b, " (mean=");
    num_put_fixed(b, g->flops_mean, 1, false);
    if (g->n_flops > 1) { // one op has no deviation
        buf_z(b, " \xc2\xb1 ");
        num_put_fixed(b, g->flops_std, 1, false);
    }
    buf_z(b, "%)");
}

static void label_segment(struct chart *c, const struct segment *s, struct box box)
{
    const struct summary_group *g = s->group;
    struct draw_label l = {.size = 28, .align = DRAW_LEFT, .n = 1};
    struct buf after = {0}, util = {0};
    buf_z(&after, " total=");
    num_put_fixed(&after, s->time, 1, false);
    buf_printf(&after, " " MICRO "; %zu ops", g->n_ops);
    l.lines[0] = (struct draw_line){
        .before = number_text(c, "(", share_of_total(s->time, c->total), 1, false, " %) "),
        .key = draw_clean(&c->arena, g->key),
        .after = buf_view(&after),
    };
    // The table by category has no FLOPs either.
    if (g->n_flops && !c->s->is_by_category && box.h >= draw_height(2, DRAW_MIN_SIZE)) {
        util_line(&util, g);
        l.lines[l.n++].key = buf_view(&util);
    }
    box.x += 20;
    box.w -= 40;
    (void)draw_label(c->cr, &c->arena, &l, box);
    buf_free(&after);
    buf_free(&util);
}

// The form of the label that fits best uncut; else the first whose height fits.
static size_t best_form(struct chart *c, const struct draw_label *forms, size_t n,
                        struct box box, double *size)
{
    size_t best = n - 1;
    *size = 0;
    for (size_t i = 0; i < n; i++) {
        double fit = draw_fit(c->cr, &c->arena, &forms[i], box);
        if (fit > *size) {
            best = i;
            *size = fit;
        }
    }
    for (size_t i = 0; i < n && *size < DRAW_MIN_SIZE; i++)
        if (box.h >= draw_height(forms[i].n, DRAW_MIN_SIZE))
            return i;
    return best;
}

// Share, key and time on a line each. If the key is too long its memory gets its own line;
// a flat segment has all on one line, a slim one has upright text.
static void label_device_segment(struct chart *c, const struct segment *s, double total,
                                 struct box box)
{
    box = (struct box){box.x + 8, box.y + 4, box.w - 16, box.h - 6};
    if (fmin(box.w, box.h) < DRAW_MIN_SIZE) // thousands of devices: no text would fit
        return;
    str key = draw_clean(&c->arena, s->group->key);
    str percent = number_text(c, "", share_of_total(s->time, total), 1, false, " % ");
    str time = number_text(c, " ", s->time, 0, false, " " MICRO);
    struct draw_line first = {.before = {percent.p, percent.n - 1}};
    struct draw_line last = {.before = str_from(time, 1)};
    size_t cut = str_find(key, S(" ("));
    str name = {key.p, cut == STR_NOT_FOUND ? 0 : cut}, memory = str_from(key, name.n + 1);
    const struct draw_label forms[3] = {
        {{first, {.key = key}, last}, 3, 28, DRAW_MIDDLE},
        {{{percent, key, time}}, 1, 28, DRAW_MIDDLE},
        {{first, {.key = name}, {.key = memory}, last}, 4, 28, DRAW_MIDDLE},
    };
    size_t n = cut == STR_NOT_FOUND ? 2 : 3;
    double size;
    size_t best = best_form(c, forms, n, box, &size);
    cairo_save(c->cr);
    if (size < DRAW_MIN_SIZE && box.w < SLIM && box.h > 2 * box.w) {
        box = draw_turn(c->cr, box);
        best = best_form(c, forms, n, box, &size);
    }
    (void)draw_label(c->cr, &c->arena, &forms[best], box);
    cairo_restore(c->cr);
}

static void paint_segments(struct chart *c, const struct bar *b, double x, double w)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct segment *s = &b->segments[i];
        double bottom = draw_level(c->plot, sum, b->total);
        sum += s->time;
        double top = draw_level(c->plot, sum, b->total);
        struct box box = {x, top, w, bottom - top};
        if (box.h < 1)
            continue;
        draw_fill(c->cr, box, s->fill);
        if (box.h >= 4) // a thin gap, unless it would cover the segment
            draw_fill(c->cr, (struct box){x, top, w, box.h < 16 ? 1 : 2}, draw_white);
        if (share_of_total(s->time, b->total) < SMALL_SHARE)
            continue;
        struct rgb ink = draw_ink(s->fill);
        cairo_set_source_rgb(c->cr, ink.r, ink.g, ink.b);
        if (c->s->is_by_device)
            label_device_segment(c, s, b->total, box);
        else
            label_segment(c, s, box);
    }
}

// Frames and names; a name that does not fit upright is drawn level or left to the legend.
static void paint_categories(struct chart *c, const struct bar *b, double x, double w,
                             double strip)
{
    double sum = 0;
    for (size_t i = 0; i < b->n;) {
        enum category k = b->segments[i].group->category;
        double from = sum;
        for (; i < b->n && b->segments[i].group->category == k; i++)
            sum += b->segments[i].time;
        double top = draw_level(c->plot, sum, b->total),
               bottom = draw_level(c->plot, from, b->total);
        if (bottom - top < 1)
            continue;
        draw_frame(c->cr, (struct box){x, top, w, bottom - top}, fmin(3, w / 25));
        struct box box = {x + w + 6, top, strip - 6, bottom - top};
        struct draw_label l = {.size = 30, .align = DRAW_LEFT, .n = 1};
        l.lines[0].before = str_of(category_name(k));
        l.lines[0].after =
            number_text(c, "(", share_of_total(sum - from, b->total), 1, false, "%)");
        str text = arena_printf(&c->arena, "%s%s", category_name(k), l.lines[0].after.p);
        if (!draw_upright(c->cr, text.p, box, 34))
            (void)draw_label(c->cr, &c->arena, &l, box);
    }
}

static void name_device(struct chart *c, const struct bar *b, double x, double w)
{
    str name = arena_printf(&c->arena, "Dev %d", b->device);
    struct draw_label l = {{{.before = name}}, 1, fmin(34, w / 4), DRAW_MIDDLE};
    cairo_set_source_rgb(c->cr, 0, 0, 0);
    (void)draw_label(c->cr, &c->arena, &l,
                     (struct box){x, c->plot.y + c->plot.h + 6, w, 50});
}

static void paint_bars(struct chart *c)
{
    bool is_many = c->s->is_by_device;
    double pitch = c->plot.w / (double)c->n_bars;
    double before = is_many ? floor(pitch * 0.05) : 24; // room left and right of the bar
    double after = is_many ? pitch * 0.11 : c->is_classic ? 24 : 120;
    double w = fmax(1, floor(pitch - before - after));
    for (size_t i = 0; i < c->n_bars; i++) {
        const struct bar *b = &c->bars[i];
        double x = floor(c->plot.x + pitch * (double)i) + before;
        if (is_many)
            name_device(c, b, x, w);
        if (b->total > 0)
            paint_segments(c, b, x, w);
        else
            (void)draw_upright(c->cr, NO_TIME, (struct box){x, c->plot.y, w, c->plot.h},
                               34);
        if (b->total > 0 && !c->is_classic)
            paint_categories(c, b, x, w, after);
    }
}

static struct draw_axis axis_of(const struct chart *c)
{
    return c->s->is_by_device
               ? (struct draw_axis){.max = 100, .unit = " %", .title = "Device Time [%]"}
               : (struct draw_axis){.max = c->total,
                                    .unit = " " MICRO,
                                    .title = "Device Time [" MICRO "]"};
}

static void paint_title(struct chart *c)
{
    str title = c->s->is_by_device
                    ? S("Stacked Device Time per Device (100% per device)")
                    : number_text(c, "Stacked Device Time (Total: ", c->total, 1, false,
                                  " " MICRO ")");
    struct draw_label l = {{{.key = title}}, 1, 54, DRAW_MIDDLE};
    (void)draw_label(c->cr, &c->arena, &l,
                     (struct box){MARGIN, 20, c->width - 2 * MARGIN, TITLE_ROOM - 40});
}

static size_t legend_columns(const struct chart *c)
{
    return (size_t)((c->width - 2 * MARGIN) / LEGEND_COLUMN);
}

static size_t legend_entries(const struct chart *c)
{
    size_t n = 0;
    for (int i = 0; i < CATEGORIES; i++)
        n += c->category_time[i] > 0;
    return c->is_classic ? 0 : n;
}

static double legend_height(const struct chart *c)
{
    size_t columns = legend_columns(c);
    size_t rows = (legend_entries(c) + columns - 1) / columns + (c->n_small > 0);
    return (double)rows * LEGEND_ROW;
}

static void paint_legend_entry(struct chart *c, enum category k, struct box box)
{
    draw_fill(c->cr, (struct box){box.x, box.y + 8, 36, 36}, draw_shade(k, 0, 1));
    draw_frame(c->cr, (struct box){box.x, box.y + 8, 36, 36}, 2);
    str time = number_text(c, " ", c->category_time[k], 1, true, " " MICRO);
    str percent = number_text(c, " (", share_of_total(c->category_time[k], c->total), 1,
                              false, " %)");
    str text = arena_printf(&c->arena, "%s%s%s", category_name(k), time.p, percent.p);
    struct draw_label l = {{{.key = text}}, 1, 30, DRAW_LEFT};
    (void)draw_label(c->cr, &c->arena, &l,
                     (struct box){box.x + 50, box.y, box.w - 70, box.h});
}

static void paint_legend(struct chart *c)
{
    double x = MARGIN + 20, y = HEIGHT - 30 - legend_height(c);
    size_t columns = legend_columns(c), n = 0;
    for (int i = 0; i < CATEGORIES && !c->is_classic; i++) {
        enum category k = stack_order[i];
        if (c->category_time[k] <= 0)
            continue;
        double at = x + (double)(n % columns) * LEGEND_COLUMN;
        if (n > 0 && n % columns == 0)
            y += LEGEND_ROW;
        paint_legend_entry(c, k, (struct box){at, y, LEGEND_COLUMN, LEGEND_ROW});
        n++;
    }
    if (c->n_small == 0)
        return;
    y = HEIGHT - 30 - LEGEND_ROW;
    cairo_set_source_rgb(c->cr, 0, 0, 0);
    str percent =
        number_text(c, "", share_of_total(c->small_time, c->total), 1, false, " %");
    str text =
        arena_printf(&c->arena, "%zu %s%s under 2 %%%s (%s%s)", c->n_small,
                     c->s->is_by_device ? "segment" : "group", c->n_small == 1 ? "" : "s",
                     c->s->is_by_device ? " of their device" : "", percent.p,
                     c->s->is_by_device ? " of all device time" : "");
    struct draw_label l = {{{.key = text}}, 1, 30, DRAW_LEFT};
    (void)draw_label(c->cr, &c->arena, &l,
                     (struct box){x, y, c->width - 2 * x, LEGEND_ROW});
}

static void chart_paint(struct chart *c)
{
    struct draw_axis axis = axis_of(c);
    double left = draw_axis_room(c->cr, &c->arena, &axis);
    double bottom = 60 + legend_height(c) + (c->s->is_by_device ? 50 : 0);
    c->plot =
        (struct box){left, TITLE_ROOM, c->width - left - 25, HEIGHT - TITLE_ROOM - bottom};
    cairo_set_source_rgb(c->cr, 0, 0, 0);
    paint_title(c);
    draw_axis(c->cr, &c->arena, &axis, c->plot);
    if (c->total > 0) {
        paint_bars(c);
        paint_legend(c);
    } else {
        draw_text(c->cr, NO_TIME, c->plot.x + c->plot.w / 2, c->plot.y + c->plot.h / 2, 54,
                  DRAW_MIDDLE);
    }
}

bool chart_write_png(const struct summary *s, bool classic_colors, const char *path,
                     struct err *e)
{
    struct chart c = {.s = s, .is_classic = classic_colors, .width = MIN_WIDTH};
    chart_build(&c);
    if (s->is_by_device)
        c.width = fmin(fmax(MIN_WIDTH, (double)c.n_bars * DEVICE_WIDTH), MAX_WIDTH);
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)c.width, HEIGHT);
    c.cr = cairo_create(surface);
    draw_start(c.cr);
    chart_paint(&c);
    cairo_status_t status = cairo_status(c.cr);
    cairo_destroy(c.cr);
    bool is_written = status == CAIRO_STATUS_SUCCESS
                          ? draw_write_png(surface, DPI, path, e)
                          : err_set(e, ERR_IO, "%s: no picture: %s", path,
                                    cairo_status_to_string(status));
    cairo_surface_destroy(surface);
    // Free the caches of the font libraries.
    cairo_debug_reset_static_data();
    FcFini();
    arena_free(&c.arena);
    return is_written;
}
