// wait.ncrisc.c - waits for a page that never arrives.
#include "ttprof/kernel.h"

void kernel_main(void)
{
    DeviceZoneScopedN("WAIT-FOR-EVER");
    cb_wait_front(get_arg_val(0), 1);
}
