// zone_fold.c - 32-bit FNV-1a with its halves xored.
#include "base/data/zone_fold.h"

uint32_t zone_fold(str location)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < location.n; i++)
        hash = (hash ^ (unsigned char)location.p[i]) * 16777619u;
    return (hash & 0xFFFFu) ^ hash >> 16;
}
