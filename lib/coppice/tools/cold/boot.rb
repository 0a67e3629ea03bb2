# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/child/inheritance"
require "coppice/child/membership"
require "coppice/tools/cold/play"
require "coppice/control/channel"
require "coppice/log"
require "coppice/mold"
require "coppice/mold/app_loader"
require "coppice/os/jit"
require "coppice/os/processors"
require "coppice/worker"

module Coppice
  module Cold
    # Brings this process to the state of a cold mold right before its first fork: application loaded, hooks called,
    # heap prepared. It has no monitor at the other end of its channel, and no listener.
    class Boot
      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
        @board = Board.create
        @monitor_end, @channel = Control::Channel.pair
      end

      # Raises BootError, whose cause is the application's exception.
      #: () -> self
      def call
        @settings.ruby_flags.apply
        @inheritance = inherit
        OS::JIT.turn_on if @settings.jit == :all
        Play.prepare
        membership = join(:mold)
        hook(:after_mold_fork, Mold.new(inheritance: @inheritance, membership: membership))
        Mold::HeapPreparation.new(@settings.warmup, shared: false).call
        self
      end

      def app = @inheritance.app #: () -> ^(Hash[String, untyped]) -> untyped

      # Must be called in this process before each fork: calls the hook.
      def before_fork #: () -> void
        hook(:before_fork)
      end

      # Must be called in a fork of this process: calls the hooks of a worker, and returns the Worker.
      def become_worker #: () -> Worker
        Worker.new(inheritance: @inheritance, membership: join(:worker)).tap do |worker|
          hook(:after_worker_fork, worker)
          hook(:after_worker_ready, worker)
        end
      end

      private

      def inherit
        log = Log.for(@settings, role: :cold)
        Info.attach(board: @board, row: @board.row(0)) # initializers ask for workers_count
        @board.workers_count = workers_count
        Child::Inheritance.build(app: Mold::AppLoader.new(@settings).call, settings: @settings, log: log, board: @board)
      end

      # For :auto only a monitor decides the exact number. Nothing is served here, so an estimate is enough.
      def workers_count
        [@settings.worker_bounds&.min || OS::Processors.new.count.ceil, 1].max
      end

      def join(role) = Child::Membership.without_monitor(role: role, row: @board.row(0), channel: @channel)

      def hook(name, *arguments)
        @inheritance.call_hook(name, *arguments, log: @inheritance.log)
      end
    end
  end
end
