// page.h - the embedded front end of web/: a page is a head, one JSON document, optional
// blocks of bytes, and a tail.
#ifndef TTP_PRESENT_PAGE_PAGE_H
#define TTP_PRESENT_PAGE_PAGE_H

#include "base/text/buf.h"

void page_open(struct buf *b); // everything before the document
// Bytes as base64 in an element of that id, after the document or the previous block.
void page_block(struct buf *b, const char *id, str bytes);
void page_close(struct buf *b); // script and end

#endif
