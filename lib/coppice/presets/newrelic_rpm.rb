# frozen_string_literal: true

Coppice::Presets.define(:newrelic_rpm, gem: "newrelic_rpm", constant: "NewRelic::Agent", versions: "9"..."11",
  tested: true, verdict: :acts, calls: { after_in_mold: -> { NewRelic::Agent.drop_buffered_data } },
  does: "drops the mold's copy of what the promoted worker has not sent yet: `NewRelic::Agent.drop_buffered_data`",
  restarts: %w[newrelic_rpm],
  advice: "`NEW_RELIC_DISPATCHER=unicorn`, so that the agent starts in workers only, at the first transaction",
  older: "`after_mold_fork`: `NewRelic::Agent.drop_buffered_data`",
  why: "A mold sends its copy when it exits, so that it is counted twice. Without a dispatcher that it knows it also " \
       "reports from the mold that booted the application.",
  source: "lib/new_relic/agent/agent_helpers/shutdown.rb, special_startup.rb")
