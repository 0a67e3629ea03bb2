# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Guest
    # The program of a guest: a Ruby script, the code of -e, or a console. It is loaded into the process that has the
    # application already, so what it requires of the application is there.
    class Program
      CONSOLE = "bin/rails"
      FIRST_LINE_BYTES = 256
      # They mark the folder of an application, with Rails and without.
      APPLICATION_FILES = %w[config/application.rb config.ru].freeze

      # directory: of the application.
      #: (Control::GuestRequest, directory: String) -> void
      def initialize(request, directory:)
        @request = request
        @directory = directory
      end

      # Once the client's directory is the current one. Raises Error for what cannot be run here.
      #: () -> void
      def check
        @path = path
        return unless @path

        raise Error, "there is no #{name}" unless File.file?(@path)
        raise Error, "#{name} cannot be read" unless File.readable?(@path)
        raise Error, "#{name} is no Ruby script: its name has no .rb, and its first line no ruby" unless ruby?
        raise Error, "#{name} belongs to another application than this server's, #{@directory}" if foreign?
      end

      # Raises what the program raises.
      #: () -> void
      def run
        ARGV.replace(@request.arguments)
        say_that_nothing_is_reloaded
        return load_script if @path
        return TOPLEVEL_BINDING.eval(@request.program, $0 = +"-e") if @request.mode == "code"

        $0 = +"irb"
        require "irb"
        IRB.start
      end

      private

      # nil when there is no script to load.
      def path
        case @request.mode
        when "program" then File.expand_path(name)
        when "console" then rails_console
        end
      end

      # `rails` and `rake` alone mean those of the application.
      def name
        given = @request.program
        own = "bin/#{given}"
        given.include?("/") || File.file?(given) || !File.file?(own) ? given : own
      end

      def rails_console
        return unless defined?(::Rails.application) && ::Rails.application

        @request.program = File.join(@directory, CONSOLE)
        @request.arguments = ["console", *@request.arguments]
        @request.program
      end

      def ruby?
        return true if @path.end_with?(".rb")

        line = File.open(@path, "rb") { |file| file.gets("\n", FIRST_LINE_BYTES) }
        line.to_s.match?(/\A#!.*ruby/n)
      end

      # The scripts of another release would load their own application into the one that is here.
      def foreign?
        folder = File.dirname(File.dirname(File.realpath(@path)))
        APPLICATION_FILES.any? { |name| File.file?("#{folder}/#{name}") } && folder != File.realpath(@directory)
      end

      # As the main script of a process: `__FILE__ == $0` is true in it.
      def load_script
        $0 = @path.dup
        load(@path)
      end

      # A production application has loaded its code once and for all. So has the server.
      def say_that_nothing_is_reloaded
        return unless defined?(::Rails.application.reloader) && ::Rails.application&.config&.cache_classes

        ::Rails.application.reloader.define_singleton_method(:reload!) do
          puts "There is nothing to reload: this console is a fork of the server, whose code is loaded once"
        end
      end
    end
  end
end
