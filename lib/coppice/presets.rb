# frozen_string_literal: true

require "coppice/fork_safety/preset"

module Coppice
  # What Coppice knows about libraries that need care when a process forks: one file in presets/ for each, with a call
  # of `define`. A process loads only the files of the gems that it has activated or loaded.
  module Presets
    FOLDER = File.expand_path("presets", __dir__)
    # They belong to Ruby: the list of activated gems does not show whether they are used.
    STANDARD_LIBRARY = %i[net_http].freeze
    # Of attributes.
    DEFAULTS = { restarts: [].freeze, reconnecting: [].freeze, flushed: [].freeze, calls: {}.freeze }.freeze

    @presets = {}

    class << self
      # Adds a preset: called by its file, with the attributes of a Preset.
      #: (Symbol, verdict: Symbol, **untyped) -> ForkSafety::Preset
      def define(name, verdict:, **attributes)
        raise KeyError, "no verdict #{verdict}" unless ForkSafety::VERDICTS.key?(verdict)

        @presets[name] = ForkSafety::Preset.new(name: name, verdict: verdict, **DEFAULTS, **attributes).freeze
      end

      # The names of all presets. Loads none of them.
      #: () -> Array[Symbol]
      def names = @names ||= Dir.children(FOLDER).map { |file| File.basename(file, ".rb").to_sym }.sort

      # The names of those that a value of the option fork_safety_presets turns off.
      #: (bool | Hash[Symbol, Array[Symbol]]) -> Array[Symbol]
      def turned_off(setting)
        return setting.fetch(:except) if setting.is_a?(Hash)

        setting ? [] : names
      end

      # Raises KeyError for an unknown name.
      #: (Symbol) -> ForkSafety::Preset
      def [](name)
        raise KeyError, "no preset #{name}" unless names.include?(name)

        require "coppice/presets/#{name}"
        @presets.fetch(name)
      end

      # All of them, in the order of their names.
      #: () -> Array[ForkSafety::Preset]
      def all = names.map { |name| self[name] }

      # Those for gems of these names, and for the standard library.
      #: (Array[String]) -> Array[ForkSafety::Preset]
      def for_gems(gems) = (names & (gems.map { |gem| name_for(gem) } | STANDARD_LIBRARY)).map { |name| self[name] }

      # Those for the gems that this process has activated or loaded, and for the standard library.
      #: () -> Array[ForkSafety::Preset]
      def activated
        counts = [specs.size, $LOADED_FEATURES.size] # these lists only grow
        return @activated if @counts == counts

        @activated = for_gems(specs.keys | loaded_without_rubygems)
        @counts = counts
        @activated
      end

      # The version of the preset's gem that this process has activated, or loaded without RubyGems: then the library
      # itself says it. nil without one.
      #: (ForkSafety::Preset) -> String?
      def activated_version(preset) = specs[preset.gem]&.version&.to_s || preset.own_version

      # The name that a preset for this gem has.
      #: (String) -> Symbol
      def name_for(gem) = gem.tr("-", "_").to_sym

      private

      def specs = defined?(::Gem.loaded_specs) ? ::Gem.loaded_specs : {}

      # Such as a package of Debian, which `require` finds in Ruby's own folders. It has a file with the gem's name, and
      # says its version, unlike other files of that name.
      def loaded_without_rubygems
        files = $LOADED_FEATURES.map { |path| File.basename(path, ".*").tr("-", "_") }
        names.map(&:to_s).intersection(files).select { |name| self[name.to_sym].own_version }
      end
    end
  end
end
