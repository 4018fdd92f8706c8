// step_zone.c - a zone between the first two bytes of stdin: it begins after the first has
// arrived, and says so.
#define TTPROF_ENABLE
#include <unistd.h>

#include "ttprof/host.h"

int main(void)
{
    char c;
    if (read(0, &c, 1) != 1)
        return 1;
    {
        TTPROF_ZONE("recorded");
        if (write(1, "y", 1) != 1 || read(0, &c, 1) != 1)
            return 1;
    }
    return 0;
}
