# frozen_string_literal: true

module Coppice
  class CLI
    # One command of `coppice`.
    #
    #   class_name         the class that runs it: `new(arguments)`, then `run`, which returns the exit status
    #   feature            what to require for that class
    #   summary            its line in the help; nil for an internal command
    #   words              what follows its flags, as in a line of usage; a list where there are several ways
    #   flags              its own flags, as in a line of usage, each with what it does
    #   about              more about it, for its own help
    #   takes_serve_flags  whether it takes those of `serve` as well
    #   takes_program      whether words and flags that follow its own are a program's
    #   loads_application  whether it loads the application in its own process, and so needs the application's bundle
    #   needs_channel      whether only a monitor starts it, with the number of its channel's descriptor as the argument
    Command = Struct.new(:name, :class_name, :feature, :summary, :words, :flags, :about, :takes_serve_flags,
      :takes_program, :loads_application, :needs_channel, keyword_init: true) do
      #: () -> Class
      def load
        require feature
        Coppice.const_get(class_name)
      end

      # The names of its own flags, long ones where there are.
      #: () -> Array[String]
      def flag_names = flags.to_h.keys.map { |usage| usage[/--[\w-]+/] || usage[/-\w/] }

      # How to call it: a line for each way.
      #: () -> Array[String]
      def usage
        long = flags.to_h.keys.filter_map { |flag| flag[/--.+/] }.map { |flag| "[#{flag}]" }
        long << "[flags of serve]" if takes_serve_flags
        Array(words || "").map { |ending| ["coppice", name, *long, ending].join(" ").strip }
      end

      # Whether these arguments ask what the command does.
      #: (Array[String]) -> bool
      def asked_about?(arguments)
        own = takes_program ? arguments.take(1) : arguments.take_while { |word| word != "--" }
        !(own & %w[-h --help]).empty?
      end
    end
  end
end
