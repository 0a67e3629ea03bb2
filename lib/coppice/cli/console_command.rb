# frozen_string_literal: true

require "coppice/cli/run_command"

module Coppice
  class CLI
    # `coppice console`: the console of the framework, or irb.
    class ConsoleCommand < RunCommand
      private

      def special(flag, words) = request_of([flag, *words])

      def request_of(words) = ["console", "", words]
    end
  end
end
