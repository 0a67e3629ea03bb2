# frozen_string_literal: true

Coppice::Presets.define(:semantic_logger, gem: "semantic_logger", constant: "SemanticLogger", versions: "5"...,
  tested: true, verdict: :handled,
  does: "nothing: the library reopens its appenders in each copy",
  advice: "nothing, unless you set `SemanticLogger.reopen_on_fork = false`",
  older: "`after_worker_fork`: `SemanticLogger.reopen`",
  why: "The thread that writes the log does not survive a fork: without a reopen nothing is written, and the " \
       "10,001st call blocks.",
  source: "lib/semantic_logger.rb, CHANGELOG.md (5.0)")
