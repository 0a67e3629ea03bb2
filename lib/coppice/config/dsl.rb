# frozen_string_literal: true

require "coppice/config/file_values"
require "coppice/config/gems"

module Coppice
  module Config
    # The methods of a configuration file: the file is evaluated with an object of this class as `self`, and its hooks
    # run with the same `self`. It has no other public methods, and one instance variable with a name of its own, so
    # that methods and variables of the file do not collide with ours.
    class Dsl
      #: (FileValues) -> void
      def initialize(values)
        @coppice_values = values
      end

      # Ruby looks for the constants of the file in this class, too. The message about one that is not there, which may
      # be in a hook, should not say so.
      #: (Symbol) -> bot
      def self.const_missing(name) = Object.const_missing(name)

      own = %i[listen timeout timeout_for keepalive_timeout access_log gc_profile warm_up_requests out_of_band]
      (OPTIONS.names - own).each do |name|
        define_method(name) { |*arguments, &block| @coppice_values.option(name, arguments, block) }
      end

      (HOOKS.names - %i[on_stats]).each do |name|
        define_method(name) { |*arguments, &block| @coppice_values.hook(name, arguments, block) }
      end

      # Adds an address. Options are keywords or, as in Pitchfork, a Hash.
      #: (String | Integer, ?Hash[Symbol, untyped]) -> void
      def listen(address, options = {})
        @coppice_values.listen(address, options)
      end

      # Sets all addresses at once, in place of earlier ones.
      #: (*(String | Integer | Array[String | Integer])) -> void
      def listeners(*addresses)
        @coppice_values.option(:listen, addresses)
      end

      #: (Numeric, **untyped) -> void
      def timeout(seconds, **keywords)
        @coppice_values.pair(:timeout, seconds, keywords, cleanup: :timeout_cleanup, cold: :timeout_cold)
      end

      # Adds a limit. path: it and all below it, or what a Regexp matches.
      #: (String | Regexp, Numeric) -> void
      def timeout_for(path, seconds)
        @coppice_values.add(:timeout_for, [path, seconds])
      end

      # trusted: for the trusted proxies.
      #: (Numeric, **untyped) -> void
      def keepalive_timeout(seconds, **keywords)
        @coppice_values.pair(:keepalive_timeout, seconds, keywords, trusted: :trusted_keepalive_timeout)
      end

      # format: :text or :json, nil for no log. Without a path it goes to standard output.
      #: (Symbol?, ?String?) -> void
      def access_log(format, path = nil)
        @coppice_values.option(:access_log, [format && [format, path]])
      end

      # :fitted, :ruby, or variables. wait: as a keyword after :fitted.
      #: (*untyped, **untyped) -> void
      def gc_profile(*arguments, **keywords)
        return @coppice_values.option(:gc_profile, [*arguments, keywords].reject(&:empty?)) if arguments.size != 1

        @coppice_values.pair(:gc_profile, arguments.first, keywords, wait: :gc_profile_wait)
      end

      # Paths, or a block that is called with a client, or both. nil for none.
      #: (*(String | Symbol)?, ?wait: bool) ?{ (untyped) -> void } -> void
      def warm_up_requests(*paths, wait: false, &block)
        @coppice_values.option(:warm_up_wait, [wait])
        @coppice_values.option(:warm_up_requests, paths == [nil] ? paths : [paths.flatten(1)]) unless paths.empty?
        @coppice_values.hook(:on_warm_up, [], block) if block || paths.empty?
      end

      # options: those of SERVICE_OPTIONS.
      #: (Symbol | String, ?untyped, **untyped) ?{ (untyped, untyped) -> void } -> void
      def service(name, callable = nil, **options, &block)
        @coppice_values.service(name, block || callable, options)
      end

      # :gc, a block, or both. nil for none.
      #: (*Symbol?) ?{ (untyped, untyped) -> void } -> void
      def out_of_band(*work, &block)
        @coppice_values.option(:out_of_band, work) unless block && work.empty?
        @coppice_values.hook(:on_out_of_band, [], block) if block || work == [nil]
      end

      # every: seconds between two calls.
      #: (?untyped, ?every: Numeric?) ?{ (Hash[Symbol, untyped]) -> void } -> void
      def on_stats(callable = nil, every: nil, &block)
        @coppice_values.option(:stats_interval, [every]) if every
        @coppice_values.hook(:on_stats, [callable], block)
      end

      private

      # The monitor starts without RubyGems, and loads it when the file requires a gem.
      #: (String) -> bool
      def require(feature)
        super
      rescue LoadError => error
        raise if Gems.conflict?(error) || !Gems.activate

        super
      end
    end
  end
end
