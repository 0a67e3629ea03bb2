/* The workers' part: takes requests, and writes answers, good and bad ones. */
#include "play.h"
#include "rings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

bool fall_asleep(unsigned number) {
    bool asleep = coppice_request_queue_worker_sleeps(queue, (uint16_t)number);
    if (asleep && coppice_request_queue_worker_wanted(queue)) coppice_wake(lobby_event_fd);
    return asleep;
}

static void print_hex(const char *from, size_t length) {
    for (size_t i = 0; i < length; i++) printf("%02x", (unsigned char)from[i]);
}

/* A line for each field of the head, as the parser has split it. */
static void print_fields(const struct coppice_request_head *head, const char *text) {
    for (uint32_t i = 0; i < head->field_count; i++) {
        const struct coppice_field *field = &head->fields[i];
        print_hex(text + field->name.offset, field->name.length);
        print_hex("=", 1);
        print_hex(text + field->value.offset, field->value.length);
        print_hex("\n", 1);
    }
}

/* One that waits for a request takes it behind a stalled answer too: a worker may have looked before it stalled. */
static int pop_slot(unsigned number, bool wait) {
    if (!wait && coppice_ring_writer_stalled(&seats[number].writer)) return -1;
    return coppice_request_queue_pop(queue, (uint16_t)number, false);
}

/* Waits for a request as a worker does; prints slot, serial, flags, body length, bytes, fields. */
void pop(unsigned number, bool wait) {
    struct seat *seat = &seats[number];
    int slot = pop_slot(number, wait);
    while (slot < 0 && wait) {
        if (fall_asleep(number)) await_eventfd(seat->event_fd, EVENTS_MS);
        coppice_request_queue_worker_wakes(queue, (uint16_t)number);
        slot = pop_slot(number, wait);
    }
    if (slot < 0) {
        printf("empty\n");
        return;
    }
    const struct coppice_lobby_slot *taken = coppice_lobby_slot_at(requests, (uint32_t)slot);
    seat->slot = (uint32_t)slot;
    seat->serial = taken->serial;
    printf("%d %llu %u %llu ", slot, (unsigned long long)taken->serial, taken->flags,
           (unsigned long long)taken->body_length);
    print_hex(coppice_lobby_slot_bytes(requests, taken), taken->length);
    printf(" ");
    print_fields(&taken->head, coppice_lobby_slot_bytes(requests, taken));
    printf("\n");
}

void publish(unsigned number) {
    coppice_ring_writer_publish(&seats[number].writer);
    if (coppice_request_queue_answered(queue, (uint16_t)number)) coppice_wake(lobby_event_fd);
}

size_t from_hex(const char *hex) {
    size_t length = 0;
    for (unsigned value; sscanf(hex, "%2x", &value) == 1; hex += 2) bytes[length++] = (char)value;
    return length;
}

static void append(unsigned number, struct coppice_record record, const char *payload, size_t length) {
    struct seat *seat = &seats[number];
    struct iovec part = {.iov_base = (char *)(uintptr_t)payload, .iov_len = length};
    while (!coppice_ring_writer_append(&seat->writer, record, &part, 1)) {
        publish(number);
        if (coppice_ring_writer_waits(&seat->writer, length, false)) await_eventfd(seat->event_fd, EVENTS_MS);
    }
}

/* TYPE STATUS FLAGS SERIAL HEX; serial 0 is that of the request in hand. */
void record(const struct words *words) {
    unsigned type, status, flags;
    unsigned long long serial;
    int at = 0;
    if (sscanf(words->rest, "%u %u %u %llu %n", &type, &status, &flags, &serial, &at) < 4) die("record");
    size_t length = from_hex(words->rest + at);
    struct coppice_record made = {.type = (uint8_t)type,
                                  .flags = (uint8_t)flags,
                                  .status = (uint16_t)status,
                                  .serial = serial ? serial : seats[words->seat].serial};
    append(words->seat, made, bytes, length);
}

/* fill N BYTES [TYPE]: a pattern as DATA, or as records of that type, as fast as the lobby takes it. */
void fill(const struct words *words) {
    size_t length = (size_t)words->first;
    struct coppice_record made = {.type = words->second ? (uint8_t)words->second : COPPICE_RECORD_DATA,
                                  .serial = seats[words->seat].serial};
    for (size_t done = 0; done < length;) {
        size_t part = length - done < 32768 ? length - done : 32768;
        for (size_t i = 0; i < part; i++) bytes[i] = (char)('a' + (done + i) % 23);
        append(words->seat, made, bytes, part);
        done += part;
    }
    publish(words->seat);
}

