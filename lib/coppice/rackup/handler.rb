# frozen_string_literal: true

module Coppice
  module Rackup
    # The methods of the Rack handlers of both Racks. They load the server when one is run: an extension that is missing
    # is then reported as such, and not as a handler that cannot be found.
    module Handler
      extend self

      # Ends the process with a line for a mistake of the user's. See Server.
      #: (untyped, **untyped) ?{ (untyped) -> void } -> void
      def run(app, **options, &block)
        reporting { Server.new(options).run(app, &block) }
      end

      # Before the application is loaded: replaces this process by a monitor where `run` would do so. Returns otherwise.
      #: (Hash[Symbol, untyped]) -> void
      def replace_early(options)
        reporting { Server.new(options).replace_early }
      end

      # What `rackup --help` shows for -O.
      #: () -> Hash[String, String]
      def valid_options
        require "coppice/config/options"
        options = Config::OPTIONS.select(&:flag).to_h do |option|
          [[option.name, option.type.placeholder].compact.join("="), option.summary]
        end
        { "Host=HOST" => "Host to listen on", "Port=PORT" => "Port to listen on", **options }
      end

      private

      def reporting
        require "coppice/rackup/server"
        yield
      rescue Bug
        raise
      rescue Error => error
        abort "coppice: #{error.message}"
      end
    end
  end
end
