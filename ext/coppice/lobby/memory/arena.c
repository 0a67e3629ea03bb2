/* The memory of the lobby: its own, which a successor of the loop finds as it was, and what workers share. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/socket_io.h"
#include "memory.h"

#define MORE_ADDRESS_SPACE " (mmap): raise the limit of address space (ulimit -v, LimitAS=)"

enum {
    SMALL_BYTES = 16 * 1024,
    BLOCK_BYTES = 16 * 1024,
    LARGE_BLOCKS = 512,      /* 64 MiB */
    OUTPUT_BLOCKS = 4096,    /* 64 MiB for answers that wait */
    SMALL_BLOCKS = 8192,     /* 128 MiB for requests that are not complete */
    LEAST_BODY = 8 * 1024,   /* room behind the longest head */
    LINE = 64
};

/* Hands out pieces of one mapping; with memory NULL only counts. */
struct layout {
    char *memory;
    size_t used;
};

static void *piece(struct layout *layout, size_t bytes, size_t alignment) {
    layout->used = (layout->used + alignment - 1) / alignment * alignment;
    void *at = layout->memory ? layout->memory + layout->used : NULL;
    layout->used += bytes;
    return at;
}

static struct coppice_block_pool *pool(struct layout *layout, uint32_t block_bytes, uint32_t count) {
    struct coppice_block_pool *made = piece(layout, coppice_block_pool_bytes(count), LINE);
    void *memory = piece(layout, (size_t)block_bytes * count, COPPICE_LOBBY_PAGE);
    if (made) coppice_block_pool_init(made, memory, block_bytes, count);
    return made;
}

static uint32_t lesser(uint32_t one, uint32_t other) {
    return one < other ? one : other;
}

static uint32_t rounded(size_t bytes, size_t unit) {
    return (uint32_t)((bytes + unit - 1) / unit * unit);
}

/* What comes before the bytes of a slot. */
static uint32_t slot_head_bytes(const struct lobby_settings *settings) {
    size_t head = coppice_request_head_size(settings->max_header_count);
    return rounded(offsetof(struct coppice_lobby_slot, head) + head, LINE);
}

/* The same order each time: first to count, then for good. */
static struct coppice_lobby *lay_out(struct layout *layout, const struct lobby_settings *settings) {
    uint32_t connections = settings->max_connections;
    size_t fields = settings->max_header_count * sizeof(struct coppice_field);
    uint32_t overhead = rounded(sizeof(struct lobby_intake) + fields, 16);
    uint32_t slot_head = slot_head_bytes(settings);
    size_t slot_bytes = rounded(slot_head + (size_t)settings->head.header_bytes + LEAST_BODY, COPPICE_LOBBY_PAGE);
    if (slot_bytes < COPPICE_LOBBY_SLOT_BYTES) slot_bytes = COPPICE_LOBBY_SLOT_BYTES;
    uint32_t capacity = (uint32_t)slot_bytes - slot_head;
    uint32_t clients_size = lobby_clients_size(connections);

