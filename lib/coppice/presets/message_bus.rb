# frozen_string_literal: true

Coppice::Presets.define(:message_bus, gem: "message_bus", constant: "MessageBus",
  verdict: :advice,
  advice: "`after_worker_fork`: `MessageBus.after_fork`",
  why: "Its threads do not survive a fork: its clients get nothing.",
  source: "lib/message_bus.rb (after_fork), lib/message_bus/timer_thread.rb")
