# frozen_string_literal: true

require "coppice/cold/definitions"
require "coppice/cold/findings"
require "coppice/cold/fork"
require "coppice/cold/inline_caches"
require "coppice/cold/loaded_files"
require "coppice/cold/memos"
require "coppice/cold/play"
require "coppice/cold/private_memory"
require "coppice/cold/retained_objects"
require "coppice/cold/stopwatch"
require "coppice/cold/templates"

module Coppice
  module Cold
    # Finds out what the first request of one path costs. The path is played twice in a fork of the loaded application
    # that only measures, and twice in another one that watches what Ruby does, since to watch takes time and memory.
    # Each path begins where the others began: a fork leaves nothing behind in its parent.
    class Examination
      PLAYS = 2
      OBSERVING_SECONDS = 120 # for what comes beside the plays: hooks, heap walks

      #: (boot: Boot, path: String, host: String, seconds: Numeric) -> void
      def initialize(boot:, path:, host:, seconds:)
        @boot = boot
        @path = path
        @host = host
        @seconds = seconds
      end

      def call #: () -> Findings
        found = forked { measure }
        unless found[:failure]
          watched = forked { watch }
          found = watched[:failure] ? watched : found.merge(watched)
        end
        Findings.new(path: @path, **found)
      rescue PlayFailed => error
        Findings.new(path: @path, failure: Failure.of(error).tap { |failure| failure.backtrace = [] })
      end

      private

      def forked
        @boot.before_fork
        Fork.new((@seconds * PLAYS) + OBSERVING_SECONDS).call do
          worker = @boot.become_worker
          Play.prepare # again: the thread of Timeout did not live on in the fork
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
        watchers = [definitions = Definitions.new, memos = Memos.new, templates = Templates.new, files = LoadedFiles.new,
                    retained = RetainedObjects.new, caches = InlineCaches.new]
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
        failure = outcome.error ? Failure.of(outcome.error) : Failure.new(message: "the application's log says why", backtrace: [])
        { status: outcome.status, failure: failure }
      end
    end
  end
end
