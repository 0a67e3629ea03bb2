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
 * when bytes are written to the file, so the pages that were noted count in any case. The same walk finds the objects
 * with finalizers: see child/shared_finalizers.rb.
 *
 * A fork without a note leaves out what was made since the last one. While its copy lives (it may also be a program that
 * has not begun yet), all pages are looked at.
 */
#include "coppice_ext.h"
#include "fork_witness.h"
#include "written_pages.h"

#include <pthread.h>
#include <ruby.h>
#include <ruby/st.h>
#include <stdlib.h>

#ifdef HAVE_RB_OBJSPACE_EACH_OBJECTS

void rb_objspace_each_objects(int (*callback)(void *start, void *end, size_t stride, void *data), void *data);

/* What the last note has found. */
static struct {
    st_table *pages; /* by address: a page that Ruby has given back does no harm, and an object is not kept alive */
    VALUE classes;   /* that were looked for */
    bool complete;   /* of all pages that other processes share, but for copies that the witness tells of */
    bool fork_follows;
} noted = {.classes = Qnil};

struct walk {
    int (*look_at_page)(void *, void *, size_t, void *);
    VALUE classes;
    VALUE found;
    bool everywhere;
    VALUE gc_was_disabled;
    struct coppice_written_pages written;
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

/* Whether the object has a finalizer of Ruby: also that of a WeakMap before Ruby 3.3. */
static bool has_finalizer(VALUE object) {
    switch (RB_BUILTIN_TYPE(object)) {
    case RUBY_T_NONE:
    case RUBY_T_ZOMBIE:
    case RUBY_T_MOVED:
    case RUBY_T_IMEMO:
    case RUBY_T_NODE:
    case RUBY_T_ICLASS:
        return false;
    default:
        return RBASIC_CLASS(object) && RB_FL_ANY_RAW(object, RUBY_FL_FINALIZE);
    }
}

static bool must_visit(struct walk *walk, void *start, void *end) {
    return walk->everywhere || st_lookup(noted.pages, (st_data_t)start, NULL) ||
           coppice_written_pages_include(&walk->written, (uintptr_t)start, (uintptr_t)end);
}

static int find_on_page(void *start, void *end, size_t stride, void *data) {
    struct walk *walk = data;
    if (!must_visit(walk, start, end)) return 0;
    for (VALUE object = (VALUE)start; object < (VALUE)end; object += stride) {
        if (wanted(object, walk->classes)) rb_ary_push(walk->found, object);
    }
    return 0;
}

static int note_page(void *start, void *end, size_t stride, void *data) {
    struct walk *walk = data;
    if (!must_visit(walk, start, end)) return 0;
    bool noteworthy = false;
    for (VALUE object = (VALUE)start; object < (VALUE)end; object += stride) {
        bool finalized = has_finalizer(object);
        if (finalized) rb_ary_push(walk->found, object);
        noteworthy = noteworthy || finalized || wanted(object, walk->classes);
    }
    st_data_t page = (st_data_t)start;
    if (noteworthy) {
        st_insert(noted.pages, page, 0);
    } else {
        st_delete(noted.pages, &page, NULL);
    }
    return 0;
}

static VALUE each_page(VALUE argument) {
    struct walk *walk = (struct walk *)argument;
    rb_objspace_each_objects(walk->look_at_page, walk);
    return Qnil;
}

static VALUE end_walk(VALUE argument) {
    struct walk *walk = (struct walk *)argument;
    coppice_written_pages_close(&walk->written);
    if (!RTEST(walk->gc_was_disabled)) rb_gc_enable();
    return Qnil;
}

static bool note_can_be_relied_on(VALUE classes) {
    return noted.complete && RTEST(rb_equal(noted.classes, classes)) && coppice_fork_witness_is_alone();
}

/* A collection would take pages away that the walk has before it. */
static void walk_over_heap(struct walk *walk) {
    Check_Type(walk->classes, T_ARRAY);
    walk->everywhere = !note_can_be_relied_on(walk->classes);
    coppice_written_pages_open(&walk->written);
    walk->gc_was_disabled = rb_gc_disable();
    rb_ensure(each_page, (VALUE)walk, end_walk, (VALUE)walk);
}

/* files_and(classes) -> all IO objects, and those of these classes, which must be ones of C extensions. */
static VALUE os_files_and(VALUE self, VALUE classes) {
    (void)self;
    struct walk all = {.look_at_page = find_on_page, .classes = classes, .found = rb_ary_new()};
    walk_over_heap(&all);
    return all.found;
}

/* note_files_and(classes) -> the objects with finalizers, or those of them that were not noted before; false if nothing
 * was noted, because no fork can be seen.
 * To be called right before a fork, for the sake of a later files_and in both processes. */
static VALUE os_note_files_and(VALUE self, VALUE classes) {
    (void)self;
    if (!coppice_fork_witness_is_possible()) return Qfalse;
    if (!noted.pages) noted.pages = st_init_numtable();
    struct walk all = {.look_at_page = note_page, .classes = classes, .found = rb_ary_new()};
    walk_over_heap(&all);
    noted.classes = classes;
    noted.complete = noted.fork_follows = true;
    return all.found;
}

/* keep_note: in the place of a note in a copy that does nothing but to fork and to exit. What it has written to is its
 * own copy's alone by then, so it will be looked at. */
static VALUE os_keep_note(VALUE self) {
    (void)self;
    noted.complete = noted.complete && coppice_fork_witness_is_alone();
    noted.fork_follows = true;
    return Qnil;
}

/* noted?(classes) -> whether files_and leaves out pages. */
static VALUE os_noted_p(VALUE self, VALUE classes) {
    (void)self;
    return note_can_be_relied_on(classes) ? Qtrue : Qfalse;
}

static void after_fork_in_original(void) {
    if (noted.fork_follows) noted.complete = coppice_fork_witness_renew() && noted.complete;
    noted.fork_follows = false;
}

static void after_fork_in_copy(void) {
    if (noted.fork_follows) {
        after_fork_in_original();
    } else {
        noted.complete = false;
        coppice_fork_witness_leave();
    }
}

/* Ends this process with the handlers of atexit(3), and without Ruby's own end: no object is freed. Does not return. */
static VALUE os_exit_at_once(VALUE self, VALUE status) {
    (void)self;
    exit(NUM2INT(status));
}

void Init_coppice_quick_exit(VALUE coppice) {
    rb_gc_register_address(&noted.classes);
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "files_and", os_files_and, 1);
    /* If there is no memory for it, forks go unseen, and nothing may be noted. */
    if (pthread_atfork(NULL, after_fork_in_original, after_fork_in_copy) == 0) {
        rb_define_module_function(os, "note_files_and", os_note_files_and, 1);
        rb_define_module_function(os, "keep_note", os_keep_note, 0);
        rb_define_module_function(os, "noted?", os_noted_p, 1);
    }
    rb_define_module_function(os, "exit_at_once", os_exit_at_once, 1);
}

#else

void Init_coppice_quick_exit(VALUE coppice) {
    (void)coppice; /* a Ruby that does not export it: no process ends quickly */
}

#endif
