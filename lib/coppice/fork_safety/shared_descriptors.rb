# frozen_string_literal: true

require "fcntl"
require "socket"
require "coppice/fork_safety/finding"
require "coppice/fork_safety/kept_ios"
require "coppice/fork_safety/open_descriptors"
require "coppice/fork_safety/reconnecting_clients"

module Coppice
  module ForkSafety
    # The connections and pipes that this process has inherited and still holds. Not among them: descriptors 0 to 2,
    # listeners, datagram sockets, socketpairs, files, and what was passed to Info.keep_io.
    class SharedDescriptors
      STANDARD = (0..2).freeze
      # Walks over the heap of a process that was just forked take about 25 ms for each million of objects. More objects
      # are allowed for what would otherwise be a false alarm than for the name of a class.
      MOST_OBJECTS_FOR_CLIENTS = 5_000_000
      MOST_OBJECTS_FOR_NAMES = 1_000_000

      # inherited: what OpenDescriptors.links answered right after the fork.
      #: (Hash[Integer, String]) -> void
      def initialize(inherited)
        @inherited = inherited.values.to_h { |link| [link, true] }
      end

      #: () -> Array[Finding]
      def findings
        @links = OpenDescriptors.links
        shared = one_of_each.reject { |_, link| kept_links.include?(link) }
        found = shared.filter_map { |descriptor, link| [descriptor, description(descriptor, link)] }
        found = found.select { |_, (kind, _)| kind }
        found.empty? ? [] : report(found)
      end

      private

      # One descriptor for each inherited socket or pipe.
      def one_of_each
        @links.select { |_, link| @inherited.key?(link) }.to_a.uniq(&:last)
      end

      # A standard descriptor may have duplicates, such as a socket of systemd's journal.
      def kept_links = @kept_links ||= [*STANDARD, *KeptIOs.descriptors].filter_map { |descriptor| @links[descriptor] }

      # The kind of a finding and its owner; nil if there is none.
      def description(descriptor, link)
        if link.start_with?("socket:") then describe_socket(socket_of(descriptor))
        elsif link.start_with?("pipe:") then describe_pipe(descriptor, link)
        end
      end

      def socket_of(descriptor) = Socket.for_fd(descriptor).tap { |socket| socket.autoclose = false }

      def describe_socket(socket)
        return unless socket.getsockopt(:SOCKET, :TYPE).int == Socket::SOCK_STREAM
        return if socket.getsockopt(:SOCKET, :ACCEPTCONN).bool

        address = peer(socket)
        [:shared_connection, address] if address && !accepted_here?(socket)
      end

      # A socketpair, by which threads of a process wake each other, has no address. A connection that has broken has
      # no peer.
      def peer(socket)
        address = socket.remote_address
        return "tcp #{address.inspect_sockaddr}" if address.ip?

        "unix #{address.unix_path}" if address.unix? && !address.unix_path.empty?
      rescue Errno::ENOTCONN, Errno::EINVAL
        nil
      end

      # A client of a server that the application itself runs.
      def accepted_here?(socket)
        local = socket.local_address
        local.ip? && listening_ports.include?(local.ip_port)
      end

      def listening_ports
        @listening_ports ||= OpenDescriptors.sockets.keys.filter_map do |descriptor|
          socket = socket_of(descriptor)
          next unless socket.getsockopt(:SOCKET, :ACCEPTCONN).bool

          socket.local_address.then { |address| address.ip_port if address.ip? }
        end
      end

      # By a pipe with both ends here a process wakes itself. Writing to another program, such as one that rotates
      # logs, is like writing to a file that is opened to append.
      def describe_pipe(descriptor, link)
        ends = @links.select { |_, other| other == link }.keys.map { |number| access_mode(number) }
        [:shared_pipe, "pipe #{descriptor}"] if ends.uniq == [File::RDONLY]
      end

      def access_mode(descriptor)
        IO.for_fd(descriptor, autoclose: false).fcntl(Fcntl::F_GETFL) & Fcntl::O_ACCMODE
      end

      def report(found)
        handled = handled_links
        found = found.reject { |descriptor, _| handled.include?(@links[descriptor]) }
        classes = found.empty? ? {} : classes_by_link
        found.map do |descriptor, (kind, owner)|
          Finding.new(kind, owner, ["descriptor #{descriptor}", classes[@links[descriptor]]].compact.join(", "))
        end
      end

      def handled_links
        return [] if objects > MOST_OBJECTS_FOR_CLIENTS

        ReconnectingClients.descriptors.filter_map { |descriptor| @links[descriptor] }
      end

      def objects = GC.stat(:heap_live_slots)

      # The class of the IO object for each link.
      def classes_by_link
        return {} if objects > MOST_OBJECTS_FOR_NAMES

        ObjectSpace.each_object(IO).each_with_object({}) do |io, found|
          found[@links[io.fileno]] = io.class.name if io.autoclose? # not the objects made here
        rescue IOError
          next # it is closed
        end
      end
    end
  end
end
