# frozen_string_literal: true

require "optparse"

module Coppice
  module Config
    # An OptionParser for which a letter that is no flag is a mistake. Ruby's takes it for the beginning of a long flag:
    # Rails' and Puma's -b would set --boot-timeout. Only -h stays what it begins.
    class FlagParser < OptionParser
      private

      def complete(kind, word, *)
        raise InvalidOption, word if kind == :long && word.size == 1 && word != "h"

        super
      end
    end
  end
end
