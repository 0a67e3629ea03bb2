# frozen_string_literal: true

require "coppice/config/service_definition"
require "coppice/config/types/handshake_path"
require "coppice/errors"
require "coppice/fork_safety/fork_callbacks"
require "coppice/presets"

module Coppice
  module ForkSafety
    # Makes the calls of the presets whose library is loaded. The cold mold creates this object once the application is
    # loaded, and forked processes inherit it. Each call looks again at what is not loaded yet, because a gem may be
    # required late, in a request for instance. What was found is kept: each fork would execute code for it that no
    # request warms up, and so copy the pages that the code writes to.
    class PresetCalls
      # setting: the value of the option fork_safety_presets. remedies: what the user has done for libraries.
      #: (bool | Hash[Symbol, Array[Symbol]], ?remedies: Remedies?) -> void
      def initialize(setting, remedies: nil)
        @remedies = remedies
        @enabled = setting != false
        @except = setting.is_a?(Hash) ? setting.fetch(:except) : []
        @cold_mold = Process.pid
        @calls = {} # name of a preset whose library is loaded => the calls to make
        @unguarded = [] # names of presets that were logged so
      end

      # Makes the calls for the moment of this hook. An error in one is logged only, because a preset must not end the
      # process.
      #: (Symbol, Log) -> void
      def call(hook, log)
        moment = moment_of(hook) or return
        acting(moment, log) { |_preset, action| action.call }
      end

      # Makes the calls in a worker that is promoted, before any hook.
      #: (Log) -> void
      def before_promotion(log)
        acting(:before_promotion, log) { |_preset, action| action.call }
      end

      # Makes the calls in a worker that is about to be ready. They may block. An error is that of a database as a rule.
      #: (Log) -> void
      def before_ready(log)
        acting(:before_ready, log) do |preset, action|
          action.call
        rescue StandardError => error # the library's: the worker can serve
          log.warn("could not reconnect before the first request", preset: preset.name, error: error.message)
        end
      end

      # How long presets find that this worker must not be forked, which is logged: see `term`.
      #: (Log) -> Symbol?
      def refusal(log)
        found = unsafe(log)
        found.each do |preset, why|
          log.info("this worker #{preset.passing ? 'is not promoted now' : 'will not be promoted'}",
            preset: preset.name, why: why)
        end
        term(found.keys)
      end

      # For how long what these presets find holds: :for_now or :forever. nil where there are none.
      #: (Array[Preset]) -> Symbol?
      def term(presets) = presets.all?(&:passing) ? (:for_now if presets.any?) : :forever

      # The presets that can find that a process must not be forked.
      #: () -> Array[Preset]
      def guards = @enabled ? candidates.select { |preset| preset.calls.key?(:unsafe) } : []

      # The presets that find that this process must not be forked, with their reasons. One that fails finds so too: its
      # library is not what the preset knows. If nothing guards a version, that is logged only. presets: those to ask.
      #: (Log, ?Array[Preset]) -> Hash[Preset, String]
      def unsafe(log, presets = candidates)
        found = {}
        acting(:unsafe, log, presets) do |preset, action|
          found[preset] = preset.why if action.call
        rescue Unguarded
          raise
        rescue UserCodeError => error
          found[preset] = "the preset cannot tell whether this process may be forked (#{error.class}: #{error.message})"
          raise
        end
        found
      end

      # The path at which the application has WebSockets that a service can have; nil without any.
      #: (Log) -> String?
      def handshakes_path(log)
        found = nil
        acting(:handshakes, log) { |_preset, action| found ||= action.call }
        Config::Types::HandshakePath.new.check(found) if found
      rescue InvalidValue => error
        log.warn("the application's WebSockets get no service", path: found, reason: error.message)
        nil
      end

      # Warns where a service has a path, and no broadcast of another process reaches it. It may still have all that it
      # broadcasts itself.
      #: (Config::Settings, Log) -> void
      def warn_of_local_adapter(settings, log)
        service = settings.services.find(&:path) or return
        acting(:local_adapter, log) do |preset, action|
          adapter = action.call or next
          log.warn("broadcasts of workers do not reach WebSockets", preset: preset.name, service: service.name,
            adapter: adapter, why: "with this adapter a broadcast stays in the process that makes it",
            remedy: Config::LOCAL_CABLE_REMEDY)
        end
      end

      private

      # A mold that booted the application is no copy of a process with connections.
      def moment_of(hook)
        moment = ForkCallbacks::MOMENTS[hook]
        moment == :after_in_mold && Process.pid == @cold_mold ? :loaded : moment
      end

      def acting(moment, log, presets = candidates)
        return unless @enabled

        presets.each do |preset|
          action = calls_of(preset, log)[moment] or next
          log.debug("fork safety preset", preset: preset.name, moment: moment) unless moment == :unsafe
          yield preset, action
        rescue Unguarded
          warn_unguarded(preset, Presets.activated_version(preset), log)
        rescue UserCodeError => error # the library's
          log.exception("a fork safety preset failed", error, preset: preset.name, moment: moment)
        end
      end

      def candidates = Presets.activated.reject { |preset| @except.include?(preset.name) }

      # A loaded library stays loaded, in the same version.
      def calls_of(preset, log)
        @calls.fetch(preset.name) do
          version = Presets.activated_version(preset)
          unguarded = preset.unguarded?(version)
          warn_unguarded(preset, version, log) if unguarded
          next {} unless preset.loaded?

          announce(preset, version, log) unless unguarded
          @calls[preset.name] = preset.calls_for(version)
        end
      end

      def warn_unguarded(preset, version, log)
        return if @unguarded.include?(preset.name)

        @unguarded << preset.name
        log.warn("nothing guards this version of a library that is not safe to fork", preset: preset.name,
          version: version, advice: preset.advice_without_guard, why: preset.why)
      end

      def announce(preset, version, log)
        level = level_of(preset, version)
        log.public_send(level, "library with a fork safety preset", preset: preset.name, version: version,
          verdict: (preset.verdict if preset.covers?(version)), advice: preset.advice_for(version))
      end

      # A warning where Coppice leaves to the user what it does for other versions, until the user has configured a
      # hook. The fork audit tells if that leaves a connection or a thread open.
      def level_of(preset, version)
        return :debug if !preset.acts? || preset.covers?(version)

        done = preset.nothing_to_do_for_most?(version) || @remedies&.assess(preset, version)&.found
        done ? :debug : :warn
      end
    end
  end
end
