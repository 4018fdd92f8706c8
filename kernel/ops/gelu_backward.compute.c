// gelu_backward.compute.c - gradient times the slope of gelu, which is x s with s the
// sigmoid of v = x (c1 x^2 + c0): s + x s (1 - s) (3 c1 x^2 + c0).
#include "steps.h"

enum { CB_GRADIENT, CB_X, CB_SQUARE = 24, CB_S, CB_LINE, CB_MORE };

// out = function of a tile, and of another one behind it
static void unary(uint32_t from, uint32_t first, uint32_t first_parameter, uint32_t second,
                  uint32_t second_parameter, uint32_t out)
{
    cb_wait_front(from, 1);
    tile_regs_acquire();
    copy_tile(from, 0, 0);
    ttk_sfpu(first, 0, first_parameter);
    if (second < TT_SFPU_FUNCTIONS)
        ttk_sfpu(second, 0, second_parameter);
    tile_regs_commit();
    step_pack(out);
}

static void product(uint32_t a, uint32_t b, uint32_t out)
{
    cb_wait_front(a, 1);
    cb_wait_front(b, 1);
    step_binary(TT_MATH_MUL, a, 0, b, 0, TT_BROADCAST_NONE, out);
}

static void sigmoid_of_product(uint32_t a, uint32_t b, uint32_t out)
{
    cb_wait_front(b, 1);
    tile_regs_acquire();
    mul_tiles(a, b, 0, 0, 0);
    ttk_sfpu(TT_SFPU_SIGMOID, 0, 0);
    tile_regs_commit();
    step_pack(out);
}

static void slope(void)
{
    uint32_t c0 = get_common_arg_val(0), c1 = get_common_arg_val(1);
    uint32_t three_c1 = get_common_arg_val(2), one = get_common_arg_val(3);
    unary(CB_X, TT_SFPU_SQUARE, 0, TT_SFPU_FUNCTIONS, 0, CB_SQUARE);
    unary(CB_SQUARE, TT_SFPU_SCALE, c1, TT_SFPU_OFFSET, c0, CB_LINE);
    sigmoid_of_product(CB_X, CB_LINE, CB_S);
    cb_pop_front(CB_LINE, 1);
    unary(CB_SQUARE, TT_SFPU_SCALE, three_c1, TT_SFPU_OFFSET, c0, CB_LINE);
    cb_pop_front(CB_SQUARE, 1);
    unary(CB_S, TT_SFPU_NEG, 0, TT_SFPU_OFFSET, one, CB_SQUARE); // 1 - s
    product(CB_S, CB_SQUARE, CB_MORE);
    cb_pop_front(CB_SQUARE, 1);
    product(CB_MORE, CB_X, CB_SQUARE);
    cb_pop_front(CB_MORE, 1);
    product(CB_SQUARE, CB_LINE, CB_MORE);
    cb_pop_front(CB_SQUARE, 1);
    cb_pop_front(CB_LINE, 1);
    cb_wait_front(CB_MORE, 1);
    step_binary(TT_MATH_ADD, CB_S, 0, CB_MORE, 0, TT_BROADCAST_NONE, CB_SQUARE);
    cb_pop_front(CB_S, 1);
    cb_pop_front(CB_MORE, 1);
}

void kernel_main(void)
{
    for (uint32_t count = get_arg_val(1); count; count--) {
        DeviceZoneScopedN("GELU_BACKWARD");
        slope();
        product(CB_GRADIENT, CB_SQUARE, CB_OUT);
        cb_pop_front(CB_SQUARE, 1);
        cb_pop_front(CB_GRADIENT, 1);
        cb_pop_front(CB_X, 1);
    }
}
