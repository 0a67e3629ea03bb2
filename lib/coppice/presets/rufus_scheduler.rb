# frozen_string_literal: true

# Seen with 3.9.2 (2026-11-28).
Coppice::Presets.define(:rufus_scheduler, gem: "rufus-scheduler", constant: "Rufus::Scheduler",
  verdict: :advice, used: -> { ObjectSpace.each_object(Rufus::Scheduler).any?(&:up?) },
  advice: "run it in a `service`, without a lock file (docs/services.md)",
  why: "Its threads do not survive a fork, and copies keep the lock of a `lockfile`.",
  source: "lib/rufus/scheduler.rb, lib/rufus/scheduler/locks.rb")
