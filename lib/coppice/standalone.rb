# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/child/heap_preparation"
require "coppice/child/inheritance"
require "coppice/child/membership"
require "coppice/log"
require "coppice/mold/app_loader"
require "coppice/os/jit"

module Coppice
  # An application in a process without a monitor, which becomes what a server's processes are: it is loaded as by a
  # cold mold, and the hooks of molds and workers are called in their order. For tools that serve no clients.
  class Standalone
    attr_reader :inheritance #: Child::Inheritance -- once the application is here

    # role: how the log names this process. inheritance: what is to hold what later copies of it inherit.
    #: (Config::Settings, role: Symbol, ?board: Board, ?row: Board::Row, ?inheritance: singleton(Child::Inheritance))
    #    -> void
    def initialize(settings, role:, board: Board.create, row: board.row(0), inheritance: Child::Inheritance)
      @settings = settings
      @log = Log.for(settings, role: role)
      @board = board
      @row = row
      @class = inheritance
    end

    # Loads the application, which the block may wrap. workers: how many a server has, for initializers that ask.
    # Raises BootError, whose cause is the application's exception.
    #: (?workers: Integer) ?{ (untyped) -> untyped } -> self
    def load(workers: 1)
      @settings.ruby_flags.apply
      @board.workers_count = workers
      Info.attach(board: @board, row: @row)
      app = Mold::AppLoader.new(@settings).call
      app = yield app if block_given?
      OS::JIT.turn_on if @settings.jit == :all
      adopt(app)
    end

    # Takes an application that is loaded already; nil where the program itself is what goes on in copies.
    #: (untyped) -> self
    def adopt(app)
      @inheritance = @class.build(app: app, settings: @settings, log: @log, board: @board)
      self
    end

    def app = inheritance.app #: () -> ^(Hash[String, untyped]) -> untyped

    # Brings this process to the state of a mold right before its first fork. A promoted one was forked from a worker
    # that had called prepare_promotion.
    #: (?generation: Integer, ?promoted: bool) -> void
    def become_mold(generation: 0, promoted: false)
      hook(:after_mold_fork, member(:mold, generation))
      Child::HeapPreparation.compact if @settings.warmup && !promoted
    end

    #: () -> void
    def prepare_promotion = (Child::HeapPreparation.settle if @settings.warmup)

    # The same for a worker that is about to serve, in a fork of a mold. Returns what hooks and the application know it
    # by.
    #: (?generation: Integer) -> Child::Membership
    def become_worker(generation: 0)
      member(:worker, generation).tap do |worker|
        hook(:after_worker_fork, worker)
        hook(:after_worker_ready, worker)
      end
    end

    # A tool that forks this process calls :before_fork, and :after_fork_in_parent when the fork is made.
    #: (Symbol, *untyped) -> void
    def hook(name, *arguments) = inheritance.call_hook(name, *arguments, log: @log)

    private

    def member(role, generation)
      Child::Membership.without_monitor(role: role, row: @row, generation: generation)
    end
  end
end
