# frozen_string_literal: true

module Coppice
  module Config
    # The greatest values of options, where the system or the server can keep no greater ones.
    module Maximum
      C_INT = (2**31) - 1 # listen(2), setsockopt(2), 32-bit fields of the lobby's settings; a count on the board
      BYTES = (2**62) - 1 # of a body or of files: sums fit into 64 bits
      # Of a request's head. The lobby has room for one in each of its slots, and a worker maps all of them.
      HEAD_BYTES = 1024 * 1024
      HEADERS = 10_000
      # Sockets whose clients workers accept. A worker gets them with one message, which carries 253 descriptors at most
      # (SCM_MAX_FD of the kernel); some are its channel, its inspection socket and its seat at the lobby.
      QUEUES = 240
      LOBBY_QUEUES = 64 # LOBBY_LISTENERS of ext/coppice/lobby/memory/settings.h
      # COPPICE_TRUSTED_NETWORKS of ext/coppice/shared/trusted_networks.h: all of them are compared for each
      # new connection, and for each item of X-Forwarded-For that the access log looks at.
      NETWORKS = 512
    end
  end
end
