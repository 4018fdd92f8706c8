// page.c - wraps a document in template, style and script.
#include "present/page/page.h"

#include <assert.h>

#include "base/text/base64.h"

#include "web_files.h" // generated: page.html, style.css and main.js of web/

// The template after `marker_before`, up to the line that holds only `marker`.
static str template_part(str marker_before, str marker)
{
    str page = {web_page_html, sizeof web_page_html - 1};
    str rest = page;
    if (marker_before.n) {
        bool found = str_after(page, marker_before, &rest);
        assert(found);
        (void)found;
    }
    if (marker.n)
        rest.n = str_find(rest, marker);
    return rest;
}

void page_open(struct buf *b)
{
    buf_str(b, template_part(S(""), S("<!--STYLE-->")));
    buf_z(b, "<style>");
    buf_str(b, (str){web_style_css, sizeof web_style_css - 1});
    buf_z(b, "</style>");
    buf_str(b, template_part(S("<!--STYLE-->"), S("<!--DATA-->")));
    buf_z(b, "<script type=\"application/json\" id=\"data\">");
}

void page_block(struct buf *b, const char *id, str bytes)
{
    buf_printf(b, "</script>\n<script type=\"text/plain\" id=\"%s\">", id);
    base64_put(b, bytes.p, bytes.n);
}

void page_close(struct buf *b)
{
    buf_z(b, "</script>");
    buf_str(b, template_part(S("<!--DATA-->"), S("<!--SCRIPT-->")));
    buf_z(b, "<script>");
    buf_str(b, (str){web_main_js, sizeof web_main_js - 1});
    buf_z(b, "</script>");
    buf_str(b, template_part(S("<!--SCRIPT-->"), S("")));
}
