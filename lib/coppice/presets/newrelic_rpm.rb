# frozen_string_literal: true

Coppice::Presets.define(:newrelic_rpm, gem: "newrelic_rpm", constant: "NewRelic::Agent", versions: "9"..."11",
  tested: true, verdict: :acts, calls: { after_in_mold: -> { NewRelic::Agent.drop_buffered_data } },
  does: "drops copied data in each mold: `NewRelic::Agent.drop_buffered_data`",
  restarts: %w[newrelic_rpm],
  advice: "`NEW_RELIC_DISPATCHER=unicorn` in the environment, and no other name: then the agent starts in workers " \
          "only",
  older: "`after_mold_fork`: `NewRelic::Agent.drop_buffered_data`",
  why: "A mold would send its copied data again when it exits. Without a dispatcher that it knows, the agent also " \
       "reports from the first mold.",
  source: "lib/new_relic/agent/agent_helpers/shutdown.rb, special_startup.rb")
