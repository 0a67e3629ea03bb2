# frozen_string_literal: true

module Coppice
  class Worker
    class OutOfBand
      # The base class of the kinds of out-of-band work. Each has a method `of`, which returns nil where the settings
      # ask for none of its kind, and name, due? and call.
      class Task
        # Whether it can wait no longer for the clients to pause.
        #: () -> bool
        def overdue? = false

        # Called on the helper thread while a request takes long.
        #: () -> void
        def note_long_request = nil

        # Called when it is not tried any more, and in a process forked from this one.
        #: () -> void
        def cancel = nil
      end
    end
  end
end
