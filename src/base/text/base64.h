// base64.h - bytes as text (RFC 4648, section 4: `+`, `/` and padding).
#ifndef TTP_BASE_TEXT_BASE64_H
#define TTP_BASE_TEXT_BASE64_H

#include "base/text/buf.h"

// Appends the text of n bytes to b.
void base64_put(struct buf *b, const void *data, size_t n);

#endif
