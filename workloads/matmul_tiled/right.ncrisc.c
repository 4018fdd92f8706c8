// right.ncrisc.c - gets tiles of the right matrix.
#include "operand.h"

void kernel_main(void)
{
    operand_move(1);
}
