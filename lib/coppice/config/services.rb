# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/option"
require "coppice/config/types"
require "coppice/config/types/amounts"
require "coppice/config/types/handshake_path"

module Coppice
  module Config
    # The catalogue of the options of `service`.
    SERVICE_OPTIONS = Catalogue.new([
      Option.new(name: :survives_reforks, type: Types::Boolean.new, default: false,
        doc: "Whether the process outlives reforks, with its old code and data. With false it is stopped, then " \
             "forked from the new mold; there are never two. A roll replaces it in any case.").freeze,
      Option.new(name: :timeout, type: Types::Seconds.new, default: 10,
        doc: "Maximum time from TERM until the process and all that it has forked are killed.").freeze,
      Option.new(name: :memory_limit, type: Types::Optional.new(Types::MemoryLimit.new), default: nil,
        doc: "Memory above which the process is replaced, checked once a minute. What it has forked has the same " \
             "limit, and gets TERM, then KILL.").freeze,
      Option.new(name: :max_age, type: Types::Optional.new(Types::Seconds.new(minimum: 60)), default: nil,
        doc: "Age at which the process and what it has forked are replaced.").freeze,
      Option.new(name: :path, type: Types::Optional.new(Types::HandshakePath.new), default: nil,
        doc: "Where clients open WebSockets: their handshakes go to this service, so that no refork closes them " \
             "(docs/services.md#action-cable). It has no block and survives reforks. Only one service may have a " \
             "path; listeners with `lobby: false` ignore it.")
        .freeze
    ])

    # What the page and the help say of `service`, beside its options.
    SERVICE_DOC = "A process that is forked from the mold and runs the block, such as Solid Queue's supervisor " \
                  "(docs/services.md). It is never promoted, so it need not be fork-safe. It calls " \
                  "`after_worker_fork` first; its `nr` is nil. TERM raises a SignalException in the block, unless " \
                  "that sets a handler. When the process exits, it is forked again within 5 seconds. The server " \
                  "stops services before workers."
    SERVICE_EXAMPLE = "service :jobs, survives_reforks: true do |server, service|\n  " \
                      "SolidQueue::Supervisor.start\nend"
    SERVICE_ARGUMENTS = %i[server service].freeze

    # Names that commands use for something else.
    RESERVED_SERVICE_NAMES = %w[mold service].freeze
  end
end
