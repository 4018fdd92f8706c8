// chart.c - what the chart shows and where it stands.
//
// Groups become segments, segments of one device stand in one bar. Heights are rounded from
// running sums, never added up from rounded ones: a bar of hundreds of slivers is as high
// as one of a single block.
#include "present/chart.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/num.h"

#include "present/chart_draw.h"

enum {
    DPI = 300,
    HEIGHT = 8 * DPI,
    MIN_WIDTH = 6 * DPI,
    DEVICE_WIDTH = 2 * DPI,
    MAX_WIDTH = 30000, // cairo's images end at 32767
    MARGIN = 50,
    TITLE_ROOM = 150,
    LEGEND_ROW = 52,
    LEGEND_COLUMN = 560,
};
#define SMALL_SHARE 2.0 // percent; segments below it carry no text: spec 14.4
#define MICRO       "\xce\xbcs"

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

// From the bottom of the bar up: the spec's order, which leaves out the host.
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

// Within a category the table's order is that of time, longest first.
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

// The segments of one key, on whatever device: they share a colour.
struct tint {
    struct segment **segments;
    size_t n, index;
};

static int tint_by_index(const void *a, const void *b)
{
    const struct tint *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

// Colours follow the table: the group that comes first there is the darkest of its
// category, or the first of the cycle.
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

static double share(double part, double whole)
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
        // Beyond 1e15 (30 years) nothing is a measurement; sums of less cannot overflow.
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
            if (time > 0 && share(time, c->bars[i].total) < SMALL_SHARE) {
                c->n_small++;
                c->small_time += time;
            }
        }
}

// A text put together from pieces: z, number with decimals, z.
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
        .before = number_text(c, "(", share(s->time, c->total), 1, false, " %) "),
        .key = draw_clean(&c->arena, g->key),
        .after = buf_view(&after),
    };
    // By category the table has no FLOPs either.
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

// Share, key and time on a line each; in a narrow bar the key's memory gets a line of its
// own, in a flat segment all stand on one line.
static void label_device_segment(struct chart *c, const struct segment *s, double total,
                                 struct box box)
{
    str key = draw_clean(&c->arena, s->group->key), name = key, memory = {0};
    size_t cut = str_find(key, S(" ("));
    if (cut != STR_NOT_FOUND) {
        name.n = cut;
        memory = str_from(key, cut + 1);
    }
    str percent = number_text(c, "", share(s->time, total), 1, false, " %");
    str time = number_text(c, "", s->time, 0, false, " " MICRO);
    struct draw_label forms[3] = {
        {{{.key = percent}, {.key = key}, {.key = time}}, 3, 28, DRAW_MIDDLE},
        {{{.key = percent}, {.key = name}, {.key = memory}, {.key = time}},
         4,
         28,
         DRAW_MIDDLE},
        {{{number_text(c, "", share(s->time, total), 1, false, " % "), key,
           number_text(c, " ", s->time, 0, false, " " MICRO)}},
         1,
         28,
         DRAW_MIDDLE},
    };
    box = (struct box){box.x + 6, box.y + 4, box.w - 12, box.h - 6};
    size_t best = 0;
    double best_size = 0;
    for (size_t i = 0; i < 3; i++) {
        double size =
            i == 1 && memory.n == 0 ? 0 : draw_fit(c->cr, &c->arena, &forms[i], box);
        if (size > best_size) {
            best = i;
            best_size = size;
        }
    }
    if (best_size < DRAW_MIN_SIZE) // it will be cut: in as many lines as there is room for
        best = box.h >= draw_height(3, DRAW_MIN_SIZE) ? 0 : 2;
    (void)draw_label(c->cr, &c->arena, &forms[best], box);
}

// Where a running sum stands, on a whole pixel.
static double level(const struct chart *c, double sum, double total)
{
    return round(c->plot.y + c->plot.h * (1 - fmin(1, sum / total)));
}

