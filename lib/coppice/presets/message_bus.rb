# frozen_string_literal: true

Coppice::Presets.define(:message_bus, gem: "message_bus", constant: "MessageBus",
  verdict: :advice,
  advice: "`after_worker_fork`: `MessageBus.after_fork`",
  why: "The threads that receive messages and call timers do not exist in a copy: it delivers nothing to its clients " \
       "until it subscribes anew.",
  source: "lib/message_bus.rb (after_fork), lib/message_bus/timer_thread.rb")
