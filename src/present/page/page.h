// page.h - the front end of web/, embedded: a page is its head, one JSON document, blocks
// of bytes if it has any, its tail.
#ifndef TTP_PRESENT_PAGE_PAGE_H
#define TTP_PRESENT_PAGE_PAGE_H

#include "base/text/buf.h"

void page_open(struct buf *b); // up to where the document stands
// Bytes as base64 in an element of that id, behind the document or the block before.
void page_block(struct buf *b, const char *id, str bytes);
void page_close(struct buf *b); // script and end

#endif
