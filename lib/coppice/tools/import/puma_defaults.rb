# frozen_string_literal: true

require "coppice/config/arguments"
require "coppice/config/options"
require "coppice/config/settings"
require "coppice/tools/import/entry"
require "coppice/tools/import/puma_rewrites"

module Coppice
  module Import
    # What Puma does where a file has no directive for it, and Coppice does not do by itself.
    class PumaDefaults
      #: (Translator) -> void
      def initialize(translator)
        @translator = translator
      end

      # Name of an option, line, and reason. None where another file may have its own.
      def lines #: () -> Array[[Symbol, String, String]]
        @translator.called(:load, :_load_from).empty? ? [*workers, *address] : []
      end

      # The entries of the report, with what no line can express.
      #: (Array[Entry]) -> Array[Entry]
      def advised(entries) = [*entries, limit, address_without_conditions].compact

      private

      def workers
        return if @translator.certain?(:workers)

        note = PumaRewrites::AUTOMATIC
        note += ", where no condition of the file gives another number" unless @translator.kept(:workers).empty?
        [[:worker_processes, "worker_processes :auto", note]]
      end

      def address
        return if !addresses.empty? || !@translator.called(:bind_to_activated_sockets).empty?

        note = "Puma's default port"
        note += ", because no address of the file is left" unless @translator.called(:port, :bind, :ssl_bind).empty?
        [[:listen, "listen Integer(ENV.fetch(\"PORT\", #{PumaRewrites::PORT}))", note]]
      end

      # An added address would be one more where a line of the file is reached, so there is only the report.
      def address_without_conditions
        return if addresses.empty? || @translator.certain?(:port, :bind)

        note = "where #{unreached(addresses)}, the server listens on port " \
               "#{Config::Arguments::DEFAULT_PORT}, and Puma on #{PumaRewrites::PORT}: add an else"
        Entry.new(name: :listen, outcome: :changed, note: note)
      end

      def addresses = @translator.kept(:port, :bind)

      def unreached(calls)
        lines = calls.map(&:line)
        lines.size == 1 ? "line #{lines.first} is not reached" : "none of the lines #{lines.join(', ')} is reached"
      end

      def limit
        return if @translator.certain?(:worker_timeout)

        Entry.new(name: :timeout, outcome: :changed,
          note: "Puma has no limit for a request; here it is #{Config::OPTIONS[:timeout].default} s, and " \
                "#{Config::Settings::DEFAULT_COLD_TIMEOUT} s as long as no refork has replaced the first, cold workers")
      end
    end
  end
end
