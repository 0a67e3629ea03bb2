# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/compatibility"
require "coppice/config/loader"
require "coppice/control/channel"
require "coppice/inheritance"
require "coppice/listeners/set"
require "coppice/log"
require "coppice/membership"
require "coppice/mold/app_loader"
require "coppice/worker"

module Coppice
  # `worker_processes 0`: everything in one process that forks nothing, for debuggers and breakpoints. A worker without
  # a monitor. On a system that is not Linux nothing else is possible, whatever worker_processes says.
  class Single
    #: (Array[String]) -> void
    def initialize(arguments)
      wanted = Config::Loader.new(arguments: arguments, environment: ENV, directory: Dir.pwd).load
      @settings = wanted.in_one_process
      @board = Board.create
      @log = Log.for(@settings, role: :single)
      return if wanted.single?

      @log.warn("serving with one process, one client at a time: worker processes need Linux",
        worker_processes: wanted.worker_processes)
    end

    # Serves until the process is told to stop.
    #: () -> void
    def run
      @settings.ruby_flags.apply
      listeners = Listeners::Set.bind(@settings.listen)
      inheritance = inherit(listeners)
      listeners.listen!
      @log.info("listening", on: listeners.names.join(" "))
      Worker.new(inheritance: inheritance, membership: membership, listeners: listening(listeners)).run
    rescue BootError => error
      @log.exception(error.message, error.cause || error)
      exit(1)
    rescue Interrupt
      @log.info("interrupted")
    ensure
      listeners&.close
    end

    private

    def inherit(listeners)
      Compatibility.enter(@settings, listener_names: listeners.names)
      Inheritance.begin(app: Mold::AppLoader.new(@settings).call, settings: @settings, log: @log, board: @board,
                        listener_names: listeners.names)
    end

    def listening(listeners) = listeners.descriptors.map { |descriptor| IO.for_fd(descriptor, autoclose: false) }

    # This process holds the other end of the channel as well: no message ever comes, so any kind of socket will do.
    def membership
      @silent_end, channel = Control::Channel.pair(:STREAM)
      row = @board.row(0)
      row.assign(role: :worker, nr: 0, generation: 0)
      @board.workers_count = @board.rows_count = 1
      Membership.new(role: :worker, nr: 0, generation: 0, row: row, channel: channel)
    end
  end
end
