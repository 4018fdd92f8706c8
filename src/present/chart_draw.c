// chart_draw.c - the text of charts: measured once at one size, shrunk, then cut.
#include "present/chart_draw.h"

#include <math.h>

// Text that would have to be cut even at the smallest size is cut at this one: a shorter
// text one can read says more than a longer one nobody can.
#define CUT_SIZE 22.0
// All measuring happens at one size, with hinting off, so that widths are proportional.
#define MEASURE_SIZE 100.0
enum { MAX_KEY_BYTES = 600 };

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
    // differ from each other, whatever number of small ones follows.
    double steps = n < 6 ? 5 : n > 12 ? 11 : (double)(n - 1);
    double t = fmin(1, (double)rank / steps);
    struct rgb a = rgb_of(dark_light[c][0]), b = rgb_of(dark_light[c][1]);
    return (struct rgb){a.r + t * (b.r - a.r), a.g + t * (b.g - a.g),
                        a.b + t * (b.b - a.b)};
}

struct rgb draw_cycle(size_t rank)
{
    // The 20 colours every plot of the reference has ("tab20").
    static const uint32_t cycle[20] = {
        0x1f77b4, 0xaec7e8, 0xff7f0e, 0xffbb78, 0x2ca02c, 0x98df8a, 0xd62728,
        0xff9896, 0x9467bd, 0xc5b0d5, 0x8c564b, 0xc49c94, 0xe377c2, 0xf7b6d2,
        0x7f7f7f, 0xc7c7c7, 0xbcbd22, 0xdbdb8d, 0x17becf, 0x9edae5,
    };
    return rgb_of(cycle[rank % 20]);
}

struct rgb draw_ink(struct rgb ground)
{
    // Relative luminance as in WCAG 2, with its gamma taken as 2.2; on grounds above 0.18
    // black has the higher contrast. White on a strong middle tone is easier on the eye
    // than the formula says, hence a little more.
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

// Length of the code point that starts at p, which is valid.
static size_t point_bytes(unsigned char first)
{
    return first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

// Control characters have no shape, and cairo takes the non-characters (U+FDD0 to U+FDEF,
// and the last two of each plane) for an error.
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

bool draw_upright(cairo_t *cr, const char *text, struct box box, double size)
{
    double w = draw_width(cr, text);
    size = floor(fmin(size, fmin(box.h / fmax(w, 0.01), box.w / 1.2)));
    if (size < DRAW_MIN_SIZE)
        return false;
    cairo_save(cr);
    cairo_translate(cr, box.x + box.w / 2, box.y + box.h / 2);
    cairo_rotate(cr, -1.5707963267948966);
    draw_fill(cr, (struct box){-w * size / 2 - 6, -size / 2, w * size + 12, size}, draw_white);
    set_colour(cr, draw_black);
    draw_text(cr, text, 0, size * 0.36, size, DRAW_MIDDLE);
    cairo_restore(cr);
    return true;
}

// The line with the first `keep` bytes of its key, and an ellipsis if that is not all.
static const char *line_text(struct arena *a, const struct draw_line *l, size_t keep)
{
    // Not in the middle of a code point.
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

// The longest form of the line that is not wider than `room` at size 1; NULL: none is.
static const char *line_cut(cairo_t *cr, struct arena *a, const struct draw_line *l,
                            double room)
{
    const char *best = line_text(a, l, l->key.n);
    if (draw_width(cr, best) <= room)
        return best;
    best = NULL;
    size_t low = 0, high = l->key.n; // what is kept: low bytes fit or are none, high do not
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

double draw_fit(cairo_t *cr, struct arena *a, const struct draw_label *l, struct box box)
{
    struct arena_mark mark = arena_mark(a);
    double size = fmin(l->size, box.h / draw_height(l->n, 1));
    for (size_t i = 0; i < l->n; i++) {
        double w = draw_width(cr, line_text(a, &l->lines[i], l->lines[i].key.n));
        size = w > 0 ? fmin(size, box.w / w) : size;
    }
    arena_rewind(a, mark);
    return floor(size);
}

bool draw_label(cairo_t *cr, struct arena *a, const struct draw_label *l, struct box box)
{
    double size = draw_fit(cr, a, l, box);
    if (size < DRAW_MIN_SIZE)
        size = floor(fmin(CUT_SIZE, fmin(l->size, box.h / draw_height(l->n, 1))));
    if (size < DRAW_MIN_SIZE || box.w <= 0)
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
