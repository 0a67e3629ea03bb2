/* What is to become of the connection in hand. A loop that dies before it has seen to it leaves the connection in hand,
 * and its successor closes that: so no wish has to survive. */
#include "memory.h"

void lobby_wish(enum lobby_wish_kind kind) {
    if (kind > lobby_process.wish.kind) lobby_process.wish.kind = kind;
}

static void refusal(struct lobby_request *request, struct coppice_lobby_slot *arrived, int status,
                    const char *reason) {
    struct lobby_wish *wish = &lobby_process.wish;
    if (wish->kind >= LOBBY_REFUSAL) return;
    wish->kind = LOBBY_REFUSAL;
    wish->status = status;
    wish->reason = reason;
    wish->request = request;
    wish->arrived = arrived;
}

void lobby_wish_refusal(int status, const char *reason) {
    refusal(NULL, NULL, status, reason);
}

void lobby_wish_arrived_refusal(struct coppice_lobby_slot *slot, int status, const char *reason) {
    refusal(NULL, slot, status, reason);
}

void lobby_wish_request_refusal(struct lobby_request *request, int status, const char *reason) {
    refusal(request, NULL, status, reason);
}

void lobby_wish_answered(enum lobby_end end) {
    lobby_process.wish.end = end;
    lobby_wish(LOBBY_ANSWERED);
}

void lobby_wish_arrival(const struct lobby_arrival *arrival) {
    lobby_process.wish.arrival = *arrival;
    lobby_wish(LOBBY_ARRIVAL);
}

void lobby_wish_gone(const struct coppice_lobby *lobby, const struct lobby_connection *connection) {
    if (connection->serial || connection->output != LOBBY_NONE) lobby_count(lobby, LOBBY_client_gone, 1);
    lobby_wish(LOBBY_CLOSE);
}
