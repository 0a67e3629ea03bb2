# frozen_string_literal: true

require "optparse"
require "coppice/config/suggestion"
require "coppice/errors"

module Coppice
  module Config
    # An OptionParser that refuses an unknown one-letter flag. Ruby's takes it for the beginning of a long flag: Rails'
    # and Puma's -b would set --boot-timeout. Only -h may stand for a long flag.
    class FlagParser < OptionParser
      # A configuration does not name a running server, and reading one runs its code.
      CONFIGURATION = %w[-c --config --config-file].freeze
      SERVER = "A running server is found without its configuration: run this in the server's directory, or give " \
               "--pid PID"
      private_constant :CONFIGURATION, :SERVER

      # Obeys the flags, and returns the words between and after them. Raises UsageError.
      #: (Array[String]) -> Array[String]
      def words(arguments)
        permute(arguments)
      rescue ParseError => error
        raise UsageError, explain(error, error.args.first[/\A[^=]*/])
      end

      private

      def explain(error, flag)
        case error
        when InvalidOption then unknown(flag)
        when MissingArgument then "#{flag} needs a value"
        when NeedlessArgument then "#{flag} takes no value"
        when InvalidArgument then "#{flag} cannot be #{error.args.last}"
        else error.message
        end
      end

      def unknown(flag)
        known = to_s.gsub("[no-]", "").scan(/--[\w-]+/)
        finds_server = known.include?("--pid") && CONFIGURATION.include?(flag)
        ["unknown flag #{flag}", finds_server ? SERVER : Suggestion.sentence(flag, known)].compact.join(". ")
      end

      def complete(kind, word, *)
        raise InvalidOption, word if kind == :long && word.size == 1 && word != "h"

        super
      end
    end
  end
end
