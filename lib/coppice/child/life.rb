# frozen_string_literal: true

require "coppice/board/columns"
require "coppice/child/quick_exit"
require "coppice/child/thread_report"
require "coppice/control/messages"
require "coppice/log/reopening"
require "coppice/roles"

module Coppice
  module Child
    # The lifecycle of a child process, which all roles share: it registers with the monitor, calls the user's hooks,
    # reports that it is ready, and obeys messages until it is told to stop. Each Mold, Worker and Service owns one
    # Life, and through it the channel and a waiter.
    class Life
      NO_CHANNEL = "no channel to the monitor: the application must not close descriptors that it has not opened"

      attr_reader :membership    #: Membership
      attr_reader :waiter        #: Waiter -- waits for the channel, and for what its owner adds
      attr_accessor :inheritance #: Inheritance

      # orders: what to do for each class of messages that only its role gets. orphaned: what to do when the monitor is
      # gone. signals: what replaces the parent's handlers of signals.
      #: (inheritance: Inheritance, membership: Membership, ?orders: Hash[Class, ^(Control::Channel::Packet) -> void],
      #    ?orphaned: ^() -> void, ?signals: ^() -> void) -> void
      def initialize(inheritance:, membership:, orders: {}, orphaned: method(:stop),
                     signals: membership.method(:report_stop_signals))
        @inheritance = inheritance
        @membership = membership
        @orders = common_orders.merge(orders)
        @orphaned = orphaned
        @signals = signals
        @stopping = false
      end

      #: () -> Config::Settings
      def settings = inheritance.settings

      #: () -> Log
      def log = @log ||= inheritance.log_of(membership)

      # Registers with the monitor. The first call in a new process. Until the process is ready it does not read its
      # channel, and a hook may hang. So the kernel kills this process if the monitor dies meanwhile. It handles signals
      # before anybody can read the pid on the board: the parent's handlers would lose them.
      #: () -> void
      def start
        OS.parent_death_signal(Signal.list.fetch("KILL"))
        @signals.call
        exit_without_channel if membership.join(inheritance) == :closed
        @inheritance = inheritance.in_process_of(membership)
        @waiter = Waiter.new.add(membership.channel.fileno, :channel)
      end

      # Calls the hook that this role has for :fork, :ready or :exit (see Roles), with the Mold, Worker or Service as
      # its argument.
      #: (Symbol, Mold | Worker | Service | Guest) -> void
      def call_hook(occasion, child)
        name = Roles.fetch(membership.role).hooks[occasion]
        membership.row.during_hook(name) { inheritance.call_hook(name, child, log: log) } if name
      end

      # Reports to the monitor that this process serves, or can fork. From now on it reads its channel often enough to
      # notice the death of the monitor, so the kernel need not kill it. orphan_signal: the signal that it gets instead.
      #: (?orphan_signal: Integer) -> void
      def ready(orphan_signal: 0)
        OS.parent_death_signal(orphan_signal)
        membership.ready
        membership.status = "ready"
      end

      # Makes the process exit after the work in hand.
      #: () -> void
      def stop = @stopping = true

      #: () -> bool
      def stopping? = @stopping

      # Whether a message has come, or comes within so many seconds. Also true when the monitor is gone.
      #: (?Numeric) -> bool
      def message?(seconds = 0) = !membership.channel.socket.wait_readable(seconds).nil?

      # Called when nothing has come for a while. If the application has closed the channel, the monitor cannot reach
      # this process, which does not notice its death either: it does what it would be told, or does without a monitor.
      #: () -> void
      def stop_without_channel
        return unless membership.channel.closed?

        log.error(NO_CHANNEL)
        monitor_lives? ? @orders.fetch(Control::Messages::Stop).call(nil) : @orphaned.call
      end

      # Obeys one message, if there is one.
      #: () -> void
      def obey
        case packet = membership.channel.receive
        when :empty then nil
        when :closed then @orphaned.call
        else order_for(packet.message).call(packet)
        end
      end

      # The main loop of a process that only obeys messages.
      #: () -> void
      def obey_until_stopped
        until stopping?
          waiter.wait(Board::HEARTBEAT_SECONDS * 1000) ? obey : stop_without_channel
        end
      end

      # Calls the exit hook of this role and exits, with at_exit handlers. The hook may take the given number of
      # seconds.
      #: (Mold | Worker | Service, seconds: Numeric, **untyped) -> bot
      def finish(child, seconds:, **log_fields)
        membership.begin_exit(seconds)
        call_hook(:exit, child)
        log.debug("#{membership.role} exits", **log_fields)
        exit_now
      end

      # Exits with at_exit handlers.
      #: () -> bot
      def exit_now
        if settings.quick_exit && Roles.fetch(membership.role).quick_exit
          QuickExit.prepare(log, copies_exit: inheritance.board.server.shutting_down == 1)
        end
        exit
      end

      # Closes what belongs to this process alone; in a process forked from this one, its copies.
      #: () -> void
      def close
        waiter.close
        membership.channel.close
      end

      # Goes on with the log files that the monitor has opened anew.
      #: (Control::Channel::Packet) -> void
      def reopen_logs(packet)
        Log::Reopening.follow(packet.descriptors, packet.message.replaces)
        Log::Reopening.reopen_renamed_files
      rescue SystemCallError, IOError => error # a stream that another thread closes now
        log.error("could not reopen a log file", error: error.message)
      ensure
        packet.close
      end

      private

      # The monitor is gone, or the application has closed what is not its own.
      def exit_without_channel
        exit!(0) unless monitor_lives?

        log.error(NO_CHANNEL)
        exit!(1)
      end

      def monitor_lives? = Process.ppid == inheritance.board.monitor_pid

      def common_orders
        {
          Control::Messages::Stop => ->(_packet) { stop },
          Control::Messages::ShowThreads => ->(packet) { ThreadReport.new(membership).write_to(packet) },
          Control::Messages::ReopenLogs => ->(packet) { reopen_logs(packet) }
        }
      end

      def order_for(message)
        @orders.fetch(message.class) { raise Bug, "a #{membership.role} got #{message.inspect}" }
      end
    end
  end
end
