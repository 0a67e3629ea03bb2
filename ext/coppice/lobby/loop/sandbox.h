#ifndef COPPICE_LOBBY_SANDBOX_H
#define COPPICE_LOBBY_SANDBOX_H

/*
 * Leaves this process, and all that it makes, no other system calls than a lobby needs: it serves the clients and
 * descriptors that it has. It opens no existing file and no connection, runs no program, and maps no code.
 *
 * directory_fd: where temporary files without a name are made; -1 for nowhere. Answers 0, or an errno where the system
 * refuses a filter: then the process goes on without.
 *
 * A forbidden call fails with EPERM. It does not kill: a C library that is newer than this list may try calls that it
 * can do without, and no client should be lost for that.
 */
int lobby_sandbox(int directory_fd);

#endif
