# frozen_string_literal: true

require_relative "../orders"
require_relative "self_fault"

module Chaos
  # The points where processes of the server check for orders: in each hook, and around each fork. The configuration
  # file installs it, so it runs in all processes except the monitor.
  class Points
    HOOKS = %i[
      before_fork after_mold_fork after_worker_fork after_worker_ready after_request_complete before_worker_exit
      before_service_worker_ready before_service_worker_exit
    ].freeze

    # Prepended to Process: every fork of Ruby calls this method. The server forks a middle process, which forks the
    # child, or the child itself: see os/sibling_fork.rb.
    module Fork
      #: () -> Integer
      def _fork
        first = Process.ppid == Points.monitor
        Points.here.pass(first ? :first_fork : :second_fork)
        super.tap { |pid| Points.here.pass(first ? :middle_born : :child_born) if pid.zero? }
      end
    end

    class << self
      attr_reader :here    #: Points
      attr_reader :monitor #: Integer -- the parent of every process of the server

      # The block of a service with a name: waits for orders.
      #: (Symbol) -> void
      def serve(name)
        loop do
          here.pass(:"service_#{name}")
          sleep(0.05)
        end
      end

      # dsl: the one that evaluates the configuration file.
      #: (Coppice::Config::Dsl, String) -> void
      def set_up(dsl, folder)
        @here = new(Orders.new(folder))
        @monitor = Process.ppid # in a mold, which is the monitor's child; the monitor itself never forks
        HOOKS.each { |name| dsl.public_send(name) { |*| Points.here.pass(name) } }
        Process.singleton_class.prepend(Fork)
      end
    end

    #: (Orders) -> void
    def initialize(orders)
      @orders = orders
    end

    #: (Symbol) -> void
    def pass(point)
      action, file = @orders.claim(point)
      return unless action

      action == :hold ? hold(file) : SelfFault.commit(action)
    end

    private

    # Until the driver removes the link.
    def hold(file)
      sleep(0.002) while File.symlink?(file)
    end
  end
end
