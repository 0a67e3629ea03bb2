# frozen_string_literal: true

# Seen with 3.9.2 (2026-11-28).
Coppice::Presets.define(:rufus_scheduler, gem: "rufus-scheduler", constant: "Rufus::Scheduler",
  verdict: :advice, used: -> { ObjectSpace.each_object(Rufus::Scheduler).any?(&:up?) },
  advice: "run it in a `service`, without a lock file: docs/services.md",
  why: "Its threads do not exist in a copy, though it says that it is up. The lock of a `lockfile` belongs to the " \
       "open file, which copies keep: no new scheduler gets it until the last copy has exited.",
  source: "lib/rufus/scheduler.rb, lib/rufus/scheduler/locks.rb")
