# frozen_string_literal: true

require "coppice/config/catalogue"
require "coppice/config/service_option"
require "coppice/config/types"
require "coppice/config/types/amounts"
require "coppice/config/types/handshake_path"

module Coppice
  module Config
    # The catalogue of the options of `service`.
    SERVICE_OPTIONS = Catalogue.new([
      ServiceOption.new(name: :survives_reforks, type: Types::Boolean.new, default: false,
        doc: "Whether the process keeps running when a new generation is committed. It then has the code and the " \
             "data of the generation that it was forked from. With false it is stopped after each commit, and then " \
             "forked from the new mold: there are never two of it at once. A roll to another release replaces it in " \
             "any case.").freeze,
      ServiceOption.new(name: :timeout, type: Types::Seconds.new, default: 10,
        doc: "Maximum time from TERM until the process has exited. After it, the process and all that it has forked " \
             "are killed.").freeze,
      ServiceOption.new(name: :memory_limit, type: Types::Optional.new(Types::MemoryLimit.new), default: nil,
        doc: "Memory use above which the process is replaced by a fresh fork, as of worker_memory_limit. It is the " \
             "limit of each process that the service has forked as well, by itself: such a process gets TERM, and " \
             "KILL if it is still there after `timeout`. Looked at once a minute.").freeze,
      ServiceOption.new(name: :max_age, type: Types::Optional.new(Types::Seconds.new(minimum: 60)), default: nil,
        doc: "Age at which the process is replaced in the same way, and what it has forked.").freeze,
      ServiceOption.new(name: :path, type: Types::Optional.new(Types::HandshakePath.new), default: nil,
        doc: "The path at which clients open WebSockets, such as \"/cable\". Their handshakes, at this path and " \
             "below, go to this service, which serves them by the application with a few threads; all other " \
             "requests go to workers. So no refork closes a WebSocket. Such a service has no block, survives " \
             "reforks, and is forked for the first handshake. A roll closes its WebSockets one after the other " \
             "within its timeout, while the next service gets new ones. One service may have a path. Listeners " \
             "with `lobby: false` do not know of it.")
        .freeze
    ])

    # What the page and the help say of `service`, beside its options.
    SERVICE_DOC = "A process that is forked from the mold and runs the block beside the workers, such as Solid " \
                  "Queue's supervisor. It serves no clients and is never promoted, so code that is unsafe to fork is " \
                  "safe there. It calls after_worker_fork first, with itself as `worker`; its `nr` is nil. TERM " \
                  "raises a SignalException in the block, unless the block sets a handler. When the process ends, " \
                  "whatever the reason, it is forked again after a pause that grows to 5 seconds. The server stops " \
                  "its services first, while the workers go on serving. See docs/services.md."
    SERVICE_EXAMPLE = "service :jobs, survives_reforks: true do |server, service|\n  " \
                      "SolidQueue::Supervisor.start\nend"
    SERVICE_ARGUMENTS = %i[server service].freeze

    # Names that commands use for something else.
    RESERVED_SERVICE_NAMES = %w[mold service].freeze
  end
end
