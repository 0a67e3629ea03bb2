# frozen_string_literal: true

require "coppice/tools/cold/failure"
require "coppice/tools/cold/fork"
require "coppice/tools/cold/path_analysis"
require "coppice/tools/cold/play"
require "coppice/tools/cold/stopwatch"
require "coppice/tools/cold/watchers/definitions"
require "coppice/tools/cold/watchers/inline_caches"
require "coppice/tools/cold/watchers/loaded_files"
require "coppice/tools/cold/watchers/memos"
require "coppice/tools/cold/watchers/private_memory"
require "coppice/tools/cold/watchers/retained_objects"
require "coppice/tools/cold/watchers/templates"

module Coppice
  module Cold
    # Measures what the first request of one path costs. The path is played twice in each of two forks of the loaded
    # application. The first fork measures time and memory. The second fork runs watchers, which take time and memory
    # themselves. Each path starts from the same state, because a fork changes nothing in its parent.
    class PathAnalyzer
      PLAYS = 2
      WATCHING_SECONDS = 120 # maximum for everything besides the plays, such as hooks and walks of the heap

      #: (process: Standalone, path: String, host: String, headers: Hash[String, String], seconds: Numeric) -> void
      def initialize(process:, path:, host:, headers:, seconds:)
        @process = process
        @path = path
        @host = host
        @headers = headers
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
        @process.hook(:before_fork)
        Fork.new((@seconds * PLAYS) + WATCHING_SECONDS).call do
          worker = @process.become_worker
          Play.prepare # again: the fork has no copy of Timeout's thread
          @play = Play.new(app: @process.app, worker: worker, path: @path, host: @host, headers: @headers,
                           seconds: @seconds)
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
  end
end
