# frozen_string_literal: true

require "coppice/errors"
require "coppice/fork_safety/stray_copy"
require "coppice/os/sibling_fork"
require "coppice/standalone"
require "coppice/tools/test_reforks/portable_error"

module Coppice
  module TestReforks
    # Makes the next generation of a suite as a server does: the process that runs tests forks a mold, as a worker that
    # is promoted does, and the mold forks the worker in which the suite goes on. Both become children of the first
    # process. The hooks of the configuration and the blocks of Coppice.at_fork run in the order of a server.
    class Promotion
      #: (Config::Settings, Link) -> void
      def initialize(settings, link)
        @link = link
        @process = Standalone.new(settings, role: :tests).adopt(nil)
        @sibling = OS::SiblingFork.new(lock: @process.inheritance.fork_lock, timeout: settings.spawn_timeout / 2.0,
                                       patience: settings.spawn_timeout, adopts: true)
      end

      # Why a server would not promote this process; nil if it would.
      #: () -> String?
      def obstacle
        return "no_longer_fork_safe! was called" unless Info.fork_safe?

        inheritance = @process.inheritance
        presets = inheritance.preset_calls.unsafe(inheritance.log)
        presets.map { |preset, why| "the preset for #{preset.gem}: #{why}" }.join(" ") unless presets.empty?
      end

      # Returns :previous in the process that was running tests, and :next in the one that runs them from now on. Raises
      # Error when the fork failed.
      #: (Integer) -> Symbol
      def call(generation)
        catch(:coppice_next_generation) do
          @process.prepare_promotion
          fork_process(:mold, generation) { be_mold(generation) }
          :previous
        end
      end

      private

      def fork_process(role, generation, &life)
        @process.hook(:before_fork)
        announce = ->(pid) { @link.tell(:forked, role, generation, pid) }
        made = @sibling.call(announce: announce) { live(&life) }
        @process.hook(:after_fork_in_parent)
        raise Error, "the #{role} of generation #{generation} could not be forked: #{@sibling.failure}" unless made
      end

      # An error here comes from a hook, as a rule. It is told to the first process, which prints it.
      def live
        OS.parent_death_signal(Signal.list.fetch("KILL"))
        ForkSafety::StrayCopy.adopt
        @link.keep_writer
        yield
      rescue UserCodeError => error # of a user's hook
        @link.tell(:broken, PortableError.of(error))
        exit!(1)
      end

      def be_mold(generation)
        @process.become_mold(generation: generation, promoted: true)
        fork_process(:worker, generation) { be_worker(generation) }
        exit!(0)
      end

      # The frames in between have no `ensure`, which would run here.
      def be_worker(generation)
        @process.become_worker(generation: generation)
        throw(:coppice_next_generation, :next)
      end
    end
  end
end
