/* What the monitor is told: text packets, each a line of words, then lines "name value". */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "memory.h"

void lobby_tell(int channel_fd, const char *text) {
    (void)send(channel_fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL);
}

void lobby_log(const struct coppice_lobby *lobby, enum lobby_log_level level, const char *format, ...) {
    static const char *const names[] = {"debug", "info", "warn", "error"};
    if ((int)level < lobby->log_level) return;
    char text[1024];
    int length = snprintf(text, sizeof(text), "log %s ", names[level]);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof(text) - (size_t)length, format, arguments);
    va_end(arguments);
    lobby_tell(lobby->channel_fd, text);
}
