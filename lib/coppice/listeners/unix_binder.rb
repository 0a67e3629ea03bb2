# frozen_string_literal: true

require "socket"
require "coppice/errors"
require "coppice/listeners/address_owners"

module Coppice
  module Listeners
    # Binds the socket of one Unix address, after it has made sure that nobody uses the path; listen(2) comes later.
    # Runs in the monitor.
    class UnixBinder
      #: (Address) -> void
      def initialize(address)
        @address = address
        @path = address.path
      end

      # Raises SystemCallError (EADDRINUSE when a process holds the path), or BindError for a path that is no socket's.
      def bind #: () -> Array[Socket]
        make_room
        socket = Socket.new(:UNIX, :STREAM)
        with_umask { socket.bind(Addrinfo.unix(@path)) }
        [socket]
      rescue SystemCallError
        socket&.close
        raise
      end

      private

      # Removes the file that a server without a proper end has left.
      def make_room
        status = File.lstat(@path)
        unless status.socket?
          raise BindError, "cannot listen on #{@path}: there is a file of another kind. Remove it, or choose another path"
        end
        raise Errno::EADDRINUSE, @path if used?

        File.unlink(@path)
      rescue Errno::ENOENT
        nil # nothing there
      end

      # A refused connection alone proves nothing: a server that is still booting refuses too. But the kernel lists
      # each socket that a process holds.
      def used?
        probe = Socket.new(:UNIX, :STREAM)
        probe.connect_nonblock(Addrinfo.unix(@path))
        true
      rescue Errno::EAGAIN # its queue is full
        true
      rescue Errno::ECONNREFUSED
        !AddressOwners.new(@address).inodes.empty?
      ensure
        probe&.close
      end

      # The process has one umask; no other thread creates files while the monitor binds.
      def with_umask
        before = File.umask(@address.options[:umask])
        yield
      ensure
        File.umask(before)
      end
    end
  end
end
