# frozen_string_literal: true

module Coppice
  module Control
    # One thing that the monitor can be told or asked through its control socket.
    #
    #   summary  what it does, for help and docs
    #   changes  whether it changes something
    #   seconds  how long a client may have to wait for the last line of the answer
    #   signal   the signals to the monitor that do the same
    #   asked_by  whether it matters who says it
    #   descriptors  names of those that come with the line; nil where there are none
    Verb = Struct.new(:name, :arguments, :summary, :changes, :seconds, :signal, :asked_by, :descriptors,
      keyword_init: true) do
      # The values of the words after the verb. Raises UsageError.
      #: (Array[String]) -> Array[Integer | String]
      def read(words)
        minimum = arguments.count { |argument| !argument.optional }
        raise UsageError, "usage: #{usage}" unless words.size.between?(minimum, arguments.size)

        flags, others = words.partition { |word| switches.include?(word) }
        others.zip(arguments).map { |word, argument| argument.read(word) } + flags
      end

      #: () -> String
      def usage = [name, *arguments.map(&:in_usage)].join(" ")

      # The arguments that are flags.
      #: () -> Array[String]
      def switches = arguments.map(&:usage).grep(/\A--/)

      # The summary, with the arguments that the name alone does not say.
      #: () -> String
      def help = [summary, *(": #{arguments.map(&:in_usage).join(' ')}" unless arguments.empty?)].join
    end
  end
end
