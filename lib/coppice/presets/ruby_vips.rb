# frozen_string_literal: true

require "coppice/fork_safety/native_threads"

# They start with the first image that is processed, not with one of which only the size is asked, and end after 15 s
# without work. A copy that is made then works.
used = -> { Coppice::ForkSafety::NativeThreads.any?("libvips worker") }

# Without libvips the gem raises a LoadError, which Rails rescues, and leaves an empty module Vips.
Coppice::Presets.define(:ruby_vips, gem: "ruby-vips", constant: "Vips::Image", versions: "2.2"..."3", tested: true,
  verdict: :unsafe, used: used, calls: { unsafe: used }, passing: true,
  does: "never promotes a worker that has threads of libvips. They end 15 s after its last image; it is asked again " \
        "after a minute",
  advice: "process no image while the application boots. If all workers do all the time, reforks stop: use jobs or " \
          "a `service`. `VIPS_CONCURRENCY=1` does not help",
  older: "`Coppice::Info.no_longer_fork_safe!` at the first image",
  why: "The threads of libvips count as running but do not survive a fork: a copy hangs at its first image.",
  source: "libvips/iofuncs/threadset.c of libvips/libvips")
