/*
 * How a process ends before Ruby frees its objects: see child/quick_exit.rb.
 *
 * A walk over Ruby's heap finds the objects that have something to do then. ObjectSpace.each_object would need a walk
 * for each class, and asks each object whether it may be shown and what it is: three times as slow. The function behind
 * both is exported for Ruby's own objspace library, and has no header.
 *
 * In a process that shares a large heap, most of the time of that walk went into memory that it had not touched before.
 * So a process notes before each fork on which of Ruby's pages such objects are. Its copy looks at those, and at pages
 * that it has written to: all other objects are the parent's, as they were. A file's slot on the heap does not change
 * when bytes are written to the file, so the pages that were noted count in any case.
 */
#include "coppice_ext.h"
#include "written_pages.h"

#include <pthread.h>
#include <ruby.h>
#include <ruby/st.h>
#include <stdlib.h>

#ifdef HAVE_RB_OBJSPACE_EACH_OBJECTS

void rb_objspace_each_objects(int (*callback)(void *start, void *end, size_t stride, void *data), void *data);

/* Where such objects are on pages that this process has not written to. */
static struct {
    st_table *pages; /* by address: a page that Ruby has given back does no harm, and an object is not kept alive */
    VALUE classes;   /* that were looked for */
    bool complete;   /* all pages are known that other processes have as well */
    bool fresh;      /* no fork since the last note */
} noted = {.classes = Qnil};

struct walk {
    VALUE classes;
    struct coppice_written_pages written;
    VALUE found; /* an array, or false: pages are noted */
};

/* An object without a class is Ruby's own. */
static bool wanted(VALUE object, VALUE classes) {
    int type = RB_BUILTIN_TYPE(object); /* T_NONE of a free slot, T_ZOMBIE of one that is being freed */
    if ((type != T_FILE && type != T_DATA) || !RBASIC_CLASS(object)) return false;
    if (type == T_FILE) return true;
    for (long i = 0; i < RARRAY_LEN(classes); i++) {
        if (RTEST(rb_obj_is_kind_of(object, RARRAY_AREF(classes, i)))) return true;
    }
    return false;
}

static bool to_be_looked_at(struct walk *walk, void *start, void *end) {
    return !noted.complete || st_lookup(noted.pages, (st_data_t)start, NULL) ||
           coppice_written_pages_any(&walk->written, (uintptr_t)start, (uintptr_t)end);
}

static int find_on_page(void *start, void *end, size_t stride, void *data) {
    struct walk *walk = data;
    if (!to_be_looked_at(walk, start, end)) return 0;
    for (VALUE object = (VALUE)start; object < (VALUE)end; object += stride) {
        if (wanted(object, walk->classes)) rb_ary_push(walk->found, object);
    }
    return 0;
}

static int note_page(void *start, void *end, size_t stride, void *data) {
    struct walk *walk = data;
    if (!to_be_looked_at(walk, start, end)) return 0;
    st_data_t page = (st_data_t)start;
    VALUE object = (VALUE)start;
    while (object < (VALUE)end && !wanted(object, walk->classes)) object += stride;
    if (object < (VALUE)end) {
        st_insert(noted.pages, page, 0);
    } else {
        st_delete(noted.pages, &page, NULL);
    }
    return 0;
}

static void walk_heap(int (*callback)(void *, void *, size_t, void *), VALUE classes, VALUE found) {
    Check_Type(classes, T_ARRAY);
    if (!RTEST(rb_equal(noted.classes, classes))) noted.complete = false;
    struct walk walk = {.classes = classes, .found = found};
    coppice_written_pages_open(&walk.written);
    rb_objspace_each_objects(callback, &walk);
    coppice_written_pages_close(&walk.written);
    RB_GC_GUARD(classes);
}

/* files_and(classes) -> all IO objects, and those of these classes, which must be ones of C extensions. */
static VALUE os_files_and(VALUE self, VALUE classes) {
    (void)self;
    VALUE found = rb_ary_new();
    walk_heap(find_on_page, classes, found);
    return found;
}

/* note_files_and(classes): to be called right before each fork whose copy is to find them quickly. A fork without a note
 * costs the next walk its short cut, in both processes. */
static VALUE os_note_files_and(VALUE self, VALUE classes) {
    (void)self;
    if (!noted.pages) noted.pages = st_init_numtable();
    walk_heap(note_page, classes, Qfalse);
    noted.classes = classes;
    noted.complete = noted.fresh = true;
    return Qnil;
}

/* pass_note_on: in the place of a note in a copy that does nothing but to fork and to exit. What it has written to is its
 * own copy's alone by then, so it will be looked at. */
static VALUE os_pass_note_on(VALUE self) {
    (void)self;
    noted.fresh = true;
    return Qnil;
}

static void before_fork(void) {
    if (!noted.fresh) noted.complete = false;
    noted.fresh = false;
}

/* Ends this process with the handlers of atexit(3), and without Ruby's own end: no object is freed. Does not return. */
static VALUE os_exit_at_once(VALUE self, VALUE status) {
    (void)self;
    exit(NUM2INT(status));
}

void Init_coppice_quick_exit(VALUE coppice) {
    rb_gc_register_address(&noted.classes);
    /* Without memory for it no note may be relied on: none can be made. */
    bool forks_are_seen = pthread_atfork(before_fork, NULL, NULL) == 0;
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "files_and", os_files_and, 1);
    if (forks_are_seen) {
        rb_define_module_function(os, "note_files_and", os_note_files_and, 1);
        rb_define_module_function(os, "pass_note_on", os_pass_note_on, 0);
    }
    rb_define_module_function(os, "exit_at_once", os_exit_at_once, 1);
}

#else

void Init_coppice_quick_exit(VALUE coppice) {
    (void)coppice; /* a Ruby that does not export it: no process ends quickly */
}

#endif
