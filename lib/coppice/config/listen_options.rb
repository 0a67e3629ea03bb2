# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/maximum"
require "coppice/config/option"
require "coppice/config/types"
require "coppice/config/types/amounts"
require "coppice/listeners/address"

module Coppice
  module Config
    row = lambda do |name, type, doc|
      Option.new(name: name, type: type, default: Listeners::DEFAULT_OPTIONS.fetch(name), doc: doc).freeze
    end

    # The catalogue of the options of `listen`.
    LISTEN_OPTIONS = Catalogue.new([
      row.call(:lobby, Types::Boolean.new,
        "Whether the lobby accepts the clients. With false, workers do, and close after each response. Default: true " \
        "for TCP, false for Unix sockets."),
      row.call(:proxy_protocol, Types::Boolean.new,
        "Whether each connection begins with a PROXY protocol header (version 1 or 2). Others get 400. Needs the " \
        "lobby."),
      row.call(:scheme, Types::OneOf.new(:http, :https),
        "`:https` where a proxy ends TLS and sends no X-Forwarded-Proto. Headers of PROXY and of `trusted_proxies` " \
        "go before it."),
      row.call(:backlog, Types::Whole.new(minimum: -1, maximum: Maximum::C_INT),
        "Length of the listen backlog, at most net.core.somaxconn (-1). A full one makes TCP clients retry, and " \
        "refuses those of a Unix socket (listen(2)). Default: 1024, or that of systemd's socket."),
      row.call(:queues, Types::Whole.new(minimum: 1, maximum: Maximum::QUEUES),
        "Sockets that share the address. A client waits in one, even if only workers of others are idle. The lobby " \
        "needs only one."),
      row.call(:queues_per_worker, Types::Whole.new(minimum: 1, maximum: Maximum::QUEUES),
        "Queues that each worker accepts from. Default: all but one. No effect with the lobby."),
      row.call(:rcvbuf, Types::Whole.new(minimum: 1, maximum: Maximum::C_INT, bytes: true),
        "Receive buffer (SO_RCVBUF). Default: the kernel's."),
      row.call(:sndbuf, Types::Whole.new(minimum: 1, maximum: Maximum::C_INT, bytes: true),
        "Send buffer (SO_SNDBUF). Default: the kernel's."),
      row.call(:tcp_nodelay, Types::Boolean.new,
        "Whether to send small packets at once. The lobby always does."),
      row.call(:tcp_nopush, Types::Boolean.new,
        "Whether to send only full packets until the response is complete (TCP_CORK). No effect with the lobby."),
      row.call(:tcp_defer_accept, Types::Retransmissions.new,
        "Retransmissions for which the kernel holds back a silent connection. No effect with the lobby."),
      row.call(:ipv6only, Types::Boolean.new,
        "Whether an IPv6 address refuses IPv4 clients. Default: the kernel's choice, usually false."),
      row.call(:reuseport, Types::Boolean.new,
        "Whether several servers may listen on the address. All must set it."),
      row.call(:umask, Types::Whole.new(minimum: 0, maximum: 0o777),
        "Permissions to remove from a Unix socket, such as 0o077. With 0 every local user can connect."),
      row.call(:tries, Types::Whole.new,
        "Attempts to bind an address that is in use; negative means no limit."),
      row.call(:delay, Types::Seconds.new(minimum: 0), "Pause between two attempts.")
    ])
  end
end