/* PATH OFFSET LENGTH */
void file(const struct words *words) {
    const struct seat *seat = &seats[words->seat];
    char path[512];
    unsigned long long offset, length;
    if (sscanf(words->rest, "%511s %llu %llu", path, &offset, &length) != 3) die("file");
    struct coppice_lobby_packet packet = {.type = COPPICE_LOBBY_FILE, .serial = seat->serial};
    struct coppice_record_file place = {.offset = offset, .length = length};
    struct coppice_record made = {.type = COPPICE_RECORD_FILE, .serial = seat->serial};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) die(path);
    send_packet(seat->socket_fd, (char *)&packet, sizeof(packet), &fd, 1);
    close(fd);
    append(words->seat, made, (char *)&place, sizeof(place));
}

/* What was answered before is to be read at this packet, not sooner. */
void ask(const struct words *words) {
    struct seat *seat = &seats[words->seat];
    coppice_ring_writer_publish(&seat->writer);
    struct coppice_lobby_packet packet = {.type = (uint32_t)words->first, .serial = seat->serial};
    send_packet(seat->socket_fd, (char *)&packet, sizeof(packet), NULL, 0);
}

/* take N: the lobby's packet: its type, and the bytes behind it. */
void take(const struct words *words) {
    struct seat *seat = &seats[words->seat];
    struct pollfd readable = {.fd = seat->socket_fd, .events = POLLIN};
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {.iov_base = bytes, .iov_len = sizeof(bytes)};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    ssize_t length = bounded_poll(&readable, 1, EVENTS_MS) == 1 ? recvmsg(seat->socket_fd, &message, 0) : -1;
    if (length < (ssize_t)sizeof(struct coppice_lobby_packet)) {
        printf("nothing\n");
        return;
    }
    struct coppice_lobby_packet packet;
    memcpy(&packet, bytes, sizeof(packet));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    seat->received = -1;
    if (header) memcpy(&seat->received, CMSG_DATA(header), sizeof(int));
    printf("%u %d ", packet.type, header != NULL);
    print_hex(bytes + sizeof(packet), (size_t)length - sizeof(packet));
    printf("\n");
}

/* content N: the bytes of the file that came. write N HEX: to the descriptor that came, which is closed then. */
void content(const struct words *words) {
    int fd = seats[words->seat].received;
    ssize_t length = pread(fd, bytes, sizeof(bytes), 0);
    struct stat stat;
    if (length < 0 || fstat(fd, &stat) != 0) die("pread");
    uint64_t sum = 0;
    for (ssize_t i = 0; i < length; i++) sum = sum * 31 + (unsigned char)bytes[i];
    printf("%lld %llu\n", (long long)stat.st_size, (unsigned long long)sum);
    close(fd);
}

/* The sleeping worker that is woken first. */
void woken(const struct words *words) {
    (void)words;
    struct pollfd events[SEATS];
    nfds_t count = 0;
    for (; count < SEATS && seats[count].writer.ring; count++) {
        events[count] = (struct pollfd){.fd = seats[count].event_fd, .events = POLLIN};
    }
    bounded_poll(events, count, EVENTS_MS);
    for (nfds_t i = 0; i < count; i++) {
        if (!events[i].revents) continue;
        await_eventfd(seats[i].event_fd, EVENTS_MS);
        coppice_request_queue_worker_wakes(queue, (uint16_t)i);
        printf("%d\n", (int)i);
        return;
    }
    printf("nobody\n");
}

/* What no worker should do. */
void scribble(const struct words *words) {
    unsigned kind = words->seat;
    if (kind == 0) atomic_store(&queue->tail, 77777);
    if (kind == 1) atomic_store(&queue->head, 77777);
    if (kind == 2) queue->size = 1u << 31;
    for (uint32_t i = 0; kind == 3 && i < 64; i++) atomic_store(&queue->cells[i], UINT64_MAX);
    for (uint32_t i = 0; kind == 4 && i < 64; i++) atomic_fetch_or(&queue->cells[i], 0xfff0); /* no seat */
}

void client_gone(const struct words *words) {
    const struct coppice_lobby_slot *slot = coppice_lobby_slot_at(requests, seats[words->seat].slot);
    printf("%u\n", atomic_load(&((struct coppice_lobby_slot *)(uintptr_t)slot)->client_gone));
}

/* As if it had written more than a ring has room for. */
void spoil(const struct words *words) {
    seats[words->seat].writer.position = 7;
    publish(words->seat);
}
