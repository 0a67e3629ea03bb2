# frozen_string_literal: true

require "coppice"
require "coppice/board"
require "coppice/child"
require "coppice/child/membership"
require "coppice/child/quick_exit"
require "coppice/tools/doctor/examiner"
require "coppice/tools/doctor/observed_app"
require "coppice/tools/doctor/observed_inheritance"
require "coppice/tools/doctor/orphans"
require "coppice/tools/doctor/relative"
require "coppice/log"
require "coppice/mold"
require "coppice/standalone"

module Coppice
  module Doctor
    # The molds and workers of three generations, each forked from the one before as in a server: mold, worker, mold and
    # so on. This process is in the place of the monitor: it tells them when to fork, makes requests, and ends them all.
    # It loads no application code itself. All processes of the chain live until the last one was examined, so that what
    # they have can be compared. Then all but one exit, and that one is asked again: what have they taken with them?
    class Chain
      GENERATIONS = 3
      ROUNDS = 2 # times that each path is requested of a new worker: it may start again at first use what it needs

      # Statuses of one path: generation => those of each request to its worker.
      attr_reader :answers #: Hash[String, Hash[Integer, Array[Integer]]]
      # The answers of a promoted worker, forked from another one's copy, once all others have exited.
      attr_reader :last_answers #: Hash[String, Array[Integer]]
      attr_reader :audited #: Array[ForkSafety::Finding] -- of the fork audits, before the first request
      attr_reader :broken  #: String? -- what has ended the chain early
      attr_reader :complete_generations #: Integer

      # headers: of each request. seconds: the limit of each step.
      #: (Config::Settings, paths: Array[String], headers: Hash[String, String], seconds: Numeric, journal: Journal)
      #    -> void
      def initialize(settings, paths:, headers:, seconds:, journal:)
        @journal = journal
        @settings = observed(settings.without_access_log)
        @paths = paths
        @headers = headers
        @seconds = seconds
        @board = Board.create
        @board.workers_count = 1
        @relatives = []
        @answers = paths.to_h { |path| [path, Hash.new { |all, generation| all[generation] = [] }] }
        @last_answers = paths.to_h { |path| [path, []] }
        @complete_generations = 0
      end

      # Raises Error when this system has no subreaper.
      #: () -> self
      def call
        raise Error, "this system has no subreaper" unless OS.become_subreaper || Process.pid == 1

        grow
        self
      rescue ChainBroken => error
        @broken = error.message
        self
      ensure
        Orphans.kill
        @audited = @relatives.flat_map(&:audited)
      end

      private

      # The first worker calls the block of warm_up_requests, which may log in.
      def observed(settings)
        block = settings.hook(:on_warm_up) or return settings

        settings.with_hook(:on_warm_up, lambda do |client|
          block.call(client)
        ensure
          @journal.note(:cookies, header: client.cookies) if client.cookies
        end)
      end

      def grow
        family, worker, previous = [], nil, nil
        GENERATIONS.times do |generation|
          mold = worker ? promote(worker, generation) : boot
          break unless mold

          previous = worker
          worker = fork_from(mold, :worker, generation)
          family.push(mold, worker)
          play([worker, *previous])
          @complete_generations += 1
        end
        finish(family.reverse - [previous])
        ask_again(previous) if previous
      end

      def add(role, generation)
        row = @board.row(@relatives.size)
        row.assign(role: role, nr: (generation if role == :worker), generation: generation)
        Relative.new(role: role, generation: generation, row: row, seconds: @seconds).tap do |relative|
          @relatives << relative
        end
      end

      def boot
        mold = add(:mold, 0)
        mold.started(Process.fork { run_cold_mold(mold) })
        mold.tap(&:wait_until_ready)
      rescue ChainBroken => error
        raise ChainBroken, "the application was not loaded: #{error.message}"
      end

      def fork_from(parent, role, generation)
        child = add(role, generation)
        spawn = Control::Messages::Spawn.new(role: role, generation: generation, row: @relatives.size - 1,
          nr: (generation if role == :worker), purpose: (:rehearsal if rehearsed?(role, generation)))
        listeners = child.listener ? { listeners: [child.listener] } : {}
        parent.send(spawn, channel: child.theirs.socket, **listeners)
        child.started
        child.tap(&:wait_until_ready)
      rescue ChainBroken
        parent.check_alive # otherwise it is the cause
        raise
      end

      # nil when the worker refuses, since it is no longer fork-safe: it is the last one then.
      def promote(worker, generation)
        fork_from(worker, :mold, generation)
      rescue ChainBroken
        raise if worker.row.fork_safe?
      end

      # As in a server, whose first worker is the rehearsed one.
      def rehearsed?(role, generation) = role == :worker && generation.zero? && @settings.warm_up?

      # The promoted worker and the new one serve in turn.
      def play(workers)
        @paths.product(Array.new(ROUNDS), workers).each do |path, _, worker|
          @answers[path][worker.generation] << worker.get(path, headers)
          worker.check_after(path)
        end
      end

      # A Cookie of the command line takes the place of those that the block of warm_up_requests was given.
      def headers
        cookie = @journal.events(:cookies).last
        cookie ? { "cookie" => cookie[:header], **@headers } : @headers
      end

      # The youngest worker comes first: its exit hook is where it is looked at.
      def finish(relatives)
        relatives.each do |relative|
          relative.send(Control::Messages::Stop.new)
          relative.wait_until_gone
        end
      end

      def ask_again(worker)
        @paths.each do |path|
          @last_answers[path] << worker.get(path, headers)
          worker.check_after(path)
        end
      end

      # In the first process of the chain. A boot that fails ends it.
      def run_cold_mold(mold)
        Child::QuickExit.watch_end
        trap(:INT) { exit!(0) } # Ctrl-C reaches each process of the terminal: only the doctor's says so
        ForkSafety::StrayCopy.adopt
        mold.close_doctors_end
        examiner = Examiner.new(@journal)
        examiner.start
        inheritance = inherit(examiner, mold)
        membership = Child::Membership.new(role: :mold, generation: 0, row: mold.row, channel: mold.theirs)
        Child.run(Mold.new(inheritance: inheritance, membership: membership))
      rescue BootError => error
        @journal.note(:boot_failed, message: error.message)
        Log.for(@settings, role: :doctor).exception(error.message, error.cause) if error.cause
        exit(1)
      end

      def inherit(examiner, mold)
        process = Standalone.new(@settings, role: :doctor, board: @board, row: mold.row,
                                            inheritance: ObservedInheritance)
        process.load { |app| ObservedApp.new(app, examiner) }.inheritance
      end
    end
  end
end
