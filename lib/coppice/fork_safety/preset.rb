# frozen_string_literal: true

require "coppice/errors"
require "coppice/version_order"

module Coppice
  module ForkSafety
    # How the text about what a user must do begins where that is nothing.
    NOTHING = "nothing"

    # What Coppice knows about one library when a process forks. Everything but the calls is data, for the table in
    # docs/fork_safety.md and for `coppice check --show`.
    #
    #   name      the name for `fork_safety_presets except: […]`, also that of its file
    #   gem       the name of the gem
    #   constant  what is defined once the library is loaded, and neither by another gem nor when loading it fails
    #   formerly  where that is in older versions; nil for the same place
    #   versions  for which the verdict is true, such as "1.7"..."2"; an Array of these, the oldest first, where older
    #             series were mended as well; nil for any
    #   older     what to do with an older version that is in none of them; begins with NOTHING where most users have
    #             nothing to do
    #   verdict   one of the VERDICTS
    #   tested    whether test/presets has a test with the real library
    #   used      returns whether this process has used the library in the way that the verdict is about: the doctor
    #             asks after its requests. nil where loading it is enough
    #   restarts  names of the gems whose threads start again when the library is next used in another process: the
    #             fork audit overlooks them
    #   minor_threads  whether the library's threads only clean up or report, so that no response depends on them: the
    #             doctor asks for care where one is missing, and does not call the application unsafe
    #   unnamed_threads  whether the library has native threads without names of their own, so that the fork audit can
    #             only guess whose they are
    #   restarted_natives  returns how many such threads of this process the library starts again in a copy: the fork
    #             audit overlooks as many; nil for none
    #   reconnecting  names of the classes whose objects hold a socket that the library drops unused when it is next
    #             used in another process: the fork audit overlooks these sockets
    #   calls     what Coppice calls: by :before, :after_in_parent, :after_in_mold and :after_in_worker (see
    #             Coppice.at_fork; after_in_mold only in molds that were forked from a worker), by :loaded in the cold
    #             mold when the application is loaded, by :unsafe in a worker that is to be promoted: a true answer, or
    #             an error, means that it must not be, by :before_promotion in that worker, before any hook, and by
    #             :before_ready in a worker that may block before it is ready (see Worker::Preparation), by :handshakes
    #             in a mold: answers the path at which the application has WebSockets that a service can have, or nil,
    #             by :local_adapter: answers the name of what keeps broadcasts in the process that makes them, or nil
    #   passing   whether what :unsafe finds may be over later: the worker is asked again then
    #   silent    whether that comes without a thread: :unsafe takes a microsecond then, and is asked after each request
    #   goodbye   the method of an object of that constant's class which tells the other side that a process ends; Ruby
    #             has it called when it frees the object (see Child::QuickExit)
    #   flushed   names of the classes whose finalizers send what a process has gathered in an object: they run at the
    #             exit of each process that has the object, not only of the one that made it
    #             (see Child::SharedFinalizers)
    #   exit_hangs  whether what the library does in handlers of atexit(3) hangs or fails in a copy: processes that have
    #             loaded it exit without such handlers (see Child::QuickExit)
    #   does      what Coppice does, for people
    #   advice    what the user must do
    #   always    what is added to that, and to `older`
    #   why       what happens otherwise
    #   source    where that is written: of the library's repository, if nothing else is named
    Preset = Struct.new(:name, :gem, :constant, :formerly, :versions, :older, :verdict, :tested, :used, :restarts,
      :minor_threads, :unnamed_threads, :restarted_natives, :reconnecting, :calls, :passing, :silent, :goodbye,
      :flushed, :exit_hangs, :does, :advice, :always, :why, :source, keyword_init: true) do
      # The constant of this name; nil if nothing has loaded it yet. Loads nothing itself.
      #: (String) -> untyped
      def self.loaded_constant(name)
        name.split("::").reduce(Object) do |scope, part|
          break unless scope.is_a?(Module) && scope.const_defined?(part, false) && !scope.autoload?(part, false)

          scope.const_get(part, false)
        end
      end

      # Whether a module of this path is loaded, and has nothing of the next name. One with a version alone is that of a
      # gemspec. Loads nothing itself.
      #: (String) -> bool
      def self.gone?(name)
        parts = name.split("::")
        (1...parts.size).any? do |count|
          scope = loaded_constant(parts.first(count).join("::"))
          scope.is_a?(Module) && !scope.const_defined?(parts[count], false) && scope.constants(false) - [:VERSION] != []
        end
      end

      # Whether the library is loaded.
      #: () -> bool
      def loaded? = places.any? { |name| self.class.loaded_constant(name) }

      # The version that the library itself says, in its constant or the nearest module around that has one; nil where
      # it is not loaded.
      #: () -> String?
      def own_version
        return unless loaded?

        scopes = constant.split("::")
        scopes.size.downto(1).lazy.map { |count| [*scopes.first(count), "VERSION"].join("::") }
              .map { |name| self.class.loaded_constant(name) }.find { |version| version.is_a?(String) }
      end

      # Whether this process has used the library. Raises what the library raises.
      #: () -> bool
      def used? = used.nil? || !!used.call

      # Whether the verdict is true for a version, and the calls may be made.
      #: (String?) -> bool
      def covers?(version)
        return true unless versions
        return false unless version

        series.any? { |range| VersionOrder.at_least?(version, range.begin) && !past?(range, version) }
      end

      # The calls to make with this version. Where the verdict is not for it, only :unsafe is asked: it raises Unguarded
      # if a constant, a variable or a method that it looks at is gone.
      #: (String?) -> Hash[Symbol, ^() -> untyped]
      def calls_for(version)
        return calls if covers?(version)
        return {} if nothing_to_do_for_most?(version)

        calls.slice(:unsafe).transform_values { |action| -> { guard(action) } }
      end

      # Whether the library is loaded, and :unsafe finds nothing to look at in this version.
      #: (String?) -> bool
      def unguarded?(version)
        action = calls_for(version)[:unsafe]
        return false if action.nil? || (covers?(version) && (versions || loaded?))
        return places.all? { |name| self.class.gone?(name) } unless loaded?

        action.call
        false
      rescue Unguarded
        true
      rescue UserCodeError # the library's: a worker in which the preset cannot tell is not promoted
        false
      end

      # The ranges of versions, the oldest first.
      #: () -> Array[Range[String]]
      def series = [versions].flatten

      # Whether the verdict is not for this version, which is older, and there is nothing to do for it all the same.
      #: (String?) -> bool
      def nothing_to_do?(version) = older == NOTHING && too_old?(version)

      # The same, or what is to be done is only for some uses of the library, which the text names then.
      #: (String?) -> bool
      def nothing_to_do_for_most?(version) = older.to_s.start_with?(NOTHING) && too_old?(version)

      # Whether Coppice calls something.
      #: () -> bool
      def acts? = !calls.empty?

      # What the user of a version must do: nil for nothing.
      #: (String?) -> String?
      def advice_for(version) = [advice_of(version), always].compact.reduce { |one, more| "#{one}. #{more}" }

      # What the user of a version must do that nothing guards: what an older one needs, of which Coppice knows nothing.
      #: () -> String
      def advice_without_guard
        own = older unless older.to_s.start_with?(NOTHING)
        [own || advice, *always, "`fork_safety_presets except: [:#{name}]` says that you see to it"].join(". ")
      end

      private

      def places = [constant, *formerly]

      def guard(action)
        action.call
      rescue NameError => error # the library's
        raise Unguarded, error.message
      end

      def too_old?(version) = !covers?(version) && older?(version)

      # So is a pre-release of the end.
      def past?(range, version)
        !range.end.nil? && VersionOrder.at_least?(VersionOrder.release(version), range.end)
      end

      def advice_of(version)
        return advice if covers?(version)

        older && older?(version) ? older : unknown_version(version)
      end

      # A pre-release of the beginning is not: nobody knows what it has already.
      def older?(version)
        !version.nil? && !VersionOrder.at_least?(VersionOrder.release(version), series.last.begin)
      end

      def unknown_version(version)
        version ||= "this version"
        return advice unless acts?
        return "the preset was not tested with #{version}, and does nothing; #{advice}" unless calls.key?(:unsafe)

        "the preset was not tested with #{version}: if what it looks at is still there, Coppice #{does}; #{advice}"
      end
    end

    # The verdicts, with their text for people.
    VERDICTS = {
      handled: "safe: the library handles forks",
      acts: "safe: Coppice acts",
      advice: "you must act",
      unsafe: "not safe: Coppice never promotes a worker that has used it",
      keep_away: "not safe: do not use it in a process that is forked"
    }.freeze
  end
end
