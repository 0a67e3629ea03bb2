#include "wait_budget.h"

/* The application's deadline moves ahead of each wait, by no more than this, so that it is never far off. */
enum { SLICE_MS = 500, US_PER_MS = 1000, US_PER_SECOND = 1000000 };

static int64_t lesser(int64_t one, int64_t other) {
    return one < other ? one : other;
}

void coppice_wait_budget_reset(struct coppice_wait_budget *budget, int64_t pause_ms) {
    *budget = (struct coppice_wait_budget){
        .pause_ms = pause_ms,
        .pause_left_ms = pause_ms,
        .left_us = pause_ms * US_PER_MS,
    };
}

void coppice_wait_budget_earn(struct coppice_wait_budget *budget, size_t bytes, int64_t bytes_per_second) {
    const int64_t most_us = INT64_MAX / 2;
    if (bytes_per_second == 0 || bytes > (size_t)(most_us / US_PER_SECOND)) {
        budget->left_us = most_us;
        return;
    }
    int64_t earned_us = (int64_t)bytes * US_PER_SECOND / bytes_per_second;
    budget->left_us = budget->left_us > most_us - earned_us ? most_us : budget->left_us + earned_us;
}

void coppice_wait_budget_begin(struct coppice_wait_budget *budget) {
    budget->pause_left_ms = budget->pause_ms;
}

int64_t coppice_wait_budget_slice_ms(const struct coppice_wait_budget *budget) {
    int64_t left_ms = lesser(budget->pause_left_ms, budget->left_us / US_PER_MS);
    return left_ms > 0 ? lesser(SLICE_MS, left_ms) : 0;
}

void coppice_wait_budget_spend(struct coppice_wait_budget *budget, int64_t waited_ms) {
    budget->pause_left_ms -= waited_ms;
    budget->left_us -= waited_ms * US_PER_MS;
}

enum coppice_wait_result coppice_wait_budget_verdict(const struct coppice_wait_budget *budget) {
    return budget->pause_left_ms > 0 ? COPPICE_WAIT_SLOW : COPPICE_WAIT_PAUSED;
}

void coppice_wait_budget_credit_reader(struct coppice_wait_budget *budget, int64_t queued, int64_t bytes_per_second) {
    int64_t taken = budget->sent + budget->queued - queued;
    budget->sent = 0;
    budget->queued = queued;
    coppice_wait_budget_earn(budget, taken > 0 ? (size_t)taken : 0, bytes_per_second);
    if (taken > 0) coppice_wait_budget_begin(budget);
}
