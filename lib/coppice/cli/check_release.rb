# frozen_string_literal: true

require "coppice/monitor/rolls/releases"

module Coppice
  class CLI
    # `coppice check --in DIR`: what a roll to the release in a directory would begin with. To be called in the
    # directory of the running release, with the flags of the server.
    class CheckRelease
      # settings: of the running release.
      #: (Config::Settings, arguments: Array[String], environment: Hash[String, String]) -> void
      def initialize(settings, arguments:, environment:)
        first = Release.first(settings, environment: environment)
        @releases = Monitor::Releases.new(first, arguments: arguments, environment: environment)
      end

      # What would be told the log, for the absolute path of a release. Raises Error when the roll would be given up.
      #: (String) -> Array[String]
      def lines(name)
        check = @releases.check(@releases.resolve(name))
        result = wait_for(check)
        settings, = @releases.configuration(check)
        ["#{check.directory} can be rolled to, with Ruby #{result.ruby_version} (#{result.ruby}) and " \
         "#{result.executable}",
         *settings.notes, *@releases.change(check, settings).lines]
      ensure
        check&.close
      end

      private

      def wait_for(check)
        loop do
          result = check.result
          return result if result

          check.reader.wait_readable(ReleaseCheck::SECONDS)
        end
      end
    end
  end
end
