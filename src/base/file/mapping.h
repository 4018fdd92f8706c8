// mapping.h - files mapped for reading, which another program may shorten meanwhile.
//
// An access past the new end of a shortened file raises SIGBUS. Once mapping_guard has been
// called, such an access reads zeros instead, the file is remembered, and no output is
// completed: out_close fails with the error of mapping_check. A library must not take
// signals from the program it is in, so only the program's main function calls
// mapping_guard.
#ifndef TTP_BASE_FILE_MAPPING_H
#define TTP_BASE_FILE_MAPPING_H

#include "base/text/err.h"
#include "base/text/str.h"

// Maps the first n bytes of an open file, n > 0; `flags` are added to those of mmap. An
// empty text if it cannot be mapped. The path is for messages; "-" is stdin.
str mapping_make(int fd, size_t n, int flags, const char *path);
void mapping_free(str text);

void mapping_guard(void);
// False and an error if a mapped file has become shorter while it was read.
bool mapping_check(struct err *e);

#endif
