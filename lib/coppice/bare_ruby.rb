# frozen_string_literal: true

require_relative "executable"
require_relative "start_variables"

module Coppice
  # A Ruby for processes that need no gem, and keep in memory what they load for as long as they live: without RubyGems,
  # and with a heap that grows in small steps. RUBYOPT and the rest of the environment stay as they are: they are meant
  # for the application, and reach it in the mold.
  module BareRuby
    FLAGS = "--disable=gems,rubyopt"
    # Ruby's heap grows by up to four fifths of its size, which suits applications. In small steps it takes the monitor
    # 35 ms more of a processor to load its code, and 1.2 MiB less.
    HEAP = { "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.05" }.freeze

    # Replaces this process, which keeps its pid, by one that runs Coppice with these arguments.
    #: (Array[String]) -> bot
    def self.run_instead(arguments)
      require "rbconfig"
      exec(variables(ENV), RbConfig.ruby, FLAGS, EXECUTABLE, *arguments)
    end

    # What to add to the environment of such a Ruby. It never replaces a variable of the user.
    #: (Hash[String, String]) -> Hash[String, String]
    def self.variables(environment) = StartVariables.listed(HEAP.reject { |name, _| environment.key?(name) })
  end
end
