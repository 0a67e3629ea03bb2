/*
 * CLibrary, by which tests call functions of the C library, as an extension of an application does. Ruby's own way,
 * Fiddle, is a gem from Ruby 4.0 on, and needs a library to be built with.
 */
#include <dlfcn.h>
#include <ruby.h>
#include <ruby/thread.h>
#include <stddef.h>

#define MOST_ARGUMENTS 5

typedef long (*function)(long, long, long, long, long);

struct call {
    function function;
    long arguments[MOST_ARGUMENTS];
    long result;
};

static long address_of(VALUE name) {
    void *address = dlsym(RTLD_DEFAULT, StringValueCStr(name));
    if (!address) rb_raise(rb_eNameError, "there is no %" PRIsVALUE " in this process", name);
    return (long)address;
}

/* address(name) of a function. */
static VALUE address(VALUE self, VALUE name) {
    return LONG2NUM(address_of(name));
}

static long to_long(VALUE argument) {
    if (NIL_P(argument)) return 0;
    return RB_TYPE_P(argument, T_STRING) ? (long)RSTRING_PTR(argument) : NUM2LONG(argument);
}

static struct call prepared(int argc, const VALUE *argv) {
    struct call call = {0};
    rb_check_arity(argc, 1, 1 + MOST_ARGUMENTS);
    call.function = (function)address_of(argv[0]);
    for (int i = 1; i < argc; i++) call.arguments[i - 1] = to_long(argv[i]);
    return call;
}

static void *perform(void *pointer) {
    struct call *call = pointer;
    const long *arguments = call->arguments;
    call->result = call->function(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
    return NULL;
}

/*
 * call(name, *arguments) -> what the function returns. Arguments are integers, strings, whose bytes it may change, and
 * nil for NULL. Other threads of Ruby run meanwhile.
 */
static VALUE call(int argc, VALUE *argv, VALUE self) {
    struct call call = prepared(argc, argv);
    rb_thread_call_without_gvl(perform, &call, NULL, NULL);
    return LONG2NUM(call.result);
}

/* The same, but no other thread of Ruby runs meanwhile. */
static VALUE call_alone(int argc, VALUE *argv, VALUE self) {
    struct call call = prepared(argc, argv);
    perform(&call);
    return LONG2NUM(call.result);
}

struct last_call {
    void (*function)(const char *);
    char text[];
};

static void make_last_call(void *pointer) {
    struct last_call *last = pointer;
    last->function(last->text);
    xfree(last);
}

static const rb_data_type_t last_call_type = {.wrap_struct_name = "last call", .function = {.dfree = make_last_call}};

/* when_freed(name, text) -> an object. When Ruby frees it, the function is called with the text. */
static VALUE when_freed(VALUE self, VALUE name, VALUE text) {
    const char *bytes = StringValueCStr(text);
    void *function = (void *)address_of(name);
    struct last_call *last = xmalloc(offsetof(struct last_call, text) + RSTRING_LEN(text) + 1);
    last->function = function;
    memcpy(last->text, bytes, RSTRING_LEN(text) + 1);
    return rb_data_typed_object_wrap(rb_cObject, last, &last_call_type);
}

RUBY_FUNC_EXPORTED void Init_c_library(void) {
    VALUE library = rb_define_module("CLibrary");
    rb_define_module_function(library, "address", address, 1);
    rb_define_module_function(library, "call", call, -1);
    rb_define_module_function(library, "call_alone", call_alone, -1);
    rb_define_module_function(library, "when_freed", when_freed, 2);
}
