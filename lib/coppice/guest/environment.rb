# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Guest
    # The environment variables of a guest, its directory and its umask: those of its client. Variables that Ruby,
    # RubyGems, Bundler and the C library have read when the application was booted stay the server's. So do those that
    # the application has set while it booted, unless the client has set them.
    class Environment
      KEPT = /\A(?:BUNDLE_\w*|BUNDLER_\w*|GEM_\w*|RUBYOPT|RUBYLIB|RUBY_GC_\w*|LD_PRELOAD|MALLOC_CONF)\z/.freeze
      NAMES = %w[RAILS_ENV RACK_ENV].freeze # of the application's environment
      BINSTUBS = "COPPICE_RUN" # has a binstub ask for a guest: in a guest it would do so again and again

      # at_boot: the variables of the cold mold before it has loaded the application.
      #: (Hash[String, String], ?variables: Hash[String, String]) -> void
      def initialize(at_boot, variables: ENV)
        @at_boot = at_boot
        @variables = variables
      end

      # Raises Error when the client wants another RAILS_ENV or RACK_ENV than the server has.
      #: (Control::GuestRequest) -> void
      def take(request)
        NAMES.each { |name| check(name, request.environment[name]) }
        replace(request.environment)
        Dir.chdir(request.directory)
        File.umask(request.umask)
      rescue SystemCallError => error
        raise Error, "the directory #{request.directory}: #{error.message}"
      end

      private

      # Each of the two names is a fallback of the other.
      def check(name, wanted)
        present = @variables[name] || @variables.values_at(*NAMES).compact.first
        return if wanted.nil? || wanted.empty? || wanted == present

        raise Error, "this server runs in #{present}: #{name}=#{wanted} needs a process of its own, without " \
                     "`coppice run`"
      end

      def replace(clients)
        gone = @at_boot.keys.reject { |name| kept?(name) || clients.key?(name) }
        gone.each { |name| @variables.delete(name) if @variables[name] == @at_boot[name] }
        clients.each { |name, value| @variables[name] = value unless kept?(name) }
        @variables.delete(BINSTUBS) # even if the application has set it
      end

      def kept?(name) = NAMES.include?(name) || name.match?(KEPT)
    end
  end
end
