// chart_draw.c - parts of charts. Text is measured at one size, shrunk, then cut.
#include "present/page/chart_draw.h"

#include <math.h>

#include "base/file/file.h"
#include "base/file/zlib_stream.h"
#include "base/text/num.h"

// Text that would be cut even at the smallest size is cut at this one: a short legible
// text says more than a longer illegible one.
#define CUT_SIZE 22.0
// Text is always measured at this size, with hinting off, so that widths scale.
#define MEASURE_SIZE 100.0
#define TICK_SIZE    30.0
enum { MAX_KEY_BYTES = 600, MIN_KEY_BYTES = 4, AXIS_TITLE_ROOM = 90 };

const struct rgb draw_black = {0, 0, 0}, draw_white = {1, 1, 1};

static struct rgb rgb_of(uint32_t hex)
{
    return (struct rgb){(hex >> 16) / 255.0, (hex >> 8 & 255) / 255.0, (hex & 255) / 255.0};
}

struct rgb draw_shade(enum category c, size_t rank, size_t n)
{
    static const uint32_t dark_light[CATEGORIES][2] = {
        [CATEGORY_COMPUTE] = {0x54278f, 0xcfc9e8}, [CATEGORY_TM] = {0x0b6b35, 0xbfe5b9},
        [CATEGORY_DM] = {0xb84a07, 0xfdcf9f},      [CATEGORY_HOST] = {0x0f4f94, 0xb5d3ec},
        [CATEGORY_OTHER] = {0x4d4d4d, 0xd0d0d0},
    };
    // At least 5 steps, so that two groups look related; at most 11, so that the large ones
    // differ from each other however many small ones follow.
    double steps = n < 6 ? 5 : n > 12 ? 11 : (double)(n - 1);
    double t = fmin(1, (double)rank / steps);
    struct rgb a = rgb_of(dark_light[c][0]), b = rgb_of(dark_light[c][1]);
    return (struct rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g),
                        a.b + t * (b.b - a.b)};
}

struct rgb draw_cycle(size_t rank)
{
    // The 20 colours of the reference's plots (matplotlib's "tab20").
    static const uint32_t cycle[20] = {
        0x1f77b4, 0xaec7e8, 0xff7f0e, 0xffbb78, 0x2ca02c, 0x98df8a, 0xd62728,
        0xff9896, 0x9467bd, 0xc5b0d5, 0x8c564b, 0xc49c94, 0xe377c2, 0xf7b6d2,
        0x7f7f7f, 0xc7c7c7, 0xbcbd22, 0xdbdb8d, 0x17becf, 0x9edae5,
    };
    return rgb_of(cycle[rank % 20]);
}

struct rgb draw_ink(struct rgb ground)
{
    // Relative luminance as in WCAG 2, with a gamma of 2.2; above 0.18 black has the higher
    // contrast. White on a strong mid tone reads better than the formula says, so the
    // threshold is a little higher.
    double y = 0.2126 * pow(ground.r, 2.2) + 0.7152 * pow(ground.g, 2.2) +
               0.0722 * pow(ground.b, 2.2);
    return y > 0.22 ? draw_black : draw_white;
}

