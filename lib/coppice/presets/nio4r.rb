# frozen_string_literal: true

# Tried with 2.7.5 (2026-11-28).
Coppice::Presets.define(:nio4r, gem: "nio4r", constant: "NIO::Selector",
  verdict: :advice, used: -> { ObjectSpace.each_object(NIO::Selector).any? { |selector| !selector.closed? } },
  advice: "create a selector in `after_worker_fork`, or where it is first used. A copy may only `close` that of its " \
          "parent",
  why: "The kernel has one list of IOs for both: when a copy deregisters an IO, and then selects while it can be " \
       "read, the parent's selector no longer reports it.",
  source: "ext/libev/ev_epoll.c (epoll_poll)")
