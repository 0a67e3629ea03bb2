/*
 * Coppice::OS.release_main_stack: gives the kernel back the unused pages of the main thread's stack. To be called in
 * that thread, early: does nothing on another stack.
 *
 * When Ruby starts it reserves the whole stack with alloca, 8 MiB as a rule. Compilers that protect from stack clashes
 * (-fstack-clash-protection, as Debian and Ubuntu build Ruby) touch each page of that: all of them stay resident, in
 * each process that begins with exec.
 *
 * Below the stack pointer nothing lives but the red zone of the function that runs, and frames of signal handlers that
 * have returned. Pages that are needed again are zero pages: a fault more, as on a stack that was never used.
 */
#include "coppice_ext.h"

#ifdef COPPICE_LINUX

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE_BYTES = 256 };         /* the line of the stack is shorter */
enum { MARGIN_BYTES = 64 * 1024 }; /* the frames of this file, and what Ruby soon uses again */

/* Where the main thread's stack begins, if an address lies in it; else 0. */
static uintptr_t lower_end(uintptr_t address) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) return 0;
    char line[LINE_BYTES];
    uintptr_t found = 0;
    while (!found && fgets(line, sizeof(line), maps)) {
        uintptr_t first, last;
        if (!strstr(line, " [stack]\n") || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &first, &last) != 2) continue;
        if (first <= address && address < last) found = first;
    }
    fclose(maps);
    return found;
}

/* The address of a variable stands for the stack pointer. Another thread, a fiber and a handler on a signal stack have
 * it elsewhere. An error, as that of locked memory, leaves all as it was. */
static void release(void) {
    char here = 0;
    uintptr_t address = (uintptr_t)&here;
    uintptr_t first = lower_end(address);
    uintptr_t last = (address - MARGIN_BYTES) & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (first && first < last) madvise((void *)first, last - first, MADV_DONTNEED);
}

#else

static void release(void) {
}

#endif

static VALUE os_release_main_stack(VALUE self) {
    release();
    return Qnil;
}

void Init_coppice_main_stack(VALUE coppice) {
    VALUE os = rb_define_module_under(coppice, "OS");
    rb_define_module_function(os, "release_main_stack", os_release_main_stack, 0);
}
