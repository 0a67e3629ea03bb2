# frozen_string_literal: true

require "coppice/fork_safety/fork_callbacks"
require "coppice/presets"

module Coppice
  module ForkSafety
    # What presets ask users for, compared with what an application has configured: hooks, blocks of Coppice.at_fork and
    # services. Whether these do what the advice says is for people to see.
    class Remedies
      HOOK = /`((?:before|after)_\w+)`/.freeze # in an advice
      SERVICE = "`service"
      ASKING = %i[advice keep_away].freeze # verdicts
      FOUND = "you must act, and have configured something for it"
      OTHER_VERSION = "another version than the preset is for"
      NOTHING_TO_DO = "safe: this version needs nothing"
      # For people: the verdict and what to do, which is nil for nothing. found: what there is for it, or nil.
      Assessment = Struct.new(:found, :verdict, :advice, keyword_init: true)
      private_constant :HOOK, :SERVICE, :ASKING, :FOUND, :OTHER_VERSION, :NOTHING_TO_DO

      # blocks: of Coppice.at_fork, with moment, place and the name of the gem that they belong to, or nil for the
      # application's; none where no application is loaded.
      #: (Config::Settings, ?Array[Hash[Symbol, untyped]]) -> void
      def initialize(settings, blocks = [])
        @settings = settings
        @blocks = blocks
      end

      # Of a library in this version.
      #: (ForkSafety::Preset, String?) -> Assessment
      def assess(preset, version)
        covered = preset.covers?(version)
        advice = preset.advice_for(version)
        # Other verdicts come with an advice for some uses of the library, or for none.
        found = find(preset, advice.to_s) if !covered || ASKING.include?(preset.verdict)
        verdict = covered ? VERDICTS.fetch(preset.verdict) : verdict_of_other(preset, version)
        return Assessment.new(verdict: verdict, advice: advice) unless found

        Assessment.new(found: found, verdict: covered ? FOUND : verdict,
          advice: "you have #{found}; see that it does this: #{advice}")
      end

      private

      def verdict_of_other(preset, version) = preset.nothing_to_do?(version) ? NOTHING_TO_DO : OTHER_VERSION

      # nil if a part is missing.
      def find(preset, advice) = service(preset, advice) || hooks(preset, advice)

      # One of the library's name, or else those that are not for another library.
      def service(preset, advice)
        return unless advice.include?(SERVICE)

        names = @settings.services.filter_map { |one| one.name&.to_s }
        own, others = names.partition { |name| Presets.name_for(name) == preset.name }
        names = own.empty? ? others.reject { |name| Presets.names.include?(Presets.name_for(name)) } : own
        "the service #{names.join(' and ')}" unless names.empty?
      end

      # Those for each moment that the advice names.
      def hooks(preset, advice)
        names = advice.scan(HOOK).flatten.uniq.map(&:to_sym)
        found = names.map { |name| hook(preset, name) }
        found.join(" and ") unless found.empty? || found.include?(nil)
      end

      def hook(preset, name)
        return "the hook #{name}" if @settings.hook(name)

        moment = ForkCallbacks::MOMENTS[name].to_s
        block = @blocks.find { |one| one[:moment] == moment && [nil, preset.gem].include?(one[:gem]) }
        "Coppice.at_fork(#{moment}: …)#{" in #{block[:place]}" if block[:place]}" if block
      end
    end
  end
end
