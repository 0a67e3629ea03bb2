# frozen_string_literal: true

require "coppice/config/config_file"
require "coppice/config/gems"
require "coppice/config/ruby_flags"
require "coppice/errors"
require "coppice/os/clock"
require "coppice/stats"

module Coppice
  class Observer
    # Calls the hook on_stats at its interval, on a thread of its own: a slow block delays only itself. For the hook it
    # evaluates the configuration file, with RubyGems and the application's bundle.
    class Reporter
      #: (Board, Hash[Symbol, untyped], Log) -> void
      def initialize(board, wire, log)
        @stats = Stats.new(board, measure_guests: true)
        @wire = wire
        @interval = wire[:values].fetch(:stats_interval)
        @log = log
      end

      # Sets up the application's bundle, for this process. Returns whether that was possible; otherwise it is logged.
      #: () -> bool
      def activate_bundle
        guarded { Config::Gems.activate } != nil
      end

      # Does not return, unless the configuration cannot be evaluated.
      #: () -> void
      def call
        hook = evaluate or return
        due_at = OS::Clock.now
        loop do
          due_at = [due_at + @interval, OS::Clock.now].max
          Kernel.sleep([due_at - OS::Clock.now, 0].max)
          report(hook)
        end
      end

      private

      def evaluate
        guarded do
          Config::RubyFlags.new(@wire[:ruby_flags]).apply_load_paths
          Config::ConfigFile.read(@wire[:config_file]).hooks[:on_stats]
        end
      end

      def guarded
        yield
      rescue UserCodeError => error # the bundle and the file are the user's
        @log.exception("on_stats is not called", error)
        nil
      end

      def report(hook)
        hook.call(@stats.to_h)
      rescue Exception => error # rubocop:disable Lint/RescueException -- # why: the user's block may even call exit
        @log.exception("on_stats failed", error)
      end
    end
  end
end
