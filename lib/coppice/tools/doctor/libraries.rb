# frozen_string_literal: true

require "coppice/fork_safety/remedies"
require "coppice/presets"

module Coppice
  module Doctor
    # The presets for libraries that a process of the chain has loaded.
    class Libraries
      # used: whether a request of this run has used it, as far as its preset can tell. does: what Coppice does. advice:
      # what the user must do. Both are nil for nothing. configured: what the user has for that, or nil.
      Library = Struct.new(:name, :version, :verdict, :severity, :used, :configured, :does, :advice, :why,
        keyword_init: true) do
        #: () -> String
        def title = [name, version].compact.join(" ")
      end
      NEEDS_CARE = %i[advice keep_away].freeze # verdicts
      UNGUARDED = "not safe, and nothing guards it: this version does not have what the preset looks at"
      private_constant :NEEDS_CARE, :UNGUARDED

      # events: of loaded libraries, with name, version, used and unguarded. blocks: of the blocks of Coppice.at_fork,
      # with moment, place and the name of the gem that they belong to, or nil for the application's.
      #: (Array[Hash[Symbol, untyped]], Array[Hash[Symbol, untyped]], Config::Settings) -> void
      def initialize(events, blocks, settings)
        @events = events.group_by { |event| Presets[event[:name].to_sym] }
        @remedies = ForkSafety::Remedies.new(settings, blocks)
        @off = Presets.turned_off(settings.fork_safety_presets)
      end

      #: () -> Array[Library]
      def all = @events.sort_by { |preset, _| preset.name }.map { |preset, events| library(preset, events) }

      private

      def library(preset, events)
        version = events.first[:version]
        used = events.any? { |event| event[:used] }
        facts = { name: preset.gem, version: version, used: used }
        return off(facts) if @off.include?(preset.name)
        return unguarded(preset, facts) if events.any? { |event| event[:unguarded] }

        covered = preset.covers?(version)
        assessment = @remedies.assess(preset, version)
        safe = covered ? !NEEDS_CARE.include?(preset.verdict) : preset.nothing_to_do_for_most?(version)
        Library.new(**facts, why: preset.why, does: (preset.does if covered), verdict: assessment.verdict,
          severity: (:care unless !used || assessment.found || safe), advice: assessment.advice,
          configured: assessment.found)
      end

      def unguarded(preset, facts)
        Library.new(**facts, verdict: UNGUARDED, severity: :danger, why: preset.why,
          advice: preset.advice_without_guard)
      end

      def off(facts) = Library.new(**facts, verdict: "you handle it yourself", configured: "fork_safety_presets")
    end
  end
end
