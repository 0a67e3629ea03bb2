/*
 * How a process ends before Ruby frees its objects: see child/quick_exit.rb.
 *
 * One walk over Ruby's heap finds the objects that have something to do then. ObjectSpace.each_object would need a walk
 * for each class, and asks each object whether it may be shown and what it is: three times as slow. The function behind
 * both is exported for Ruby's own objspace library, and has no header.
 */
#include "coppice_ext.h"

#include <ruby.h>
#include <stdlib.h>

#ifdef HAVE_RB_OBJSPACE_EACH_OBJECTS

void rb_objspace_each_objects(int (*callback)(void *start, void *end, size_t stride, void *data), void *data);

struct walk {
    VALUE classes;
    VALUE found;
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

static int look_at_page(void *start, void *end, size_t stride, void *data) {
    struct walk *walk = data;
    for (VALUE object = (VALUE)start; object < (VALUE)end; object += stride) {
        if (wanted(object, walk->classes)) rb_ary_push(walk->found, object);
    }
    return 0;
}

/* files_and(classes) -> all IO objects, and those of these classes, which must be ones of C extensions. */
static VALUE os_files_and(VALUE self, VALUE classes) {
    (void)self;
    Check_Type(classes, T_ARRAY);
    struct walk walk = {.classes = classes, .found = rb_ary_new()};
    rb_objspace_each_objects(look_at_page, &walk);
    RB_GC_GUARD(classes);
    return walk.found;
}

/* Ends this process with the handlers of atexit(3), and without Ruby's own end: no object is freed. Does not return. */
static VALUE os_exit_at_once(VALUE self, VALUE status) {
    (void)self;
    exit(NUM2INT(status));
}

void Init_coppice_quick_exit(VALUE coppice) {
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "files_and", os_files_and, 1);
    rb_define_module_function(os, "exit_at_once", os_exit_at_once, 1);
}

#else

void Init_coppice_quick_exit(VALUE coppice) {
    (void)coppice; /* a Ruby that does not export it: no process ends quickly */
}

#endif
