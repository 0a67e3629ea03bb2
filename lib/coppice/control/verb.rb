# frozen_string_literal: true

module Coppice
  module Control
    # One thing that the monitor can be told or asked through its control socket.
    #
    #   summary  what it does, for help and docs
    #   changes  whether it changes something
    #   seconds  how long a client may have to wait for the last line of the answer; nil for no limit
    #   signal   the signals to the monitor that do the same
    #   asked_by  whether it matters who says it
    #   descriptors  names of those that come with the line; nil where there are none
    #   role     of the process that it starts, whose own matter it is then
    Verb = Struct.new(:name, :arguments, :summary, :changes, :seconds, :signal, :asked_by, :descriptors,
      :role, keyword_init: true) do
      # The values of the words after the verb. Raises UsageError.
      #: (Array[String]) -> Array[Integer | String]
      def read(words)
        flags, others = words.partition { |word| switches.key?(word) }
        minimum = named.count { |argument| !argument.optional }
        raise UsageError, "usage: #{usage}" unless flags.uniq == flags && others.size.between?(minimum, named.size)

        others.zip(named).map { |word, argument| argument.read(word) } + flags
      end

      # How long a client may have to wait after these words; nil for no limit.
      #: (Array[String]) -> Integer?
      def seconds_for(words)
        seconds unless arguments.any? { |argument| argument.unlimited && words.include?(argument.usage) }
      end

      #: () -> String
      def usage = [name, *arguments.map(&:in_usage)].join(" ")

      # The arguments that are flags, each with what it does.
      #: () -> Hash[String, String]
      def switches = arguments.select(&:flag?).to_h { |argument| [argument.usage, argument.doc] }

      # The arguments that are no flags.
      #: () -> Array[Argument]
      def named = arguments.reject(&:flag?)

      # For the help of its command.
      #: () -> Hash[Symbol, String?]
      def description
        about = named.map { |word| "#{word.usage} is #{word.description}." unless word.path }
        about << "Signals to the monitor that do the same: #{signal}." if signal
        { summary: summary, words: named.map(&:in_usage).join(" "), about: about.compact.join(" ") }
      end
    end
  end
end