    struct coppice_lobby *lobby = piece(layout, sizeof(*lobby), LINE);
    struct lobby_connection *records = piece(layout, connections * sizeof(*records), LINE);
    struct lobby_request *slots = piece(layout, (settings->slots + 1) * sizeof(*slots), LINE);
    struct lobby_seat *seats = piece(layout, COPPICE_LOBBY_SEATS * sizeof(*seats), LINE);
    uint32_t *pushed = piece(layout, coppice_request_queue_size(settings->slots) * sizeof(*pushed), LINE);
    struct lobby_waiting *backlog = piece(layout, settings->slots * sizeof(*backlog), LINE);
    struct lobby_route_costs *costs = piece(layout, sizeof(*costs), LINE);
    struct lobby_turns *turns = piece(layout, sizeof(*turns), LINE);
    struct lobby_client_count *clients = piece(layout, lobby_clients_bytes(clients_size), LINE);
    struct coppice_access_log *log = settings->access_log ? piece(layout, sizeof(*log), LINE) : NULL;
    struct coppice_block_pool *small =
        pool(layout, rounded(overhead + SMALL_BYTES, COPPICE_LOBBY_PAGE), lesser(connections, SMALL_BLOCKS));
    struct coppice_block_pool *large =
        pool(layout, rounded(overhead + capacity, COPPICE_LOBBY_PAGE), lesser(connections, LARGE_BLOCKS));
    struct coppice_block_pool *outputs = pool(layout, COPPICE_LOBBY_PAGE, connections);
    struct coppice_block_pool *blocks = pool(layout, BLOCK_BYTES, OUTPUT_BLOCKS);
    if (!lobby) return NULL;
    *lobby = (struct coppice_lobby){
        .settings = *settings,
        .connections = records,
        .slots = slots,
        .seats = seats,
        .pushed = pushed,
        .backlog = backlog,
        .costs = costs,
        .turns = turns,
        .clients = clients,
        .access_log = log,
        .clients_size = clients_size,
        .small = small,
        .large = large,
        .outputs = outputs,
        .blocks = blocks,
        .intake_overhead = overhead,
        .slot_capacity = capacity,
        .in_hand = LOBBY_NONE,
        .handshakes_fd = -1,
        .heir = LOBBY_NONE,
        .log_level = LOBBY_INFO,
    };
    return lobby;
}

