# frozen_string_literal: true

require "coppice/compatibility"
require "coppice/errors"

module Coppice
  class Mold
    # Loads the Rack application. Runs in the cold mold, once.
    class AppLoader
      # The beginning of a comment with options for the server, as Rack 2's rackup has it: "#\ -p 3000".
      OPTIONS_LINE = /^#\\/.freeze

      #: (Config::Settings) -> void
      def initialize(settings)
        @settings = settings
      end

      # The application; in development within Rack::Lint, which holds it to the SPEC, unless it is Rails.
      # Raises BootError; its cause is the application's, if there is one.
      #: () -> ^(Hash[String, untyped]) -> untyped
      def call
        require "rack"
        Compatibility.stand_in
        wrap(load_app)
      rescue BootError
        raise
      rescue UserCodeError => error # whatever an application raises at boot
        raise BootError, "could not load #{@settings.rackup}: #{error.message} (#{error.class})"
      end

      private

      def load_app
        @settings.rackup.end_with?(".ru") ? parse_rackup : load_constant
      end

      # Rack 2 returns [app, options], Rack 3 the app.
      def parse_rackup
        path = rackup_path
        text = File.read(path, encoding: Encoding::UTF_8)
        app, = text.match?(OPTIONS_LINE) ? build_without_options(text, path) : Rack::Builder.parse_file(path)
        app
      end

      # The monitor has read the options. Rack 3 refuses a file that has them. The lines keep their numbers.
      def build_without_options(text, path)
        Rack::Builder.new_from_string(text.gsub(OPTIONS_LINE, "# ").sub(/^__END__\n.*\z/m, ""), path)
      end

      # `my_app.rb` defines MyApp... as rackup has it: the capitalised file name.
      def load_constant
        require rackup_path
        Object.const_get(File.basename(@settings.rackup, ".rb").split("_").map(&:capitalize).join)
      end

      def rackup_path
        path = File.expand_path(@settings.rackup)
        return path if File.file?(path)

        raise BootError, "there is no #{@settings.rackup} in #{Dir.pwd}. Start Coppice in the folder of the " \
                         "application, or name its file, such as config.ru", []
      end

      def wrap(app)
        return app if !@settings.development? || rails?

        require "uri" # Lint of Rack 2.2 uses it without; each request would fail
        Rack::Lint.new(app)
      end

      # `rails server` leaves Lint out as well: from Rack 3 on its wrapper hides the input's `rewind`, which middleware
      # of Rails and of many a gem for it calls. The rackup file has been loaded: an application of Rails is known by
      # now.
      def rails? = defined?(::Rails.application) && !::Rails.application.nil?
    end
  end
end
