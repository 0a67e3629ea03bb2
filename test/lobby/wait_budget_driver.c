/*
 * wait_budget_driver sends|reads PAUSE_MS RATE [TIMES EVERY_MS BYTES]...: waits for a client that moves so many bytes
 * so often, and then none, by a clock that only these waits move on. Prints why and when the server gives the client
 * up.
 */

#include <stdbool.h>
#include <string.h>

#include "check.h"
#include "shared/wait_budget.h"

enum { PHASE_ARGUMENTS = 3, KEPT_BYTES = 1000000000 /* by the kernel, for a client that reads */ };

struct phase {
    int64_t times, every_ms, bytes;
};

static struct phase *phases, *phases_end;
static int64_t now_ms, moved_at_ms, moved_bytes;

/* INT64_MAX when it moves no more. */
static int64_t next_move_ms(void) {
    while (phases < phases_end && phases->times == 0) phases++;
    return phases < phases_end ? moved_at_ms + phases->every_ms : INT64_MAX;
}

static void move(void) {
    moved_at_ms += phases->every_ms;
    moved_bytes += phases->bytes;
    phases->times--;
}

static void spend(struct coppice_wait_budget *budget, int64_t waited_ms) {
    coppice_wait_budget_spend(budget, waited_ms);
    now_ms += waited_ms;
}

/* As ext/coppice/client/client_wait.c and its callers do it for bytes: the descriptor is ready with the first of them. */
static void wait_for_sender(struct coppice_wait_budget *budget, int64_t slice_ms, int64_t rate) {
    int64_t at_ms = next_move_ms(), before = moved_bytes;
    if (at_ms > now_ms + slice_ms) {
        spend(budget, slice_ms);
        return;
    }
    spend(budget, at_ms - now_ms);
    move();
    coppice_wait_budget_earn(budget, (size_t)(moved_bytes - before), rate);
    coppice_wait_budget_begin(budget);
}

/* And for room: the socket stays full, since the client takes little of what the kernel keeps. */
static void wait_for_reader(struct coppice_wait_budget *budget, int64_t slice_ms, int64_t rate) {
    spend(budget, slice_ms);
    while (next_move_ms() <= now_ms) move();
    coppice_wait_budget_credit_reader(budget, KEPT_BYTES - moved_bytes, rate);
}

int main(int count, char **arguments) {
    CHECK(count >= 4 && (count - 4) % PHASE_ARGUMENTS == 0);
    bool reads = strcmp(arguments[1], "reads") == 0;
    int64_t rate = strtoll(arguments[3], NULL, 10);
    struct phase given[(count - 4) / PHASE_ARGUMENTS + 1];
    phases = phases_end = given;
    for (char **next = arguments + 4; next < arguments + count; next += PHASE_ARGUMENTS) {
        *phases_end++ = (struct phase){strtoll(next[0], NULL, 10), strtoll(next[1], NULL, 10),
                                       strtoll(next[2], NULL, 10)};
    }

    struct coppice_wait_budget budget;
    coppice_wait_budget_reset(&budget, strtoll(arguments[2], NULL, 10));
    budget.sent = KEPT_BYTES;
    if (reads) coppice_wait_budget_credit_reader(&budget, KEPT_BYTES, rate);
    int64_t slice_ms;
    while ((slice_ms = coppice_wait_budget_slice_ms(&budget)) > 0) {
        (reads ? wait_for_reader : wait_for_sender)(&budget, slice_ms, rate);
    }
    bool slow = coppice_wait_budget_verdict(&budget) == COPPICE_WAIT_SLOW;
    printf("%s after %lld ms\n", slow ? "slow" : "paused", (long long)now_ms);
    return 0;
}
