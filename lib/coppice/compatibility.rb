# frozen_string_literal: true

module Coppice
  # Answers to Pitchfork's name, for configurations and applications that were written for it. Runs in every process.
  module Compatibility
    @listener_names = [].freeze

    class << self
      attr_reader :listener_names #: Array[String]
      attr_reader :workers_count  #: Integer? -- at the start; nil where only the board knows
      attr_reader :record         #: Config::Record? -- of the configuration that is being evaluated

      # Defines Pitchfork, unless it is there.
      #: () -> void
      def define
        require "coppice/compatibility/pitchfork" unless defined?(::Pitchfork)
      end

      # The same in a process that is about to load an application, after Bundler's setup: an application that asks
      # `if defined?(Pitchfork::Info)` would else keep to itself that it may not be forked. Where its bundle has
      # Pitchfork, the name is the gem's.
      #: () -> void
      def stand_in
        define unless defined?(::Gem) && ::Gem.loaded_specs.key?("pitchfork")
      end

      # Called once in each process that is started, when it knows.
      #: (Config::Settings, listener_names: Array[String]) -> void
      def enter(settings, listener_names:)
        count = settings.worker_processes
        @workers_count = count if count.is_a?(Integer) && count.positive?
        @listener_names = listener_names
      end

      # What Pitchfork keeps in a constant may be an option here: while the block runs, this record takes it.
      #: [T] (Config::Record) { () -> T } -> T
      def recording(record)
        @record = record
        yield
      ensure
        @record = nil
      end
    end
  end
end
