/* The worker of fuzz_lobby.c, and a part of that file: what it answers, well or badly; and the service for handshakes. */

static void make_seat(void) {
    int pair[2];
    struct lobby_seat seat = {.used = true, .file = -1, .event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    static uint64_t inode;
    seat.inode = ++inode;
    seat.socket_fd = pair[0];
    worker_socket = pair[1];
    coppice_ring_writer_begin(&writer, make_ring(&seat.ring_fd));
    lobby_seat_add(lobby, 0, &seat);
}

static void remove_seat(bool retry) {
    lobby_lose_seat(lobby, 0, retry, false);
    coppice_answer_ring_unmap(writer.ring);
    close(worker_socket);
    memset(taken, 0, sizeof(taken));
}

static void publish(void) {
    coppice_ring_writer_publish(&writer);
    coppice_request_queue_answered(lobby->queue, 0);
}

static void append(struct coppice_record record, const char *bytes, size_t length) {
    struct iovec part = {.iov_base = (char *)(uintptr_t)bytes, .iov_len = length};
    coppice_ring_writer_append(&writer, record, &part, 1);
}

/* any: also what the heir is spared. */
static void pop(bool any) {
    int slot = coppice_request_queue_pop(lobby->queue, 0, any);
    if (slot < 0) return;
    const struct coppice_lobby_slot *request = coppice_lobby_slot_at(lobby->requests, (uint32_t)slot);
    CHECK(request->length <= lobby->slot_capacity && request->head.length <= request->length);
    CHECK(request->head.field_count <= lobby->settings.max_header_count);
    CHECK(taken[slot] == 0 || taken[slot] != request->serial);
    taken[slot] = request->serial;
}

/* The worker becomes the heir, or no longer is, and takes a request. */
static void change_heir(uint8_t choice) {
    lobby_heir_avoids(lobby, choice & 2 ? "route GET /hello\nroute POST /*" : "");
    lobby_heir_is(lobby, choice & 1 ? 0 : LOBBY_NONE);
    pop(choice & 4);
}

static void end_request(int slot, uint8_t flags) {
    append((struct coppice_record){.type = COPPICE_RECORD_END, .serial = taken[slot], .flags = flags}, "", 0);
    taken[slot] = 0;
    publish();
}

static int any_taken(uint8_t choice) {
    for (int i = 0; i < SLOTS; i++) {
        int slot = (choice + i) % SLOTS;
        if (taken[slot]) return slot;
    }
    return SLOTS;
}

static void answer(uint8_t choice) {
    static const char head[] = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    int slot = any_taken(choice);
    uint8_t keep = choice & 64 ? COPPICE_RECORD_KEEP : 0;
    append((struct coppice_record){
               .type = COPPICE_RECORD_HEAD, .serial = taken[slot], .status = 200, .flags = keep},
           head, sizeof(head) - 1);
    end_request(slot, COPPICE_RECORD_WHOLE);
}

static void any_record(void) {
    static char large[COPPICE_RING_RECORD_BYTES];
    uint8_t type = next_byte(), flags = next_byte(), choice = next_byte();
    uint64_t serial = choice & 128 ? choice : taken[any_taken(choice)];
    size_t length = (size_t)next_byte() * 256;
    struct coppice_record record = {
        .type = type % 8, .flags = flags, .serial = serial, .status = (uint16_t)(choice * 5)};
    append(record, large, length);
    publish();
}

static void send_packet(uint32_t type, uint64_t serial, int descriptor) {
    struct coppice_lobby_packet packet = {.type = type, .serial = serial};
    struct iovec part = {.iov_base = &packet, .iov_len = sizeof(packet)};
    coppice_packet_send(worker_socket, &part, 1, descriptor);
}

static void send_file(uint8_t choice) {
    int slot = any_taken(choice), file = memfd_create("file", MFD_CLOEXEC);
    struct coppice_record_file place = {.offset = choice, .length = (uint64_t)choice << 14};
    CHECK(ftruncate(file, choice & 1 ? 1 << 20 : 64 << 20) == 0);
    send_packet(COPPICE_LOBBY_FILE, taken[slot], file);
    close(file);
    append((struct coppice_record){.type = COPPICE_RECORD_FILE, .serial = taken[slot]}, (const char *)&place,
           sizeof(place));
    publish();
}

static void receive_packets(void) {
    static char bytes[256 * 1024];
    struct iovec part = {.iov_base = bytes, .iov_len = sizeof(bytes)};
    int descriptor, count;
    while (coppice_packet_receive(worker_socket, &part, 1, &descriptor, 1, &count) > 0) {
        if (count == 1) close(descriptor);
    }
}

static int service_socket = -1; /* the clients come here whose handshakes are for the service */

static void leave_service(void) {
    lobby_handshakes_to(lobby, "", -1);
    if (service_socket >= 0) CHECK(close(service_socket) == 0);
    service_socket = -1;
}

/* Clients that have come are closed, and the service comes anew, with room for some of them, for few, or gone at once;
 * or there is none, or none any more. */
static void change_service(uint8_t choice) {
    int pair[2], least = 0;
    leave_service();
    lobby->handshakes_held = choice & 1;
    if (choice & 2) return;
    CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    if (choice & 4) setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
    service_socket = pair[1];
    lobby_handshakes_to(lobby, choice & 8 ? "" : "/cable", pair[0]);
    if (choice & 16) CHECK(shutdown(service_socket, SHUT_RDWR) == 0);
}
