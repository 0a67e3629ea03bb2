#ifndef COPPICE_MAIN_STACK_H
#define COPPICE_MAIN_STACK_H

/* Gives the kernel back the pages of the main thread's stack that nothing uses now. Does nothing on another stack. */
void coppice_release_main_stack(void);

#endif
