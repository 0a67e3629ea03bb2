# frozen_string_literal: true

module Coppice
  class GuestClient
    # The signals that this process gets, as names in a pipe that the loop can wait for.
    class Signals
      NAMES = %w[INT TERM QUIT HUP USR1 USR2 TSTP WINCH].freeze
      STOP = "TSTP"
      ENDING = %w[INT TERM QUIT HUP].freeze # as users end programs

      # Yields while signals are caught.
      #: [T] () { (Signals) -> T } -> T
      def self.open
        signals = new
        previous = NAMES.to_h { |name| [name, trap(name) { signals.add(name) }] }
        previous.each { |name, handler| trap(name, handler) if handler == "IGNORE" } # nohup(1)
        yield signals
      ensure
        previous&.each { |name, handler| trap(name, handler || "DEFAULT") }
        signals&.close
      end

      # Stops the job of this process, as Ctrl-Z does. Returns when it is continued.
      #: () -> void
      def self.stop_process
        handler = trap(STOP, "SYSTEM_DEFAULT")
        Process.kill(STOP, 0)
      ensure
        trap(STOP, handler)
      end

      # Ends this process, which is the guest's client, by a signal. Returns an exit status where that cannot be: for a
      # number, of a signal without a name, and for a signal that Ruby keeps to itself.
      #: (String) -> Integer
      def self.die_by(name)
        return 128 + Integer(name, 10) unless Signal.list.key?(name)

        Process.setrlimit(:CORE, 0) # the guest's is enough
        trap(name, "SYSTEM_DEFAULT") unless %w[KILL STOP].include?(name)
        Process.kill(name, Process.pid)
        Kernel.sleep
      rescue ArgumentError
        128 + Signal.list.fetch(name)
      end

      attr_reader :reader #: IO
      # The first that has come to end the program.
      attr_reader :ending #: String?

      def initialize
        @reader, @writer = IO.pipe
        @names = Thread::Queue.new
      end

      #: (String) -> void
      def add(name)
        @ending ||= name if ENDING.include?(name)
        @names << name
        @writer.write_nonblock(".", exception: false) # a full pipe wakes as well
      end

      # Those since the last call.
      #: () { (String) -> void } -> void
      def each
        @reader.read_nonblock(4096, exception: false)
        yield @names.pop until @names.empty?
      end

      #: () -> void
      def close = [@reader, @writer].each(&:close)
    end
  end
end
