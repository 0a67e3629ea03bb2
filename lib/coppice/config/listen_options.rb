# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/types"
require "coppice/config/types/amounts"
require "coppice/listeners/address"

module Coppice
  module Config
    # One option of `listen`. Its default is the one of Listeners.
    ListenOption = Struct.new(:name, :type, :doc, keyword_init: true) do
      def default #: () -> untyped
        Listeners::DEFAULT_OPTIONS.fetch(name)
      end

      # As for Pitchfork, nil asks for the default.
      #: (untyped) -> untyped
      def check(value)
        value.nil? ? default : type.check(value)
      end
    end

    row = ->(name, type, doc) { ListenOption.new(name: name, type: type, doc: doc).freeze }

    # The catalogue of the options of `listen`.
    LISTEN_OPTIONS = Catalogue.new([
      row.call(:backlog, Types::Whole.new,
        "How many connections the kernel keeps waiting, at most net.core.somaxconn. The queues share it equally. " \
        "A short one lets a load balancer look elsewhere soon."),
      row.call(:queues, Types::Whole.new(minimum: 1),
        "How many sockets share the address, so that the load is spread more evenly over the workers. Use it with care: " \
        "a connection waits in one queue, even when only workers of other queues are idle."),
      row.call(:queues_per_worker, Types::Whole.new(minimum: 1),
        "How many of the queues each worker accepts from. All but one when not given."),
      row.call(:rcvbuf, Types::Whole.new(minimum: 1, bytes: true),
        "The size of the kernel's receive buffer (SO_RCVBUF). The kernel's choice when not given."),
      row.call(:sndbuf, Types::Whole.new(minimum: 1, bytes: true),
        "The size of the kernel's send buffer (SO_SNDBUF). The kernel's choice when not given."),
      row.call(:tcp_nodelay, Types::Boolean.new,
        "Whether small packets are sent at once (TCP_NODELAY). No meaning for Unix sockets."),
      row.call(:tcp_nopush, Types::Boolean.new,
        "Whether only full packets are sent until the answer is complete (TCP_CORK). No meaning for Unix sockets."),
      row.call(:tcp_defer_accept, Types::Retransmissions.new,
        "For how many retransmissions the kernel holds back a connection that has sent nothing yet (TCP_DEFER_ACCEPT). " \
        "No meaning for Unix sockets."),
      row.call(:ipv6only, Types::Boolean.new,
        "Whether an IPv6 address takes IPv6 clients only. The kernel's choice when not given: `[::]` usually takes both."),
      row.call(:reuseport, Types::Boolean.new,
        "Whether several independent servers may listen on the same address (SO_REUSEPORT). All of them must ask for it."),
      row.call(:umask, Types::Whole.new(minimum: 0),
        "The permissions that a Unix socket shall not have, usually written in octal. With 0 every local user can connect."),
      row.call(:tries, Types::Whole.new,
        "How often to try when the address is in use. A negative number means for ever."),
      row.call(:delay, Types::Seconds.new(minimum: 0), "The pause between two tries, in seconds.")
    ])
  end
end