static void paint_segments(struct chart *c, const struct bar *b, double x, double w)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        const struct segment *s = &b->segments[i];
        double bottom = level(c, sum, b->total);
        sum += s->time;
        double top = level(c, sum, b->total);
        struct box box = {x, top, w, bottom - top};
        if (box.h < 1)
            continue;
        draw_fill(c->cr, box, s->fill);
        if (box.h >= 4) // a thin gap, unless there would be little else
            draw_fill(c->cr, (struct box){x, top, w, box.h < 16 ? 1 : 2}, draw_white);
        if (share(s->time, b->total) < SMALL_SHARE)
            continue;
        struct rgb ink = draw_ink(s->fill);
        cairo_set_source_rgb(c->cr, ink.r, ink.g, ink.b);
        if (c->s->is_by_device)
            label_device_segment(c, s, b->total, box);
        else
            label_segment(c, s, box);
    }
}

// Frames and names; a name that finds no room upright lies, or is left to the legend.
static void paint_categories(struct chart *c, const struct bar *b, double x, double w,
                             double strip)
{
    double sum = 0;
    for (size_t i = 0; i < b->n;) {
        enum category k = b->segments[i].group->category;
        double from = sum;
        for (; i < b->n && b->segments[i].group->category == k; i++)
            sum += b->segments[i].time;
        double top = level(c, sum, b->total), bottom = level(c, from, b->total);
        if (bottom - top < 1)
            continue;
        draw_frame(c->cr, (struct box){x, top, w, bottom - top}, 3);
        struct box box = {x + w + 6, top, strip - 6, bottom - top};
        struct draw_label l = {.size = 30, .align = DRAW_LEFT, .n = 1};
        l.lines[0].before = str_of(category_name(k));
        l.lines[0].after = number_text(c, "(", share(sum - from, b->total), 1, false, "%)");
        str text = arena_printf(&c->arena, "%s%s", category_name(k), l.lines[0].after.p);
        if (!draw_upright(c->cr, text.p, box, 34))
            (void)draw_label(c->cr, &c->arena, &l, box);
    }
}

static void paint_bars(struct chart *c)
{
    double pitch = c->plot.w / (double)c->n_bars;
    for (size_t i = 0; i < c->n_bars; i++) {
        const struct bar *b = &c->bars[i];
        double left = floor(c->plot.x + pitch * (double)i), x, w, strip;
        if (c->s->is_by_device) {
            x = left + floor(pitch * 0.05);
            w = fmax(1, floor(pitch * 0.84));
            strip = pitch * 0.1;
            str name = arena_printf(&c->arena, "Dev %d", b->device);
            struct draw_label l = {{{.key = name}}, 1, 34, DRAW_MIDDLE};
            cairo_set_source_rgb(c->cr, 0, 0, 0);
            (void)draw_label(
                c->cr, &c->arena, &l,
                (struct box){left, c->plot.y + c->plot.h + 6, x - left + w + strip, 50});
        } else {
            strip = c->is_classic ? 24 : 120;
            x = left + 24;
            w = floor(pitch - 24 - strip);
        }
        if (b->total <= 0)
            continue;
        paint_segments(c, b, x, w);
        if (!c->is_classic)
            paint_categories(c, b, x, w, strip);
    }
}

