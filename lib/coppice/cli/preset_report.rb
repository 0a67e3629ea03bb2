# frozen_string_literal: true

require "coppice/fork_safety/remedies"
require "coppice/presets"

module Coppice
  class CLI
    # The part of `coppice check --show` about libraries: the presets for the gems of a Gemfile.lock, what Coppice does
    # for them and what the user must do. Loads no gem, and does not know which of them the application requires.
    class PresetReport
      #: (Config::Settings, LockedGems) -> void
      def initialize(settings, gems)
        @off = Presets.turned_off(settings.fork_safety_presets)
        @remedies = ForkSafety::Remedies.new(settings)
        @gems = gems
      end

      # The lines to print; none without a Gemfile.lock.
      #: () -> Array[String]
      def lines
        return [] unless @gems.known?

        versions = @gems.versions
        ["", "libraries of #{File.basename(@gems.file)} and of Ruby that need care when a process forks:",
         *Presets.for_gems(versions.keys).flat_map { |preset| entry(preset, versions[preset.gem]) }]
      end

      private

      # version: nil for what Ruby brings along.
      def entry(preset, version)
        acts = preset.acts? || preset.verdict == :unsafe
        off = acts && @off.include?(preset.name)
        assessment = @remedies.assess(preset, version)
        ["#{preset.gem} #{version || 'of Ruby'}: #{off ? "the preset is turned off" : assessment.verdict}",
         ("  Coppice: #{preset.does}" if acts && !off && preset.covers?(version)),
         ("  you: #{assessment.advice}" if assessment.advice)].compact
      end
    end
  end
end
