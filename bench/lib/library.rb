# frozen_string_literal: true

module Bench
  # Coppice's own code in the process of the benchmark, which reads mappings and boards with it. It is the code of the
  # checkout that is measured: only that one knows the layout of its board. One process cannot have two versions of the
  # code, so no file in bench/lib requires a part of it before the command line is parsed.
  module Library
    # From now on "coppice/..." is required from that checkout. Its extension may not be compiled where no server of the
    # benchmark is Coppice, so only what needs no extension is required here.
    #: (String) -> void
    def self.load(checkout)
      $LOAD_PATH.unshift(File.join(checkout, "lib"))
      require "coppice/tools/memory/mapping_kinds"
      require "coppice/memory/smaps"
    end
  end
end
