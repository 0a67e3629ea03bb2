#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "answer.h"

static const char status_wanted[] = "HTTP/1.1 200 ";

/* Not the 16 KB of its buffers. */
void answer_begin(struct answer *answer) {
    answer->head_whole = answer->closes = false;
    answer->chunks = (struct chunks){ .state = CHUNKS_SIZE };
    answer->promised = answer->body_length = 0;
    answer->head_length = 0;
    answer->text[0] = '\0';
}

static const char *field(const struct answer *answer, const char *name) {
    const char *found = strcasestr(answer->head, name);
    return found ? found + strlen(name) : NULL;
}

/* The head, without the empty line, is in answer->head. */
static enum verdict judge_head(struct answer *answer, int64_t expected) {
    const char *length = field(answer, "\r\ncontent-length:");

    if (strncmp(answer->head, status_wanted, strlen(status_wanted)) != 0) return VERDICT_STATUS;
    answer->closes = field(answer, "\r\nconnection: close") != NULL;
    if (field(answer, "\r\ntransfer-encoding: chunked")) {
        answer->framing = FRAMING_CHUNKS;
    } else if (length) {
        answer->framing = FRAMING_LENGTH;
        answer->promised = strtoull(length, NULL, 10);
        if (expected >= 0 && answer->promised != (uint64_t)expected) return VERDICT_LENGTH;
    } else {
        answer->framing = FRAMING_UNTIL_CLOSE;
        answer->closes = true;
    }
    return VERDICT_MORE;
}

/* Takes bytes up to the end of the head, and returns how many. */
static size_t take_head(struct answer *answer, const char *bytes, size_t length) {
    size_t before = answer->head_length, room = sizeof answer->head - 1 - before;
    size_t taken = length < room ? length : room;

    memcpy(answer->head + before, bytes, taken);
    size_t look_from = before > 3 ? before - 3 : 0;
    const char *end = memmem(answer->head + look_from, before + taken - look_from, "\r\n\r\n", 4);
    answer->head_whole = end != NULL;
    answer->head_length = end ? (size_t)(end - answer->head) : before + taken;
    answer->head[answer->head_length] = '\0';
    return end ? answer->head_length + 4 - before : taken;
}

static void take_data(struct answer *answer, const char *bytes, size_t length) {
    if (answer->body_length < ANSWER_TEXT_BYTES - 1) {
        size_t room = ANSWER_TEXT_BYTES - 1 - (size_t)answer->body_length;
        size_t kept = length < room ? length : room;
        memcpy(answer->text + answer->body_length, bytes, kept);
        answer->text[answer->body_length + kept] = '\0';
    }
    answer->body_length += length;
}

/* Takes data out of chunks. Bytes after the last chunk are malformed as well. */
static enum verdict take_chunks(struct answer *answer, const char *bytes, size_t length) {
    while (length > 0) {
        bool data;
        size_t taken = chunks_read(&answer->chunks, bytes, length, &data);
        if (taken == 0) return VERDICT_LENGTH;
        if (data) take_data(answer, bytes, taken);
        bytes += taken;
        length -= taken;
    }
    return answer->chunks.state == CHUNKS_MALFORMED ? VERDICT_LENGTH : VERDICT_MORE;
}

static enum verdict judge_length(const struct answer *answer, int64_t expected) {
    return expected < 0 || answer->body_length == (uint64_t)expected ? VERDICT_WHOLE : VERDICT_LENGTH;
}

/* Whether the whole body has arrived. */
static enum verdict judge_body(const struct answer *answer, int64_t expected) {
    if (answer->framing == FRAMING_CHUNKS) {
        return answer->chunks.state == CHUNKS_DONE ? judge_length(answer, expected) : VERDICT_MORE;
    }
    if (answer->framing == FRAMING_UNTIL_CLOSE || answer->body_length < answer->promised) return VERDICT_MORE;
    return answer->body_length == answer->promised ? VERDICT_WHOLE : VERDICT_LENGTH;
}

enum verdict answer_read(struct answer *answer, const char *bytes, size_t length, int64_t expected) {
    enum verdict verdict = VERDICT_MORE;

    if (!answer->head_whole) {
        size_t taken = take_head(answer, bytes, length);
        if (!answer->head_whole) return taken == length ? VERDICT_MORE : VERDICT_STATUS; /* the head is too long */
        verdict = judge_head(answer, expected);
        bytes += taken;
        length -= taken;
    }
    if (verdict != VERDICT_MORE) return verdict;
    if (answer->framing == FRAMING_CHUNKS) verdict = take_chunks(answer, bytes, length);
    else take_data(answer, bytes, length);
    return verdict == VERDICT_MORE ? judge_body(answer, expected) : verdict;
}

enum verdict answer_end(const struct answer *answer, int64_t expected) {
    if (!answer->head_whole) return VERDICT_RESET;
    if (answer->framing == FRAMING_UNTIL_CLOSE) return judge_length(answer, expected);
    return judge_body(answer, expected) == VERDICT_WHOLE ? VERDICT_WHOLE : VERDICT_LENGTH;
}

size_t answer_opaque(const struct answer *answer) {
    if (!answer->head_whole || answer->framing != FRAMING_LENGTH || answer->body_length < ANSWER_TEXT_BYTES) return 0;
    return (size_t)(answer->promised - answer->body_length);
}

enum verdict answer_skip(struct answer *answer, size_t length, int64_t expected) {
    answer->body_length += length;
    return judge_body(answer, expected);
}
