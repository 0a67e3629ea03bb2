#ifndef COPPICE_EXT_H
#define COPPICE_EXT_H

#include <ruby.h>

RUBY_FUNC_EXPORTED void Init_coppice_ext(void);

/* One Init per file; each defines its classes under the module Coppice. */
void Init_coppice_cells(VALUE coppice);
void Init_coppice_cell_blocks(VALUE coppice);
void Init_coppice_histogram(VALUE coppice);
void Init_coppice_socket_queues(VALUE coppice);
void Init_coppice_request_clock(VALUE coppice);
void Init_coppice_process(VALUE coppice);
void Init_coppice_main_stack(VALUE coppice);
void Init_coppice_quick_exit(VALUE coppice);
void Init_coppice_fork_probe(VALUE coppice);
void Init_coppice_waiter(VALUE coppice);
void Init_coppice_lobby_seat(VALUE coppice);
void Init_coppice_lobby_take(VALUE coppice);
void Init_coppice_connection(VALUE coppice);
void Init_coppice_connection_log(VALUE coppice);
void Init_coppice_accept(VALUE coppice);
void Init_coppice_close(VALUE coppice);
void Init_coppice_lingering(VALUE coppice);
void Init_coppice_addresses(VALUE coppice);
void Init_coppice_request(VALUE coppice);
void Init_coppice_request_body(VALUE coppice);
void Init_coppice_env(VALUE coppice);
void Init_coppice_response(VALUE coppice);

#endif
