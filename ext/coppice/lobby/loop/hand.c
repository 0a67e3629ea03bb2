/*
 * The connection in hand. A function that works on it leaves a wish and returns, so that none closes what its caller
 * holds.
 */
#include <assert.h>

#include "loop.h"

struct lobby_connection *lobby_take_in_hand(struct coppice_lobby *lobby, uint32_t index) {
    assert(lobby_process.wish.kind == LOBBY_NO_WISH); /* that would be another connection's */
    lobby->in_hand = index;
    atomic_signal_fence(memory_order_seq_cst); /* a successor knows of it before anything is changed */
    return &lobby->connections[index];
}

static void refuse(struct coppice_lobby *lobby, struct lobby_connection *connection) {
    struct lobby_wish *wish = &lobby_process.wish;
    struct lobby_request *request = wish->request;
    if (!request) request = lobby_request_of(lobby, connection->serial);
    if (wish->arrived) lobby_identify(lobby, wish->arrived);
    lobby_refuse(lobby, connection, request, wish->status, wish->reason);
    wish->arrived = NULL;
}

static void fulfil(struct coppice_lobby *lobby, struct lobby_connection *connection, enum lobby_wish_kind kind) {
    switch (kind) {
    case LOBBY_READ:
        lobby_read(lobby, connection);
        return;
    case LOBBY_READ_BUFFERED:
        lobby_read_buffered(lobby, connection);
        return;
    case LOBBY_ARRIVAL:
        lobby_push(lobby, connection, &lobby_process.wish.arrival);
        return;
    case LOBBY_ANSWERED:
        lobby_answered(lobby, connection, lobby_process.wish.end);
        return;
    case LOBBY_REFUSAL:
        refuse(lobby, connection);
        return;
    case LOBBY_RESET:
        lobby_reset(lobby, connection);
        return;
    case LOBBY_CLOSE:
        lobby_close(lobby, connection);
        return;
    case LOBBY_NO_WISH:
        return;
    }
}

void lobby_settle(struct coppice_lobby *lobby) {
    while (lobby_process.wish.kind != LOBBY_NO_WISH) {
        enum lobby_wish_kind kind = lobby_process.wish.kind;
        lobby_process.wish.kind = LOBBY_NO_WISH;
        fulfil(lobby, &lobby->connections[lobby->in_hand], kind);
    }
}

void lobby_let_go(struct coppice_lobby *lobby) {
    lobby_settle(lobby);
    lobby->in_hand = LOBBY_NONE;
}

/* The client gets an answer of the lobby's, or an end that it can tell from a whole answer. An answer that stays open
 * after it is framed by its head; where it is not, only a reset tells. */
static void carry_out(struct coppice_lobby *lobby, struct lobby_request *request) {
    struct lobby_connection *connection = lobby_take_in_hand(lobby, request->connection);
    if (!request->answered) {
        lobby_wish_refusal(request->verdict, request->reason);
    } else {
        lobby_log_access(lobby, connection, request, request->status, request->sent, request->reason);
        lobby_request_drop(lobby, connection);
        lobby_output_end(lobby, connection, request->keep ? LOBBY_END_CLOSE : LOBBY_END_RESET);
    }
    lobby_let_go(lobby);
}

void lobby_settle_condemned(struct coppice_lobby *lobby) {
    if (!lobby_process.condemned) return;
    lobby_process.condemned = false;
    for (uint32_t slot = 0; slot < lobby->settings.slots; slot++) {
        struct lobby_request *request = &lobby->slots[slot];
        if (!request->serial || request->verdict == 0) continue;
        if (request->connection != LOBBY_NONE) carry_out(lobby, request);
        request->verdict = 0;
        if (request->abandoned) lobby_slot_release(lobby, slot);
    }
}
