# frozen_string_literal: true

require "coppice/presets"

module Coppice
  class CLI
    # The part of `coppice check --show` about libraries: the presets for the gems of a Gemfile.lock, what Coppice does
    # for them and what the user must do. Loads no gem, and does not know which of them the application requires.
    class PresetReport
      # setting: the value of the option fork_safety_presets. gemfile: the Gemfile, as in BUNDLE_GEMFILE.
      #: (bool | Hash[Symbol, Array[Symbol]], String) -> void
      def initialize(setting, gemfile)
        @off = setting == false ? Presets.names : []
        @off = setting.fetch(:except) if setting.is_a?(Hash)
        @lock = lock_of(gemfile)
      end

      # The lines to print; none without a Gemfile.lock.
      #: () -> Array[String]
      def lines
        return [] unless File.readable?(@lock)

        versions = locked_versions
        ["", "libraries of #{File.basename(@lock)} and of Ruby that need care when a process forks:",
         *Presets.for_gems(versions.keys).flat_map { |preset| entry(preset, versions[preset.gem]) }]
      end

      private

      def lock_of(gemfile)
        gemfile.end_with?("gems.rb") ? gemfile.sub(/\.rb\z/, ".locked") : "#{gemfile}.lock"
      end

      def locked_versions
        File.read(@lock, encoding: Encoding::UTF_8).scan(/^    (\S+) \((\d[\d.]*)[^)]*\)$/).to_h
      end

      # version: nil for what Ruby brings along.
      def entry(preset, version)
        acts = preset.acts? || preset.verdict == :unsafe
        off = acts && @off.include?(preset.name)
        covered = preset.covers?(version)
        verdict = covered ? ForkSafety::VERDICTS.fetch(preset.verdict) : "another version than the preset is for"
        ["#{preset.gem} #{version || 'of Ruby'}: #{off ? "the preset is turned off" : verdict}",
         ("  Coppice: #{preset.does}" if covered && acts && !off),
         ("  you: #{preset.advice_for(version)}" if preset.advice_for(version))].compact
      end
    end
  end
end
