# frozen_string_literal: true

require "coppice/http/streaming_input"

module Coppice
  module Http
    # The StreamingInput of Rack 2, whose Lint and forms call `rewind` without a look whether it is there.
    class Rack2StreamingInput < StreamingInput
      # Not possible: nothing is kept.
      #: () -> bot
      def rewind = raise(Errno::ESPIPE, "the input streams: rewindable_input is false")
    end
  end
end
