# frozen_string_literal: true

require "socket"
require "coppice/errors"
require "coppice/listeners/address_owners"

module Coppice
  module Listeners
    # Binds the socket of one Unix address, after a check that no process uses the path; listen(2) comes later.
    class UnixBinder
      #: (Address) -> void
      def initialize(address)
        @address = address
        @path = address.path
      end

      # Raises SystemCallError (EADDRINUSE when a process uses the path), or BindError when the path is another kind of
      # file.
      def bind #: () -> Array[Socket]
        remove_stale_file
        socket = Socket.new(:UNIX, :STREAM)
        with_umask { socket.bind(Addrinfo.unix(@path)) }
        [socket]
      rescue SystemCallError
        socket&.close
        raise
      end

      private

      # Removes the file of a server that did not exit gracefully.
      def remove_stale_file
        status = File.lstat(@path)
        unless status.socket?
          raise BindError,
            "cannot listen on #{@path}: there is a file of another kind. Remove it, or choose another path"
        end
        raise Errno::EADDRINUSE, @path if used?

        File.unlink(@path)
      rescue Errno::ENOENT
        nil # nothing there
      end

      # A refused connection alone proves nothing, because a server that is still booting refuses as well. But the
      # kernel lists each open socket.
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
