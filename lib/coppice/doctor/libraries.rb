# frozen_string_literal: true

require "coppice/fork_safety/fork_callbacks"
require "coppice/presets"

module Coppice
  module Doctor
    # The presets for libraries that a process of the chain has loaded.
    class Libraries
      # used: whether a request of this run has used it, as far as its preset can tell. does: what Coppice does. advice:
      # what the user must do. Both are nil for nothing.
      Library = Struct.new(:name, :version, :verdict, :severity, :used, :does, :advice, :why, keyword_init: true)
      HOOK = /`((?:before|after)_\w+)`/.freeze # in an advice
      NEEDS_CARE = %i[advice keep_away].freeze

      # events: of loaded libraries, with name, version and used. blocks: of the blocks of Coppice.at_fork, with moment,
      # place and the name of the gem that they belong to, or nil for the application's.
      #: (Array[Hash[Symbol, untyped]], Array[Hash[Symbol, untyped]], Config::Settings) -> void
      def initialize(events, blocks, settings)
        @events = events.group_by { |event| Presets[event[:name].to_sym] }
        @blocks = blocks
        @settings = settings
        setting = settings.fork_safety_presets
        @off = setting == false ? Presets.names : []
        @off = setting.fetch(:except) if setting.is_a?(Hash)
      end

      #: () -> Array[Library]
      def all = @events.sort_by { |preset, _| preset.name }.map { |preset, events| library(preset, events) }

      private

      def library(preset, events)
        version = events.first[:version]
        used = events.any? { |event| event[:used] }
        facts = { name: preset.gem, version: version, used: used }
        return Library.new(**facts, verdict: "you handle it yourself") if @off.include?(preset.name)

        covered = preset.covers?(version)
        advice = preset.advice_for(version)
        hooks = hooks_for(preset, advice.to_s)
        Library.new(**facts, why: preset.why, does: (preset.does if covered),
          verdict: covered ? ForkSafety::VERDICTS.fetch(preset.verdict) : "another version than the preset is for",
          severity: (:care unless !used || hooks || (covered && handled?(preset))),
          advice: hooks ? "you have #{hooks}; see that it does this: #{advice}" : advice)
      end

      # For people: the hooks of the configuration and the blocks of Coppice.at_fork for each moment that the advice
      # names; nil if one is missing. Or the services, if it names those.
      def hooks_for(preset, advice)
        services = @settings.services.filter_map(&:name)
        return "the service #{services.join(' and ')}" if advice.include?("`service") && services.any?

        names = advice.scan(HOOK).flatten.uniq.map(&:to_sym)
        found = names.map { |name| hook_for(preset, name) }
        found.join(" and ") unless found.empty? || found.include?(nil)
      end

      def hook_for(preset, name)
        return "the hook #{name}" if @settings.hook(name)

        moment = ForkSafety::ForkCallbacks::MOMENTS[name].to_s
        block = @blocks.find { |one| one[:moment] == moment && [nil, preset.gem].include?(one[:gem]) }
        "Coppice.at_fork(#{moment}: …)#{" in #{block[:place]}" if block[:place]}" if block
      end

      def handled?(preset) = !NEEDS_CARE.include?(preset.verdict)
    end
  end
end
