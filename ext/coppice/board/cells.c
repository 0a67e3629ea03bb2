/*
 * Coppice::Cells: an array of 64-bit integers in memory that processes share. It is a memfd, so that it outlives exec
 * and can be sent over a socket; where there is no memfd, only processes that are forked share it. Every load and store
 * is atomic.
 */
#include <errno.h>
#include <fcntl.h>
#include <ruby.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cells.h"
#include "coppice_ext.h"

struct cells {
    _Atomic int64_t *words;
    size_t count;
    int fd;
    bool read_only;
};

static void cells_release(struct cells *cells) {
    if (cells->words) munmap((void *)cells->words, cells->count * sizeof(int64_t));
    if (cells->fd >= 0) close(cells->fd);
    cells->words = NULL;
    cells->fd = -1;
}

static void cells_free(void *pointer) {
    cells_release(pointer);
    xfree(pointer);
}

static size_t cells_memsize(const void *pointer) {
    (void)pointer;
    return sizeof(struct cells); /* the mapping is not the Ruby heap's */
}

static const rb_data_type_t cells_type = {
    .wrap_struct_name = "Coppice::Cells",
    .function = {.dfree = cells_free, .dsize = cells_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE cells_allocate(VALUE klass) {
    struct cells *cells;
    VALUE self = TypedData_Make_Struct(klass, struct cells, &cells_type, cells);
    cells->fd = -1;
    return self;
}

static struct cells *cells_get(VALUE self) {
    struct cells *cells;
    TypedData_Get_Struct(self, struct cells, &cells_type, cells);
    if (!cells->words) rb_raise(rb_eIOError, "these cells are not mapped");
    return cells;
}

/* Takes the descriptor over: it is closed with the object, or here on failure. An empty file cannot be mapped. Without
 * a descriptor, -1, the memory has no file. */
static VALUE cells_map(VALUE klass, int fd, size_t count, bool read_only) {
    VALUE self = cells_allocate(klass);
    struct cells *cells = RTYPEDDATA_DATA(self);
    cells->fd = fd;
    cells->read_only = read_only;
    int flags = fd < 0 ? MAP_SHARED | MAP_ANON : MAP_SHARED;
    int protection = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
    void *words = mmap(NULL, count * sizeof(int64_t), protection, flags, fd, 0);
    if (words == MAP_FAILED) {
        int saved = errno;
        cells_release(cells);
        rb_syserr_fail(saved, "mmap");
    }
    cells->words = words;
    cells->count = count;
    return self;
}

/* Pages of the file take no memory before they are written to, so a large count costs nothing. A sandbox may deny the
 * file: one process alone needs none. */
static VALUE cells_create(VALUE klass, VALUE rb_count) {
    size_t count = NUM2SIZET(rb_count);
#ifdef COPPICE_LINUX
    int fd = memfd_create("coppice-board", MFD_CLOEXEC);
    if (fd < 0 && errno != ENOSYS && errno != EPERM && errno != EACCES) rb_sys_fail("memfd_create");
    if (fd >= 0 && ftruncate(fd, (off_t)(count * sizeof(int64_t))) < 0) {
        int saved = errno;
        close(fd);
        rb_syserr_fail(saved, "ftruncate");
    }
#else
    int fd = -1;
#endif
    return cells_map(klass, fd, count, false);
}

/* attach(descriptor, read_only = false): maps the cells behind a descriptor received from another process; duplicates
 * it. */
static VALUE cells_attach(int argc, VALUE *argv, VALUE klass) {
    VALUE rb_fd, read_only;
    rb_scan_args(argc, argv, "11", &rb_fd, &read_only);
    int fd = fcntl(NUM2INT(rb_fd), F_DUPFD_CLOEXEC, 3);
    if (fd < 0) rb_sys_fail("dup");
    struct stat stat;
    if (fstat(fd, &stat) < 0) {
        int saved = errno;
        close(fd);
        rb_syserr_fail(saved, "fstat");
    }
    return cells_map(klass, fd, (size_t)stat.st_size / sizeof(int64_t), RTEST(read_only));
}

static _Atomic int64_t *cells_at(const struct cells *cells, size_t index, size_t count) {
    if (count > cells->count || index > cells->count - count) {
        rb_raise(rb_eIndexError, "cell %zu of %zu", index, cells->count);
    }
    return &cells->words[index];
}

const _Atomic int64_t *coppice_cells_to_read(VALUE self, size_t index, size_t count) {
    return cells_at(cells_get(self), index, count);
}

_Atomic int64_t *coppice_cells_at(VALUE self, size_t index, size_t count) {
    struct cells *cells = cells_get(self);
    if (cells->read_only) rb_raise(rb_eIOError, "these cells are mapped read-only");
    return cells_at(cells, index, count);
}

void coppice_cells_text_append(struct coppice_cells_text *text, const char *bytes, size_t length) {
    size_t used = length < text->room ? length : text->room;
    memcpy(text->bytes, bytes, used);
    text->bytes += used;
    text->room -= used;
}

void coppice_cells_text_end(struct coppice_cells_text *text) {
    memset(text->bytes, 0, text->room);
}

static VALUE cells_load(VALUE self, VALUE rb_index) {
    return LL2NUM(atomic_load_explicit(coppice_cells_to_read(self, NUM2SIZET(rb_index), 1), memory_order_acquire));
}

static VALUE cells_store(VALUE self, VALUE rb_index, VALUE rb_value) {
    int64_t value = NUM2LL(rb_value);
    atomic_store_explicit(coppice_cells_at(self, NUM2SIZET(rb_index), 1), value, memory_order_release);
    return rb_value;
}

/* write_text(index, length, String): `length` in cells. */
static VALUE cells_write_text(VALUE self, VALUE rb_index, VALUE rb_length, VALUE string) {
    size_t length = NUM2SIZET(rb_length);
    StringValue(string);
    struct coppice_cells_text text = {
        .bytes = (char *)coppice_cells_at(self, NUM2SIZET(rb_index), length),
        .room = length * sizeof(int64_t),
    };
    coppice_cells_text_append(&text, RSTRING_PTR(string), (size_t)RSTRING_LEN(string));
    coppice_cells_text_end(&text);
    return string;
}

/* read_text(index, length) -> String, of bytes */
static VALUE cells_read_text(VALUE self, VALUE rb_index, VALUE rb_length) {
    size_t length = NUM2SIZET(rb_length);
    const char *bytes = (const char *)coppice_cells_to_read(self, NUM2SIZET(rb_index), length);
    return rb_str_new(bytes, (long)strnlen(bytes, length * sizeof(int64_t)));
}

static VALUE cells_count(VALUE self) {
    return SIZET2NUM(cells_get(self)->count);
}

static VALUE cells_fileno(VALUE self) {
    return INT2NUM(cells_get(self)->fd);
}

/* Unmaps the cells of this process; the memory lives on in the others. */
static VALUE cells_close(VALUE self) {
    struct cells *cells;
    TypedData_Get_Struct(self, struct cells, &cells_type, cells);
    cells_release(cells);
    return Qnil;
}

void Init_coppice_cells(VALUE coppice) {
    VALUE klass = rb_define_class_under(coppice, "Cells", rb_cObject);
    rb_undef_alloc_func(klass);
    rb_define_singleton_method(klass, "create", cells_create, 1);
    rb_define_singleton_method(klass, "attach", cells_attach, -1);
    rb_define_method(klass, "[]", cells_load, 1);
    rb_define_method(klass, "[]=", cells_store, 2);
    rb_define_method(klass, "write_text", cells_write_text, 3);
    rb_define_method(klass, "read_text", cells_read_text, 2);
    rb_define_method(klass, "count", cells_count, 0);
    rb_define_method(klass, "fileno", cells_fileno, 0);
    rb_define_method(klass, "close", cells_close, 0);
}
