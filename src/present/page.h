// page.h - the front end of web/, embedded: a page is its head, one JSON document, its
// tail.
#ifndef TTP_PRESENT_PAGE_H
#define TTP_PRESENT_PAGE_H

#include "base/buf.h"

void page_open(struct buf *b);  // up to where the document stands
void page_close(struct buf *b); // script and end

#endif
