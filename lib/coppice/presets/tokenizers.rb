# frozen_string_literal: true

require "coppice/fork_safety/thread_census"

# The threads of its pool have no names. They start with the first batch, and stay.
used = -> { Coppice::ForkSafety::ThreadCensus.take.unnamed_natives.any? }

Coppice::Presets.define(:tokenizers, gem: "tokenizers", constant: "Tokenizers::Tokenizer", tested: true,
  verdict: :unsafe, unnamed_threads: true, used: used, calls: { unsafe: used },
  does: "never promotes a worker that has unnamed native threads, such as those that encode a batch",
  advice: "`TOKENIZERS_PARALLELISM=false` in the environment: no threads. Otherwise encode no batch while the " \
          "application boots",
  why: "The threads of its pool count as running but do not survive a fork: the next batch hangs.",
  source: "tried with 0.7.0")
