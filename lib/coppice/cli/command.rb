# frozen_string_literal: true

module Coppice
  class CLI
    # One command of `coppice`.
    #
    #   class_name         the class that runs it: `new(arguments)`, then `run`, which returns the exit status
    #   feature            what to require for that class
    #   summary            its line in the help; nil for an internal command
    #   flags              its own flags, for the completion
    #   takes_serve_flags  whether it takes those of `serve` as well
    #   loads_application  whether it loads the application in its own process, and so needs the application's bundle
    #   needs_channel      whether only a monitor starts it, with the number of its channel's descriptor as the argument
    Command = Struct.new(:name, :class_name, :feature, :summary, :flags, :takes_serve_flags, :loads_application,
      :needs_channel, keyword_init: true) do
      #: () -> Class
      def load
        require feature
        Coppice.const_get(class_name)
      end
    end
  end
end
