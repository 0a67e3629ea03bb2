# frozen_string_literal: true

require "coppice/cold/watchers/modules"
require "coppice/cold/fork"
require "coppice/cold/watchers/code"
require "coppice/cold/play"
require "coppice/cold/watchers/memory"
require "coppice/errors"

module Coppice
  module Cold
    # Measures what the first request of one path costs. The path is played twice in each of two forks of the loaded
    # application. The first fork measures time and memory. The second fork runs watchers, which take time and memory
    # themselves. Each path starts from the same state, because a fork changes nothing in its parent.
    class PathAnalyzer
      PLAYS = 2
      WATCHING_SECONDS = 120 # maximum for everything besides the plays, such as hooks and walks of the heap

      #: (boot: Boot, path: String, host: String, seconds: Numeric) -> void
      def initialize(boot:, path:, host:, seconds:)
        @boot = boot
        @path = path
        @host = host
        @seconds = seconds
      end

      def call #: () -> PathAnalysis
        found = forked { measure }
        unless found[:failure]
          watched = forked { watch }
          found = watched[:failure] ? watched : found.merge(watched)
        end
        PathAnalysis.new(path: @path, **found)
      rescue PlayFailed => error
        PathAnalysis.new(path: @path, failure: Failure.of(error).tap { |failure| failure.backtrace = [] })
      end

      private

      def forked
        @boot.before_fork
        Fork.new((@seconds * PLAYS) + WATCHING_SECONDS).call do
          worker = @boot.become_worker
          Play.prepare # again: the fork has no copy of Timeout's thread
          @play = Play.new(app: @boot.app, worker: worker, path: @path, host: @host, seconds: @seconds)
          yield
        end
      end

      def measure
        memory = [PrivateMemory.new]
        plays = Array.new(PLAYS) do
          outcome, time = Stopwatch.measure { @play.call }
          return failed(outcome) if failure?(outcome)

          memory << PrivateMemory.new
          [outcome, time]
        end
        first = plays.first.first
        { status: first.status, location: first.location, times: plays.map(&:last),
          memory: memory.each_cons(2).map { |before, after| after.growth_since(before) } }
      end

      def watch
        watchers = [definitions = Definitions.new, memos = Memos.new, templates = Templates.new,
                    files = LoadedFiles.new, retained = RetainedObjects.new, caches = InlineCaches.new]
        watchers.each(&:start)
        first = @play.call
        retained.settle
        second = @play.call
        watchers.reverse_each(&:stop)
        raised = [first, second].find { |outcome| failure?(outcome) }
        return failed(raised) if raised

        { files: files.paths, templates: templates.paths, memos: memos.found(retained), retained: retained.sites,
          defined_methods: definitions.methods, defined_constants: definitions.constants, inline_caches: caches.filled }
      end

      def failure?(outcome) = outcome.error || outcome.status >= 500

      def failed(outcome)
        failure = Failure.of(outcome.error) if outcome.error
        failure ||= Failure.new(message: "the application's log has the cause", backtrace: [])
        { status: outcome.status, failure: failure }
      end
    end

    # The result for one path. It is plain data, because a fork sends it to its parent. A path that failed has only
    # path, status and failure.
    PathAnalysis = Struct.new(
      :path,      # String
      :status,    # Integer? -- of the first response
      :location,  # String? -- where a redirect leads
      :failure,   # Failure?
      :times,     # Array[Stopwatch::Time] -- of the first play and of the second
      :memory,    # Array[Hash[Symbol, Integer]] -- growth of private memory in each play, in KiB
      :files,     # Array[String] -- absolute paths
      :templates, # Array[String]
      :defined_methods,   # Array[Definitions::Group]
      :defined_constants, # Array[Definitions::Group]
      :memos, # Array[Memos::Memo]
      :inline_caches, # Hash[Symbol, Integer]
      :retained, # Array[RetainedObjects::Site]
      keyword_init: true
    ) do
      # Methods that the request defined other than by loading a file or compiling a template.
      def runtime_methods #: () -> Array[Definitions::Group]
        beyond_files(defined_methods)
      end

      def runtime_constants #: () -> Array[Definitions::Group]
        beyond_files(defined_constants)
      end

      private

      def beyond_files(groups) = groups.reject { |group| (files + templates).include?(group.file) }
    end

    # Why a path could not be analyzed.
    Failure = Struct.new(:message, :backtrace, keyword_init: true) do
      #: (Exception) -> Failure
      def self.of(error)
        message = error.is_a?(Error) ? error.message : "#{error.message} (#{error.class})"
        new(message: message, backtrace: error.backtrace || [])
      end
    end

    # Measures elapsed time and CPU time.
    class Stopwatch
      # Both in milliseconds.
      Time = Struct.new(:wall_ms, :cpu_ms, keyword_init: true)

      # Returns the block's answer, and the Time.
      #: [T] () { () -> T } -> [T, Time]
      def self.measure
        wall, cpu = wall_ms, cpu_ms
        answer = yield
        [answer, Time.new(wall_ms: (wall_ms - wall).round(1), cpu_ms: (cpu_ms - cpu).round(1))]
      end

      def self.wall_ms = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
      def self.cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_millisecond)
      private_class_method :wall_ms, :cpu_ms
    end
  end
end
