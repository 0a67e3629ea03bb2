# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/listen_option"
require "coppice/config/maximum"
require "coppice/config/types"
require "coppice/config/types/amounts"
require "coppice/listeners/address"

module Coppice
  module Config
    row = ->(name, type, doc) { ListenOption.new(name: name, type: type, doc: doc).freeze }

    # The catalogue of the options of `listen`.
    LISTEN_OPTIONS = Catalogue.new([
      row.call(:lobby, Types::Boolean.new,
        "Whether the lobby meets the clients: it keeps connections open between requests, waits for slow clients, " \
        "and gives complete requests to the workers. With false, workers accept the clients themselves and close " \
        "after each response. The default is true for TCP addresses and false for Unix sockets."),
      row.call(:proxy_protocol, Types::Boolean.new,
        "Whether each connection begins with a header of the PROXY protocol, version 1 or 2, that names the client. " \
        "In version 2 it can also say that the client used TLS, and then `rack.url_scheme` is https. Any other " \
        "connection is closed. Needs the lobby."),
      row.call(:scheme, Types::OneOf.new(:http, :https),
        "The scheme of its clients: `:https` where they always come through a proxy that ends TLS and sends no " \
        "X-Forwarded-Proto, such as stunnel or a load balancer that speaks TCP. It is `rack.url_scheme` unless a " \
        "PROXY header, or X-Forwarded-Proto or X-Forwarded-Ssl of one of trusted_proxies, says the other."),
      row.call(:backlog, Types::Whole.new(minimum: -1, maximum: Maximum::C_INT),
        "Length of the listen backlog, at most net.core.somaxconn, which -1 stands for. The queues share it equally. " \
        "Where it is full, Linux does not answer a new client of TCP, which tries again until its own limit for a " \
        "connection has passed: a short backlog makes a load balancer turn to another server only with a short " \
        "limit there. A Unix socket refuses a client that does not wait, at once (EAGAIN). The default is 1024; a " \
        "socket that systemd passes keeps its own (`Backlog=`)."),
      row.call(:queues, Types::Whole.new(minimum: 1, maximum: Maximum::QUEUES),
        "Number of sockets that share the address, so that the load is spread more evenly over the workers. Use it " \
        "with care: a connection waits in one queue, even when only workers of other queues are idle. The lobby " \
        "accepts from all of them, so with it one is enough."),
      row.call(:queues_per_worker, Types::Whole.new(minimum: 1, maximum: Maximum::QUEUES),
        "Number of queues that each worker accepts from. The default is all but one. No effect with the lobby."),
      row.call(:rcvbuf, Types::Whole.new(minimum: 1, maximum: Maximum::C_INT, bytes: true),
        "Size of the kernel's receive buffer (SO_RCVBUF). The default is the kernel's choice."),
      row.call(:sndbuf, Types::Whole.new(minimum: 1, maximum: Maximum::C_INT, bytes: true),
        "Size of the kernel's send buffer (SO_SNDBUF). The default is the kernel's choice."),
      row.call(:tcp_nodelay, Types::Boolean.new,
        "Whether small packets are sent at once (TCP_NODELAY). The lobby always does. No effect on Unix sockets."),
      row.call(:tcp_nopush, Types::Boolean.new,
        "Whether only full packets are sent until the response is complete (TCP_CORK). No effect with the lobby, " \
        "which sends what it has, and on Unix sockets."),
      row.call(:tcp_defer_accept, Types::Retransmissions.new,
        "Number of retransmissions for which the kernel holds back a connection that has sent nothing yet " \
        "(TCP_DEFER_ACCEPT). No effect with the lobby, which waits for clients itself, and on Unix sockets."),
      row.call(:ipv6only, Types::Boolean.new,
        "Whether an IPv6 address accepts IPv6 clients only. The default is the kernel's choice: `[::]` usually " \
        "accepts both."),
      row.call(:reuseport, Types::Boolean.new,
        "Whether several independent servers may listen on the same address (SO_REUSEPORT). All of them must set it."),
      row.call(:umask, Types::Whole.new(minimum: 0, maximum: 0o777),
        "Permissions to remove from a Unix socket, usually written in octal. With 0 every local user can connect."),
      row.call(:tries, Types::Whole.new,
        "Number of attempts to bind an address that is in use. A negative number means no limit."),
      row.call(:delay, Types::Seconds.new(minimum: 0), "Pause between two attempts, in seconds.")
    ])
  end
end
