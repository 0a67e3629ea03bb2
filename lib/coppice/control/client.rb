# frozen_string_literal: true

require "coppice/control/call"
require "coppice/control/endpoint"
require "coppice/control/verbs"

module Coppice
  module Control
    # Talks to the control socket of a monitor, from any other process: `coppice refork`, the observer, a script. May be
    # used by several threads at once.
    #
    #   Coppice::Control::Client.new(pid: 1234).call("workers", "8") # => ["8 workers wanted, 4 until now"]
    class Client
      # pid: the monitor's; or path: that of `control_socket`. Raises UsageError.
      #: (?pid: Integer?, ?path: String?) -> void
      def initialize(pid: nil, path: nil)
        @pid = pid
        @address = Addrinfo.unix(path) if path
      rescue ArgumentError => error # longer than a path of a socket can be
        raise UsageError, "#{path}: #{error.message}"
      end

      # Says one verb. Returns the lines but the last one; each is also yielded as soon as it has come. Raises
      # UsageError for words that the verb does not take, Error with the monitor's text when it refuses or fails, or
      # when it does not answer.
      #: (String, *String) ?{ (String) -> void } -> Array[String]
      def call(name, *words, &block)
        converse(name, *words) do |call|
          call.say([name, *words].join(" "))
          call.lines(&block)
        end
      end

      # Connects, and yields the call, which has not said its verb yet, and its socket, until the block returns. Raises
      # as `call` does.
      #: [T] (String, *String) { (Call, Socket) -> T } -> T
      def converse(name, *words)
        verb = VERBS[name] or raise UsageError, "unknown verb #{name}"
        verb.read(words)
        socket = Socket.new(:UNIX, :STREAM)
        call = Call.new(socket, verb.seconds_for(words), pid: @pid)
        connect(call)
        check(Endpoint.peer(socket))
        yield call, socket
      ensure
        socket&.close
      end

      private

      # It is looked up on the first call: the name of a pid's socket is known from /proc only, and the observer serves
      # also without it.
      def address = @address ||= Endpoint.of(@pid)

      # A path may lead to a socket of another kind, or through a file; an empty one is no address.
      def connect(call)
        call.connect(address)
      rescue Errno::ECONNREFUSED, Errno::ENOENT, Errno::ENOTDIR, Errno::EPROTOTYPE, Errno::EINVAL
        raise Error, unreachable
      rescue Errno::EACCES
        raise Error, "this user may not use #{Endpoint.name(address)}. Run this as the server's user or as root"
      end

      # Another process may have taken the name: a monitor that has exited, or that never was. Root may command the
      # server of any user.
      def check(peer)
        unless peer.allowed? || Process.euid.zero?
          raise Error, "#{Endpoint.name(address)} is of another user (uid #{peer.uid})"
        end
        return if @pid.nil? || peer.pid == @pid

        raise Error, "#{Endpoint.name(address)} is of process #{peer.pid}, not of #{@pid}"
      end

      def unreachable
        return "there is no control socket #{Endpoint.name(address)}" unless @pid
        return "process #{@pid} is no Coppice monitor" if network(@pid) == network("self")

        "process #{@pid} is in another network namespace, such as a container. Run this there, or use --socket"
      rescue Errno::ENOENT
        "process #{@pid} has exited"
      end

      def network(pid) = File.stat("/proc/#{pid}/ns/net").ino
    end
  end
end
