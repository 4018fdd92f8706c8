// train_chart.c - the op timeline of a step as a picture: a bar for each op in order, and
// bands for the segments between markers.
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <math.h>

#include "base/text/num.h"

#include "present/page/chart_draw.h"
#include "present/page/train_doc.h"

enum {
    ROW = 22,
    MARGIN = 40,
    NAMES = 520, // room for op codes left of the plot
    PLOT = 1400,
    LABELS = 420, // room for segment names right of it
    TITLE = 90,
    FOOT = 80,
    ROWS_MOST = 1200, // cairo limits images to 32767 pixels
    DPI = 100,
};

struct picture {
    const struct train_view *v;
    struct arena arena;
    cairo_t *cr;
    size_t n_rows;
    double most_ms, height;
};

static double row_y(size_t row)
{
    return TITLE + (double)row * ROW;
}

static const char *millis(struct picture *p, double ms, const char *more)
{
    struct buf b = {0};
    num_put_fixed(&b, ms, 3, false);
    buf_printf(&b, " ms%s", more);
    const char *text = arena_str(&p->arena, buf_view(&b)).p;
    buf_free(&b);
    return text;
}

static void paint_bands(struct picture *p)
{
    static const struct rgb colours[] = {{0.89, 0.94, 0.99}, {1.00, 0.95, 0.86},
                                         {0.90, 0.96, 0.90}, {1.00, 0.91, 0.91},
                                         {0.95, 0.90, 0.96}, {1.00, 0.99, 0.88}};
    const struct train_step *s = p->v->step;
    for (size_t i = 0; i < s->segments.n; i++) {
        const struct train_segment *g = &s->segments.v[i];
        if (!g->n_ops || g->first >= p->n_rows)
            continue;
        size_t end = g->first + g->n_ops < p->n_rows ? g->first + g->n_ops : p->n_rows;
        struct box band = {MARGIN + NAMES, row_y(g->first), PLOT,
                           (double)(end - g->first) * ROW};
        draw_fill(p->cr, band, colours[i % (sizeof colours / sizeof *colours)]);
        draw_fill(p->cr, (struct box){MARGIN, band.y - 1, NAMES + PLOT + LABELS, 2},
                  (struct rgb){0.83, 0.18, 0.18});
        str about = arena_printf(&p->arena, " (%zu ops)", g->n_ops);
        struct draw_label l = {.size = 16, .align = DRAW_LEFT, .n = 1};
        l.lines[0].key = draw_clean(&p->arena, g->label);
        l.lines[0].after =
            str_of(arena_printf(&p->arena, "  %s", millis(p, g->ms, about.p)).p);
        cairo_set_source_rgb(p->cr, 0, 0, 0);
        (void)draw_label(p->cr, &p->arena, &l,
                         (struct box){band.x + PLOT + 12, band.y, LABELS - 12, ROW});
    }
}

static void paint_bars(struct picture *p)
{
    static const struct rgb usual = {0.13, 0.59, 0.95}, slow = {0.96, 0.26, 0.21};
    const struct train_step *s = p->v->step;
    for (size_t i = 0; i < p->n_rows; i++) {
        double ms = train_step_ms(p->v->train, s, i), y = row_y(i);
        const struct train_row *r = &p->v->train->rows.v[s->lane.rows.v[s->ops.v[i]]];
        double w = p->most_ms > 0 ? PLOT * fmax(0, ms) / p->most_ms : 0;
        draw_fill(p->cr, (struct box){MARGIN + NAMES, y + 3, fmax(1, w), ROW - 6},
                  ms > s->p95_ms ? slow : usual);
        struct draw_label l = {.size = 16, .align = DRAW_RIGHT, .n = 1};
        l.lines[0].key = draw_clean(&p->arena, train_name(p->v->train, r->code));
        cairo_set_source_rgb(p->cr, 0, 0, 0);
        (void)draw_label(p->cr, &p->arena, &l, (struct box){MARGIN, y, NAMES - 10, ROW});
    }
}

static void paint_timeline(struct picture *p)
{
    const struct train_step *s = p->v->step;
    draw_start(p->cr);
    cairo_set_source_rgb(p->cr, 0, 0, 0);
    str title =
        arena_printf(&p->arena, "Device %d, iteration %lld: %zu ops, %s in kernels%s",
                     s->device == TRAIN_NO_DEVICE ? 0 : s->device, (long long)s->iteration,
                     s->ops.n, millis(p, s->total_ms, ""),
                     p->n_rows < s->ops.n ? " (the first ops are shown)" : "");
    draw_text(p->cr, title.p, MARGIN, 50, 28, DRAW_LEFT);
    paint_bands(p);
    paint_bars(p);
    enum { TICKS = 5 };
    for (int i = 0; i <= TICKS; i++) {
        double x = MARGIN + NAMES + PLOT * (double)i / TICKS;
        draw_fill(p->cr, (struct box){x - 1, TITLE, 1, p->height - TITLE - FOOT},
                  (struct rgb){0.7, 0.7, 0.7});
        cairo_set_source_rgb(p->cr, 0, 0, 0);
        draw_text(p->cr, millis(p, p->most_ms * i / TICKS, ""), x, p->height - FOOT + 30,
                  18, DRAW_MIDDLE);
    }
}

static cairo_status_t append_bytes(void *context, const unsigned char *bytes, unsigned n)
{
    buf_str(context, (str){(const char *)bytes, n});
    return CAIRO_STATUS_SUCCESS;
}

static bool write_svg(struct buf *svg, const char *path, struct err *e)
{
    struct out o;
    if (!out_open(&o, path, e))
        return false;
    buf_str(&o.b, buf_view(svg));
    return out_close(&o, e);
}

bool train_chart_write(const struct train_view *v, const char *path, struct err *e)
{
    struct picture p = {.v = v, .n_rows = v->step->ops.n};
    p.n_rows = p.n_rows < ROWS_MOST ? p.n_rows : ROWS_MOST;
    for (size_t i = 0; i < v->step->ops.n; i++)
        p.most_ms = fmax(p.most_ms, train_step_ms(v->train, v->step, i));
    p.height = row_y(p.n_rows) + FOOT;
    double width = 2 * MARGIN + NAMES + PLOT + LABELS;
    bool is_svg = str_ends(str_of(path), S(".svg"));
    struct buf svg = {0};
    cairo_surface_t *surface =
        is_svg ? cairo_svg_surface_create_for_stream(append_bytes, &svg, width, p.height)
               : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)p.height);
    p.cr = cairo_create(surface);
    paint_timeline(&p);
    cairo_status_t status = cairo_status(p.cr);
    cairo_destroy(p.cr);
    bool ok =
        status == CAIRO_STATUS_SUCCESS ||
        err_set(e, ERR_IO, "%s: no picture: %s", path, cairo_status_to_string(status));
    if (ok && !is_svg)
        ok = draw_write_png(surface, DPI, path, e);
    cairo_surface_finish(surface);
    if (ok && is_svg)
        ok = write_svg(&svg, path, e);
    cairo_surface_destroy(surface);
    cairo_debug_reset_static_data();
    FcFini();
    buf_free(&svg);
    arena_free(&p.arena);
    return ok;
}
