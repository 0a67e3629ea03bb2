# frozen_string_literal: true

require "coppice/control/messages"
require "coppice/os/signals"
require "coppice/roles"

module Coppice
  # What each child of the monitor does, whatever its role: it registers, calls the user's hooks, reports that it is
  # ready and obeys the monitor's messages until it is told to stop. A Mold, a Worker or a Service owns one, and with it
  # the channel and a waiter. The monitor ends it.
  class Life
    attr_reader :membership    #: Membership
    attr_reader :waiter        #: Waiter -- waits for the channel, and for what its owner adds
    attr_accessor :inheritance #: Inheritance

    # orders: what to do for each class of messages but Stop. orphaned: what to do when the monitor is gone.
    #: (inheritance: Inheritance, membership: Membership, ?orders: Hash[Class, ^(Control::Channel::Packet) -> void],
    #    ?orphaned: ^() -> void) -> void
    def initialize(inheritance:, membership:, orders: {}, orphaned: method(:stop))
      @inheritance = inheritance
      @membership = membership
      @orders = orders.merge(Control::Messages::Stop => ->(_packet) { stop })
      @orphaned = orphaned
      @stopping = false
    end

    #: () -> Config::Settings
    def settings = inheritance.settings

    #: () -> Log
    def log = @log ||= inheritance.log_of(membership)

    # Comes first, in the process itself. Until it is ready the process does not look at its channel, and a hook may
    # hang: if the monitor dies meanwhile, the kernel kills this process.
    #: () -> void
    def begin
      OS.parent_death_signal(Signal.list.fetch("KILL")) unless settings.single?
      exit!(0) if membership.join(inheritance) == :closed
      @inheritance = inheritance.in_process_of(membership)
      settings.single? ? stop_on_signals : membership.report_stop_signals
      @waiter = Waiter.new.add(membership.channel.fileno, :channel)
    end

    # Calls the hook that this role has for the occasion (see Roles), with the Mold, Worker or Service as its argument.
    #: (Symbol, Mold | Worker | Service) -> void
    def call_hook(occasion, child)
      name = Roles.fetch(membership.role).hooks[occasion]
      inheritance.call_hook(name, child, log: log) if name
    end

    # From now on the process serves, or can fork. It looks at its channel often enough to see the monitor's end.
    #: () -> void
    def ready
      OS.parent_death_signal(0) unless settings.single?
      membership.ready
      membership.status = "ready"
    end

    # Exit after the work in hand.
    #: () -> void
    def stop = @stopping = true

    #: () -> bool
    def stopping? = @stopping

    # Whether a message has come; so it has when the monitor is gone.
    #: () -> bool
    def message? = !membership.channel.socket.wait_readable(0).nil?

    # Obeys one message, if there is one.
    #: () -> void
    def obey
      case packet = membership.channel.receive
      when :empty then nil
      when :closed then @orphaned.call
      else order_for(packet.message).call(packet)
      end
    end

    # For a process that does nothing else on its main thread.
    #: () -> void
    def obey_until_stopped
      until stopping?
        waiter.wait(nil)
        obey
      end
    end

    # Exits with the hook of this role, which must not take longer than so many seconds, and with at_exit handlers.
    #: (Mold | Worker | Service, seconds: Numeric, **untyped) -> bot
    def finish(child, seconds:, **log_fields)
      membership.begin_exit(seconds)
      call_hook(:exit, child)
      log.debug("#{membership.role} exits", **log_fields)
      exit
    end

    # In a process forked from this one: closes what belongs to this one alone.
    #: () -> void
    def abandon
      waiter.close
      membership.channel.close
    end

    private

    # There is no monitor. Ctrl-C does everything that Ruby does at the end of a program.
    def stop_on_signals
      OS::Signals.stop_by { stop }
      trap(:INT, "DEFAULT")
    end

    def order_for(message)
      @orders.fetch(message.class) { raise Bug, "a #{membership.role} got #{message.inspect}" }
    end
  end
end
