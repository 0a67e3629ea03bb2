# frozen_string_literal: true

require "coppice/fork_safety/thread_census"

Coppice::Presets.define(:rmagick, gem: "rmagick", constant: "Magick::Image",
  verdict: :advice, unnamed_threads: true,
  used: -> { Coppice::ForkSafety::ThreadCensus.take.unnamed_natives.any? },
  advice: "`MAGICK_THREAD_LIMIT=1` in the environment",
  why: "ImageMagick with OpenMP (Debian's has it) hangs in a copy, at the first larger image.",
  source: "tried with 7.2.0 and ImageMagick 6.9.11 with OpenMP")
