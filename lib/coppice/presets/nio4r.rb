# frozen_string_literal: true

# Tried with 2.7.5 (2026-11-28).
Coppice::Presets.define(:nio4r, gem: "nio4r", constant: "NIO::Selector",
  verdict: :advice, used: -> { ObjectSpace.each_object(NIO::Selector).any? { |selector| !selector.closed? } },
  advice: "create selectors in `after_worker_fork`, or on the first use. A copy may only `close` its parent's " \
          "selector",
  why: "Both share one list of IOs: after a copy deregisters one, its parent may no longer see it.",
  source: "ext/libev/ev_epoll.c (epoll_poll)")
