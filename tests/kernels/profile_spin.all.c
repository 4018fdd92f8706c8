// profile_spin.all.c - takes as many cycles as its common argument says.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    ttk_delay(get_common_arg_val(0));
}
