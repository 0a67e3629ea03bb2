# frozen_string_literal: true

Coppice::Presets.define(:zookeeper, gem: "zookeeper", constant: "Zookeeper::Client",
  verdict: :advice,
  advice: "`before_fork`: `client.pause_before_fork_in_parent`; `after_fork_in_parent`: " \
          "`client.resume_after_fork_in_parent`; `after_worker_fork`: `client.reopen`",
  why: "Every call of a copy but `reopen` raises an error.",
  source: "README.md (Fork Safety), ext/zookeeper_base.rb")