static struct coppice_lobby *map_arena(const struct lobby_settings *settings) {
    struct layout layout = {.memory = NULL};
    lay_out(&layout, settings);
    char *memory = mmap(NULL, layout.used, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    layout = (struct layout){.memory = memory};
    return lay_out(&layout, settings);
}

static void *map_file(int fd, size_t bytes) {
    if (ftruncate(fd, (off_t)bytes) != 0) return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* One slot more than is used: lobby_slot_is_spare. Seals come after the only mapping that may write. */
static bool map_requests(struct coppice_lobby *lobby) {
    uint32_t slot_head = slot_head_bytes(&lobby->settings), slot_bytes = slot_head + lobby->slot_capacity;
    uint32_t count = lobby->settings.slots + 1;
    lobby->requests = map_file(lobby->requests_fd, COPPICE_LOBBY_PAGE + (size_t)count * slot_bytes);
    if (!lobby->requests) return false;
    *lobby->requests = (struct coppice_lobby_requests){
        .magic = COPPICE_LOBBY_MAGIC,
        .version = COPPICE_LOBBY_VERSION,
        .slot_count = count,
        .slot_bytes = slot_bytes,
        .field_capacity = lobby->settings.max_header_count,
        .bytes_at = slot_head,
        .slots_at = COPPICE_LOBBY_PAGE,
    };
    int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
    if (fcntl(lobby->requests_fd, F_ADD_SEALS, seals) != 0) {
        lobby_log(lobby, LOBBY_WARN, "the requests cannot be sealed: %s", strerror(errno));
    }
    return true;
}

static bool map_queue(struct coppice_lobby *lobby) {
    uint32_t size = coppice_request_queue_size(lobby->settings.slots);
    lobby->queue = map_file(lobby->queue_fd, coppice_request_queue_bytes(size));
    if (!lobby->queue) return false;
    coppice_request_queue_init(lobby->queue, size);
    lobby->tail = 1;
    lobby->queue_size = size;
    for (uint32_t i = 0; i < size; i++) lobby->pushed[i] = LOBBY_NONE;
    if (fcntl(lobby->queue_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
        lobby_log(lobby, LOBBY_WARN, "the queue cannot be sealed: %s", strerror(errno));
    }
    return true;
}

static bool map_board(struct coppice_lobby *lobby) {
    struct stat stat;
    uint64_t offset = lobby->settings.board_offset, seen = lobby->settings.seen;
    if (fstat(lobby->board_fd, &stat) != 0) return false;
    lobby->board_bytes = (uint64_t)stat.st_size;
    errno = EINVAL;
    uint64_t cells = LOBBY_COUNTERS + LOBBY_ROUTE_NAME / sizeof(int64_t);
    if (lobby->settings.board_cells < cells) return false;
    if (offset + cells * sizeof(int64_t) > lobby->board_bytes) return false;
    if (seen % sizeof(int64_t) != 0 || seen > lobby->board_bytes - sizeof(int64_t)) return false;
    void *memory = mmap(NULL, lobby->board_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, lobby->board_fd, 0);
    if (memory == MAP_FAILED) return false;
    lobby->board = memory;
    lobby->counters = (_Atomic int64_t *)(void *)(lobby->board + offset);
    lobby->held_route = lobby->board + offset + LOBBY_COUNTERS * sizeof(int64_t);
    if (seen) lobby->seen_ms = (_Atomic int64_t *)(void *)(lobby->board + seen);
    return true;
}

static void take_descriptors(struct coppice_lobby *lobby, const int *descriptors) {
    lobby->requests_fd = *descriptors++;
    lobby->queue_fd = *descriptors++;
    lobby->board_fd = *descriptors++;
    lobby->event_fd = *descriptors++;
    enum coppice_access_format format = lobby->settings.access_log_json ? COPPICE_ACCESS_JSON : COPPICE_ACCESS_TEXT;
    if (lobby->access_log) coppice_access_log_init(lobby->access_log, *descriptors++, format);
    for (uint32_t i = 0; i < lobby->settings.listeners; i++) lobby->listener_fds[i] = *descriptors++;
}

/* Request numbers go on where those of an earlier lobby ended: it has had fewer than one in a microsecond. */
static void begin_numbers(struct coppice_lobby *lobby) {
    lobby->counter = (uint64_t)coppice_monotonic_us();
    if (getrandom(&lobby->identity, sizeof(lobby->identity), 0) < 0) lobby->identity = lobby->counter;
}

static void open_directory(struct coppice_lobby *lobby) {
    const char *directory = lobby->settings.buffer_directory;
    lobby->directory_fd = -1;
    if (!*directory) return;
    lobby->directory_fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int file = lobby->directory_fd < 0 ? -1 : openat(lobby->directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0) {
        close(file);
        return;
    }
    int error = errno;
    lobby_log(lobby, LOBBY_WARN, "buffer_directory cannot be used, memory is: %s", strerror(error));
    bool never = error == EOPNOTSUPP || error == EISDIR || error == EINVAL || error == EROFS || error == EACCES;
    if (!never || lobby->directory_fd < 0) return;
    close(lobby->directory_fd); /* how full it is says nothing */
    lobby->directory_fd = -1;
}

static const char *remedy(int error) {
    if (error == EFBIG) return " (ftruncate): raise the limit (ulimit -f, LimitFSIZE=)";
    if (error == ENOMEM) return MORE_ADDRESS_SPACE;
    return "";
}

struct coppice_lobby *lobby_create(const struct lobby_settings *settings, int channel_fd, const int *descriptors) {
    struct coppice_lobby *lobby = map_arena(settings);
    if (!lobby) {
        lobby_tell(channel_fd, "log error the lobby got no memory" MORE_ADDRESS_SPACE "\n");
        return NULL;
    }
    lobby->channel_fd = channel_fd;
    take_descriptors(lobby, descriptors);
    lobby->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    lobby_spares_begin(lobby);
    open_directory(lobby);
    if (lobby->epoll_fd < 0 || !map_requests(lobby) || !map_queue(lobby) || !map_board(lobby)) {
        lobby_log(lobby, LOBBY_ERROR, "the lobby cannot map what it shares: %s%s", strerror(errno), remedy(errno));
        return NULL;
    }
    begin_numbers(lobby);
    return lobby;
}