// 1, 2 or 5 times a power of ten, so that there are about `count` steps up to max.
static double nice_step(double max, double count)
{
    double power = pow(10, floor(log10(max / count))), m = max / count / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

struct axis {
    double max, step;
    int decimals;
    const char *unit;
};

static struct axis axis_of(const struct chart *c)
{
    struct axis a = {.max = c->total, .unit = " " MICRO};
    if (c->s->is_by_device)
        a = (struct axis){.max = 100, .unit = " %"};
    // Without time there is only the zero; below 1e-12 decimals would run off the page.
    if (a.max > 1e-11) {
        a.step = nice_step(a.max, 10);
        a.decimals = (int)fmax(0, -floor(log10(a.step) + 1e-9));
    }
    return a;
}

static size_t axis_ticks(const struct axis *a)
{
    return a->step > 0 ? (size_t)(a->max / a->step + 1e-9) + 1 : 1;
}

static str tick_text(struct chart *c, const struct axis *a, size_t i)
{
    return number_text(c, "", a->step * (double)i, a->decimals, true, a->unit);
}

static void paint_axis(struct chart *c, const struct axis *a)
{
    struct box p = c->plot;
    for (size_t i = 0; i < axis_ticks(a); i++) {
        double y = a->step > 0 ? level(c, a->step * (double)i, a->max) : p.y + p.h;
        draw_fill(c->cr, (struct box){p.x, y - 1, p.w, 2}, (struct rgb){0.86, 0.86, 0.86});
        draw_fill(c->cr, (struct box){p.x - 12, y - 1, 12, 3}, draw_black);
        draw_text(c->cr, tick_text(c, a, i).p, p.x - 20, y + 11, 30, DRAW_RIGHT);
    }
    draw_fill(c->cr, (struct box){p.x - 2, p.y, 3, p.h}, draw_black);
    draw_fill(c->cr, (struct box){p.x - 2, p.y + p.h - 1, p.w + 2, 3}, draw_black);
    (void)draw_upright(c->cr,
                       c->s->is_by_device ? "Device Time [%]" : "Device Time [" MICRO "]",
                       (struct box){20, p.y, 60, p.h}, 36);
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
    draw_fill(c->cr, (struct box){box.x, box.y + 8, 36, 36}, draw_shade(k, 1, 1));
    draw_frame(c->cr, (struct box){box.x, box.y + 8, 36, 36}, 2);
    str time = number_text(c, " ", c->category_time[k], 1, true, " " MICRO);
    str percent =
        number_text(c, " (", share(c->category_time[k], c->total), 1, false, " %)");
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
    str percent = number_text(c, "", share(c->small_time, c->total), 1, false, " %");
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
    struct axis axis = axis_of(c);
    double widest = 0;
    for (size_t i = 0; i < axis_ticks(&axis); i++)
        widest = fmax(widest, draw_width(c->cr, tick_text(c, &axis, i).p) * 30);
    double left = ceil(90 + widest + 20),
           bottom = 60 + legend_height(c) + (c->s->is_by_device ? 50 : 0);
    c->plot = (struct box){left, TITLE_ROOM, c->width - left - MARGIN / 2.0,
                           HEIGHT - TITLE_ROOM - bottom};
    cairo_set_source_rgb(c->cr, 0, 0, 0);
    paint_title(c);
    paint_axis(c, &axis);
    if (c->total > 0) {
        paint_bars(c);
        paint_legend(c);
    } else {
        draw_text(c->cr, "No device time to show", c->plot.x + c->plot.w / 2,
                  c->plot.y + c->plot.h / 2, 54, DRAW_MIDDLE);
    }
}

static cairo_status_t write_some(void *out, const unsigned char *p, unsigned n)
{
    struct out *o = out;
    buf_str(&o->b, (str){(const char *)p, n});
    out_flush_some(o);
    return o->error ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static bool write_surface(cairo_surface_t *surface, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    cairo_status_t status = cairo_surface_write_to_png_stream(surface, write_some, &o);
    if (status == CAIRO_STATUS_SUCCESS || o.error) // a failed write is told by out_close
        return out_close(&o, e);
    out_abandon(&o);
    return err_set(e, ERR_IO, "%s: no picture: %s", path, cairo_status_to_string(status));
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
                          ? write_surface(surface, path, e)
                          : err_set(e, ERR_IO, "%s: no picture: %s", path,
                                    cairo_status_to_string(status));
    cairo_surface_destroy(surface);
    arena_free(&c.arena);
    return is_written;
}
