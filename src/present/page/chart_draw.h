// chart_draw.h - boxes, colours and text that stays inside its box, on a cairo canvas.
//
// Text passed to cairo must be valid UTF-8, or the whole canvas fails: everything read from
// a file goes through draw_clean first. All texts are zero-terminated.
#ifndef TTP_PRESENT_PAGE_CHART_DRAW_H
#define TTP_PRESENT_PAGE_CHART_DRAW_H

#include <cairo.h>

#include "base/data/arena.h"
#include "base/text/err.h"

#include "analyse/perf/summary.h"

struct rgb {
    double r, g, b;
};
struct box {
    double x, y, w, h; // pixels, from the top left corner
};

extern const struct rgb draw_black, draw_white;

// The shade of the `rank`th of n groups of a category, darkest first.
struct rgb draw_shade(enum category c, size_t rank, size_t n);
// One of 20 colours, cyclic.
struct rgb draw_cycle(size_t rank);
// Black or white, whichever is easier to read on this background.
struct rgb draw_ink(struct rgb ground);

// Paints a white background and makes text rendering reproducible.
void draw_start(cairo_t *cr);
void draw_fill(cairo_t *cr, struct box box, struct rgb colour);
void draw_frame(cairo_t *cr, struct box box, double thick);

enum draw_align { DRAW_LEFT, DRAW_MIDDLE, DRAW_RIGHT };

// Valid UTF-8 without control characters, cut to the longest text that could be shown.
str draw_clean(struct arena *a, str text);
// Width of a text of size 1; other sizes in proportion.
double draw_width(cairo_t *cr, const char *text);
// x, y: the left end, middle or right end of the base line.
void draw_text(cairo_t *cr, const char *text, double x, double y, double size,
               enum draw_align align);
// Turns the canvas so that text runs from the bottom of the box to its top, until the next
// cairo_restore; returns the box in the turned coordinates.
struct box draw_turn(cairo_t *cr, struct box box);
// Black text from bottom to top, centred in the box, on white so that grid lines do not run
// through it; shrinks to fit. False: no room.
bool draw_upright(cairo_t *cr, const char *text, struct box box, double size);

// One line of a label: only the key is cut when there is no room for all.
struct draw_line {
    str before, key, after;
};
struct draw_label {
    struct draw_line lines[4];
    size_t n;
    double size; // wanted; shrinks to fit
    enum draw_align align;
};

// The largest size, up to the wanted one, at which the label fits the box uncut.
double draw_fit(cairo_t *cr, struct arena *a, const struct draw_label *l, struct box box);
// Cuts keys to no less than a few letters; false, and nothing drawn, if even that does not
// fit.
bool draw_label(cairo_t *cr, struct arena *a, const struct draw_label *l, struct box box);

// From 0 at the bottom of the plot to max at its top; all of it zero if max is.
struct draw_axis {
    double max;
    const char *unit, *title;
};

// Pixels left of the plot that the axis needs.
double draw_axis_room(cairo_t *cr, struct arena *a, const struct draw_axis *axis);
void draw_axis(cairo_t *cr, struct arena *a, const struct draw_axis *axis, struct box plot);
// The y of a value on an axis that ends at max, on a whole pixel.
double draw_level(struct box plot, double value, double max);

bool draw_write_png(cairo_surface_t *surface, int dpi, const char *path, struct err *e);

// Smallest legible text, in pixels at 300 dpi.
#define DRAW_MIN_SIZE 16.0
// Room that n lines of text take.
static inline double draw_height(size_t n, double size)
{
    return (double)n * size * 1.2;
}

#endif
