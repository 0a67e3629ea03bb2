# frozen_string_literal: true

require "coppice/child/shared_finalizers"
require "coppice/coppice_ext"
require "coppice/presets"

module Coppice
  module Child
    # Ends a process before Ruby frees its objects. Ruby walks through the whole heap then, and frees one by one what C
    # extensions have allocated: each write to a page that is shared with other processes makes a copy of it, in a
    # process that is about to end. The kernel takes all its memory at once.
    #
    # By then all has happened that a program can rely on: Ruby has run the at_exit handlers, the `ensure` of other
    # threads, and the finalizers of objects that are this process's alone (see SharedFinalizers). These come last, so a
    # finalizer ends the process. What of the freeing has an effect outside is done here: bytes that an IO object holds
    # back are written, and databases are told of the end of their connections.
    module QuickExit
      ROUNDS = 3 # of finalizers: each may define others, which run in the next one

      @shared = SharedFinalizers.new

      class << self
        # In a process that has loaded no application yet: at_exit handlers run in reverse order, so this one is the
        # last. Forked processes inherit it.
        #: () -> void
        def watch_end
          at_exit { look_around if @prepared }
        end

        # Called right before a fork, so that the copy finds in a moment what it has to do at its end: it need not look
        # at what it shares, and both know of which objects the other has a copy. exits: whether this process is a copy
        # itself, and exits after the fork.
        #: (bool) -> void
        def note_objects(exits)
          return unless OS.respond_to?(:note_files_and)
          return OS.keep_note if exits

          objects = OS.note_files_and(goodbyes.keys)
          @shared.note(objects) if objects
        end

        # From now on this process ends quickly when it exits, and logs which connections it could not close. One that
        # exits because of a signal or of another error ends as Ruby has it, and all do where Ruby does not export the
        # walk over its heap. copies_exit: whether the processes that were forked from this one exit as well.
        #: (Log, ?copies_exit: bool) -> void
        def prepare(log, copies_exit: false)
          return unless OS.respond_to?(:exit_at_once)

          @log = log
          @copies_exit = copies_exit
          @prepared = true
          after_finalizers(ROUNDS)
        end

        private

        # Another handler may have changed the exit status. Objects are looked for here, and not in the finalizer: until
        # now Ruby knows which of them are garbage.
        def look_around
          return unless $!.is_a?(SystemExit)

          @status = $!.status
          @shared.undefine(copies_exit: @copies_exit)
          @goodbyes = goodbyes
          @found = OS.files_and(@goodbyes.keys)
          @exit_hangs = Presets.activated.any? { |preset| preset.exit_hangs && preset.loaded? }
        end

        # The finalizer that was defined last runs first. The object is kept: nothing but the end of Ruby may run it.
        def after_finalizers(rounds)
          @kept = Object.new
          ObjectSpace.define_finalizer(@kept, ->(_id) { rounds > 1 ? after_finalizers(rounds - 1) : leave })
        end

        def leave
          return unless @status

          @found.each { |object| finish(object) }
          @exit_hangs ? exit!(@status) : OS.exit_at_once(@status)
        end

        # The classes whose objects tell the other side when they are freed, and what tells it.
        def goodbyes
          presets = Presets.activated.select(&:goodbye)
          presets.to_h { |preset| [ForkSafety::Preset.loaded_constant(preset.constant), preset.goodbye] }.except(nil)
        end

        def finish(object) = object.is_a?(IO) ? write_rest(object) : take_leave(object)

        # Where it is closed already, not open for writing, or nobody reads any more, Ruby ignores it as well.
        def write_rest(io)
          io.flush
        rescue IOError, SystemCallError
          nil
        rescue StandardError => error # its message is the application's code too, and an exception would stop the exit
          @log.debug("file not flushed", error: error.class)
        end

        def take_leave(connection)
          kind, goodbye = @goodbyes.find { |kind, _| connection.is_a?(kind) }
          connection.public_send(goodbye)
        rescue StandardError => error
          @log.debug("connection not closed", of: kind.name, error: error.class)
        end
      end
    end
  end
end
