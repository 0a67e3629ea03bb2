# frozen_string_literal: true

module Coppice
  # Defines constants under Pitchfork's name, for configurations and applications that were written for it.
  module Compatibility
    @listener_names = [].freeze

    class << self
      attr_reader :listener_names #: Array[String]
      attr_reader :workers_count  #: Integer? -- at the start; nil where only the board knows
      attr_reader :record         #: Config::FileValues? -- of the configuration that is being evaluated

      # Defines Pitchfork, unless it is there.
      #: () -> void
      def define
        require "coppice/compatibility/pitchfork" unless defined?(::Pitchfork)
      end

      # The same in a process that loads an application, after Bundler's setup. Without it an application that calls
      # `Pitchfork::Info.no_longer_fork_safe! if defined?(Pitchfork::Info)` would skip the call, and be forked. When the
      # bundle has the gem itself, the name is the gem's.
      #: () -> void
      def stand_in
        define unless defined?(::Gem) && ::Gem.loaded_specs.key?("pitchfork")
      end

      # Whether the application has loaded the gem: then what it says to Pitchfork::Info does not reach this server.
      #: () -> bool
      def gem_loaded? = !defined?(::Pitchfork::HttpServer).nil?

      # Called once in each process that is not forked, when it has the settings.
      #: (Config::Settings, listener_names: Array[String]) -> void
      def configure(settings, listener_names:)
        count = settings.worker_processes
        @workers_count = count if count.is_a?(Integer) && count.positive? # a range changes
        @listener_names = listener_names
      end

      # Some of what Pitchfork keeps in constants is an option here: this record takes it while the block runs.
      #: [T] (Config::FileValues) { () -> T } -> T
      def recording(record)
        @record = record
        yield
      ensure
        @record = nil
      end
    end
  end
end
