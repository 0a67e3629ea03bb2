/* Registers all classes of the extension. */
#include "coppice_ext.h"

RUBY_FUNC_EXPORTED void Init_coppice_ext(void) {
    VALUE coppice = rb_define_module("Coppice");
    Init_coppice_cells(coppice);
    Init_coppice_cell_blocks(coppice);
    Init_coppice_histogram(coppice);
    Init_coppice_socket_queues(coppice);
    Init_coppice_request_clock(coppice);
    Init_coppice_process(coppice);
    Init_coppice_main_stack(coppice);
    Init_coppice_quick_exit(coppice);
    Init_coppice_fork_probe(coppice);
    Init_coppice_waiter(coppice);
    Init_coppice_connection(coppice);
    Init_coppice_connection_log(coppice);
    Init_coppice_lobby_seat(coppice);
    Init_coppice_lobby_take(coppice);
    Init_coppice_accept(coppice);
    Init_coppice_close(coppice);
    Init_coppice_lingering(coppice);
    Init_coppice_addresses(coppice);
    Init_coppice_request(coppice);
    Init_coppice_request_body(coppice);
    Init_coppice_env(coppice);
    Init_coppice_response(coppice);
}
