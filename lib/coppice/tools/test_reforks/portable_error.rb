# frozen_string_literal: true

require "coppice/tools/test_reforks/remote_error"

module Coppice
  module TestReforks
    # Lines of a backtrace that say nothing of the test. A tool such as turbo_tests prints them in a process that does
    # not load this code, so no setting of the test framework leaves them out there.
    OWN_LINES = /\A#{Regexp.escape(__dir__)}[\/.]/.freeze

    # An exception on its way from a later generation to the first process.
    PortableError = Struct.new(:dump, :class_name, :message, :backtrace) do
      #: (Exception) -> PortableError
      def self.of(error)
        new(dump_of(error), error.class.to_s, error.message.to_s.dup, error.backtrace)
      end

      # nil for an exception that cannot be copied.
      def self.dump_of(error)
        Marshal.dump(error).tap { |dump| Marshal.load(dump) } # rubocop:disable Security/MarshalLoad
      rescue StandardError # of the user's classes
        nil
      end
      private_class_method :dump_of

      # The exception, or a RemoteError with its class and message in the message.
      #: () -> Exception
      def restore
        error = dump ? Marshal.load(dump) : substitute # rubocop:disable Security/MarshalLoad
        error.tap { error.set_backtrace(lines) }
      rescue StandardError # of the user's classes
        substitute
      end

      private

      def substitute
        RemoteError.new("#{class_name}: #{message}").tap { |error| error.set_backtrace(lines) }
      end

      def lines = backtrace&.grep_v(OWN_LINES)
    end
  end
end