void draw_start(cairo_t *cr)
{
    cairo_font_options_t *o = cairo_font_options_create();
    cairo_font_options_set_antialias(o, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(o, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(o, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, o);
    cairo_font_options_destroy(o);
    cairo_select_font_face(cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
}

static void set_colour(cairo_t *cr, struct rgb c)
{
    cairo_set_source_rgb(cr, c.r, c.g, c.b);
}

void draw_fill(cairo_t *cr, struct box box, struct rgb colour)
{
    set_colour(cr, colour);
    cairo_rectangle(cr, box.x, box.y, box.w, box.h);
    cairo_fill(cr);
}

void draw_frame(cairo_t *cr, struct box box, double thick)
{
    set_colour(cr, draw_black);
    cairo_set_line_width(cr, thick);
    cairo_rectangle(cr, box.x, box.y, box.w, box.h);
    cairo_stroke(cr);
}

// Length of the valid code point that starts with this byte.
static size_t point_bytes(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

// Control characters have no glyph, and cairo rejects non-characters (U+FDD0 to U+FDEF and
// the last two of each plane).
static str shown_point(str point)
{
    const unsigned char *p = (const unsigned char *)point.p;
    if (p[0] < 0x20 || p[0] == 0x7f || (p[0] == 0xc2 && p[1] < 0xa0))
        return S(" ");
    bool is_last = point.n > 2 && p[point.n - 1] >= 0xbe && p[point.n - 2] == 0xbf &&
                   (p[point.n - 3] & 0x0f) == 0x0f;
    bool is_inner = p[0] == 0xef && p[1] == 0xb7 && p[2] >= 0x90 && p[2] < 0xb0;
    return is_last || is_inner ? S("\xef\xbf\xbd") : point;
}

str draw_clean(struct arena *a, str text)
{
    struct buf b = {0};
    for (size_t at = 0; at < text.n && b.n < MAX_KEY_BYTES;) {
        size_t left = text.n - at, n = point_bytes((unsigned char)text.p[at]), tail = 0;
        str point = {text.p + at, n < left ? n : left};
        bool is_good = str_bad_utf8(point, 0, &tail) == point.n && tail == point.n;
        buf_str(&b, is_good ? shown_point(point) : S("\xef\xbf\xbd"));
        at += is_good ? point.n : 1;
    }
    if (text.n && b.n >= MAX_KEY_BYTES)
        buf_z(&b, "\xe2\x80\xa6");
    str clean = arena_str(a, buf_view(&b));
    buf_free(&b);
    return clean;
}

double draw_width(cairo_t *cr, const char *text)
{
    cairo_text_extents_t x;
    cairo_set_font_size(cr, MEASURE_SIZE);
    cairo_text_extents(cr, text, &x);
    return x.x_advance / MEASURE_SIZE;
}

void draw_text(cairo_t *cr, const char *text, double x, double y, double size,
               enum draw_align align)
{
    double w = align == DRAW_LEFT ? 0 : draw_width(cr, text) * size;
    cairo_move_to(cr, align == DRAW_LEFT ? x : align == DRAW_RIGHT ? x - w : x - w / 2, y);
    cairo_set_font_size(cr, size);
    cairo_show_text(cr, text);
}

struct box draw_turn(cairo_t *cr, struct box box)
{
    cairo_translate(cr, box.x, box.y + box.h);
    cairo_rotate(cr, -1.5707963267948966); // a quarter turn to the left
    return (struct box){0, 0, box.h, box.w};
}

bool draw_upright(cairo_t *cr, const char *text, struct box box, double size)
{
    double w = draw_width(cr, text);
    size = floor(fmin(size, fmin(box.h / fmax(w, 0.01), box.w / 1.2)));
    if (size < DRAW_MIN_SIZE)
        return false;
    cairo_save(cr);
    cairo_translate(cr, box.x + box.w / 2, box.y + box.h / 2);
    cairo_rotate(cr, -1.5707963267948966);
    draw_fill(cr, (struct box){-w * size / 2 - 6, -size / 2, w * size + 12, size},
              draw_white);
    set_colour(cr, draw_black);
    draw_text(cr, text, 0, size * 0.36, size, DRAW_MIDDLE);
    cairo_restore(cr);
    return true;
}

// The line with the first `keep` bytes of its key, and an ellipsis if that is not all.
static const char *line_text(struct arena *a, const struct draw_line *l, size_t keep)
{
    // Do not cut inside a code point.
    while (keep > 0 && keep < l->key.n && ((unsigned char)l->key.p[keep] & 0xc0) == 0x80)
        keep--;
    struct buf b = {0};
    buf_str(&b, l->before);
    buf_str(&b, (str){l->key.p, keep});
    buf_z(&b, keep < l->key.n ? "\xe2\x80\xa6" : "");
    buf_str(&b, l->after);
    const char *text = arena_str(a, buf_view(&b)).p;
    buf_free(&b);
    return text;
}

// The longest form of the line that is at most `room` wide at size 1; NULL: none.
static const char *line_cut(cairo_t *cr, struct arena *a, const struct draw_line *l,
                            double room)
{
    const char *best = line_text(a, l, l->key.n);
    if (draw_width(cr, best) <= room)
        return best;
    best = NULL;
    size_t low = 0, high = l->key.n; // `low` bytes fit or are 0, `high` do not
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        const char *text = line_text(a, l, middle);
        if (draw_width(cr, text) <= room) {
            low = middle;
            best = text;
        } else {
            high = middle;
        }
    }
    return best;
}

// The size at which the label fits when all its keys are cut to `keep` bytes.
static double fit_cut(cairo_t *cr, struct arena *a, const struct draw_label *l,
                      struct box box, size_t keep)
{
    struct arena_mark mark = arena_mark(a);
    double size = fmin(l->size, box.h / draw_height(l->n, 1));
    for (size_t i = 0; i < l->n; i++) {
        size_t n = l->lines[i].key.n;
        double w = draw_width(cr, line_text(a, &l->lines[i], keep < n ? keep : n));
        size = w > 0 ? fmin(size, box.w / w) : size;
    }
    arena_rewind(a, mark);
    return floor(size);
}

double draw_fit(cairo_t *cr, struct arena *a, const struct draw_label *l, struct box box)
{
    return fit_cut(cr, a, l, box, SIZE_MAX);
}

bool draw_label(cairo_t *cr, struct arena *a, const struct draw_label *l, struct box box)
{
    double size = draw_fit(cr, a, l, box);
    if (size < DRAW_MIN_SIZE)
        size = fmin(CUT_SIZE, fit_cut(cr, a, l, box, MIN_KEY_BYTES));
    if (size < DRAW_MIN_SIZE)
        return false;
    struct arena_mark mark = arena_mark(a);
    const char *text[sizeof l->lines / sizeof *l->lines] = {0};
    bool has_room = true;
    for (size_t i = 0; i < l->n && has_room; i++) {
        text[i] = line_cut(cr, a, &l->lines[i], box.w / size);
        has_room = text[i] != NULL;
    }
    double x = l->align == DRAW_LEFT    ? box.x
               : l->align == DRAW_RIGHT ? box.x + box.w
                                        : box.x + box.w / 2;
    double y = box.y + (box.h - draw_height(l->n, size)) / 2;
    for (size_t i = 0; i < l->n && has_room; i++)
        draw_text(cr, text[i], x, y + draw_height(i, size) + 0.93 * size, size, l->align);
    arena_rewind(a, mark);
    return has_room;
}

// 1, 2 or 5 times a power of ten, giving about ten steps; 0: label only the zero.
static double axis_step(const struct draw_axis *axis)
{
    double raw = axis->max / 10;
    if (!(raw > 1e-12)) // more decimals would run off the page
        return 0;
    double power = pow(10, floor(log10(raw))), m = raw / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static size_t axis_ticks(const struct draw_axis *axis)
{
    double step = axis_step(axis);
    return step > 0 ? (size_t)(axis->max / step + 1e-9) + 1 : 1;
}

static const char *tick_text(struct arena *a, const struct draw_axis *axis, size_t i)
{
    double step = axis_step(axis);
    int decimals = step > 0 && step < 1 ? (int)-floor(log10(step) + 1e-9) : 0;
    struct buf b = {0};
    num_put_fixed(&b, step * (double)i, decimals, true);
    buf_z(&b, axis->unit);
    const char *text = arena_str(a, buf_view(&b)).p;
    buf_free(&b);
    return text;
}

double draw_axis_room(cairo_t *cr, struct arena *a, const struct draw_axis *axis)
{
    double widest = 0;
    for (size_t i = 0; i < axis_ticks(axis); i++)
        widest = fmax(widest, draw_width(cr, tick_text(a, axis, i)));
    return ceil(AXIS_TITLE_ROOM + widest * TICK_SIZE + 20);
}

double draw_level(struct box plot, double value, double max)
{
    return round(plot.y + plot.h * (1 - (max > 0 ? fmin(1, value / max) : 0)));
}

void draw_axis(cairo_t *cr, struct arena *a, const struct draw_axis *axis, struct box plot)
{
    double foot = plot.y + plot.h;
    for (size_t i = 0; i < axis_ticks(axis); i++) {
        double y = draw_level(plot, axis_step(axis) * (double)i, axis->max);
        draw_fill(cr, (struct box){plot.x, y - 1, plot.w, 2},
                  (struct rgb){0.86, 0.86, 0.86});
        draw_fill(cr, (struct box){plot.x - 12, y - 1, 12, 3}, draw_black);
        draw_text(cr, tick_text(a, axis, i), plot.x - 20, y + 11, TICK_SIZE, DRAW_RIGHT);
    }
    draw_fill(cr, (struct box){plot.x - 2, plot.y, 3, plot.h}, draw_black);
    draw_fill(cr, (struct box){plot.x - 2, foot - 1, plot.w + 2, 3}, draw_black);
    (void)draw_upright(cr, axis->title, (struct box){20, plot.y, 60, plot.h}, 36);
}

// Writes each row as its difference from the one above (PNG filter 2, "up"): in flat areas
// most rows repeat, and zeros deflate fast. Cairo's own writer tries five filters per row.
static void deflate_rows(cairo_surface_t *surface, struct buf *b)
{
    enum { LEVEL = 3, FILTER_UP = 2 };
    z_stream z = zlib_stream();
    (void)deflateInit(&z, LEVEL);
    size_t w = (size_t)cairo_image_surface_get_width(surface);
    size_t h = (size_t)cairo_image_surface_get_height(surface);
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    const unsigned char *pixels = cairo_image_surface_get_data(surface);
    unsigned char *row = mem_alloc(1 + 3 * w);
    uint32_t *blank = mem_alloc(4 * w); // the row above the first is all 0
    const uint32_t *above = blank;
    row[0] = FILTER_UP;
    for (size_t y = 0; y < h; y++) {
        const uint32_t *from = (const void *)(pixels + y * stride);
        for (size_t x = 0; x < w; x++) {
            row[1 + 3 * x] = (unsigned char)((from[x] >> 16) - (above[x] >> 16));
            row[2 + 3 * x] = (unsigned char)((from[x] >> 8) - (above[x] >> 8));
            row[3 + 3 * x] = (unsigned char)(from[x] - above[x]);
        }
        above = from;
        z.next_in = row;
        z.avail_in = (unsigned)(1 + 3 * w);
        zlib_deflate(&z, Z_NO_FLUSH, b);
    }
    zlib_deflate(&z, Z_FINISH, b);
    (void)deflateEnd(&z);
    mem_free(row);
    mem_free(blank);
}

static void put_u32(struct buf *b, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_char(b, (char)(v >> shift & 255));
}

static void put_chunk(struct buf *b, const char *type, const struct buf *data)
{
    put_u32(b, (uint32_t)data->n);
    size_t start = b->n;
    buf_z(b, type);
    buf_str(b, buf_view(data));
    put_u32(b, (uint32_t)crc32(0, (const unsigned char *)b->p + start,
                               (unsigned)(b->n - start)));
}

static void put_png(struct buf *b, cairo_surface_t *surface, int dpi,
                    const struct buf *rows)
{
    struct buf head = {0}, size = {0}, end = {0};
    put_u32(&head, (uint32_t)cairo_image_surface_get_width(surface));
    put_u32(&head, (uint32_t)cairo_image_surface_get_height(surface));
    buf_str(&head, S("\10\2\0\0\0")); // 8 bits each of red, green, blue; not interlaced
    uint32_t per_meter = (uint32_t)lround(dpi / 0.0254);
    put_u32(&size, per_meter);
    put_u32(&size, per_meter);
    buf_char(&size, 1); // the unit is the meter
    buf_str(b, S("\x89PNG\r\n\x1a\n"));
    put_chunk(b, "IHDR", &head);
    put_chunk(b, "pHYs", &size);
    put_chunk(b, "IDAT", rows);
    put_chunk(b, "IEND", &end);
    buf_free(&head);
    buf_free(&size);
}

bool draw_write_png(cairo_surface_t *surface, int dpi, const char *path, struct err *e)
{
    cairo_surface_flush(surface);
    struct buf rows = {0};
    struct out o;
    deflate_rows(surface, &rows);
    bool is_written = out_open(&o, path, e);
    if (is_written) {
        put_png(&o.b, surface, dpi, &rows);
        is_written = out_close(&o, e);
    }
    buf_free(&rows);
    return is_written;
}
