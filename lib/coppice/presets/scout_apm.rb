# frozen_string_literal: true

# Starts what is missing, and only that: an agent that the first request will start is left alone.
restart = lambda do
  agent = ScoutApm::Agent.instance
  agent.start if agent.context.started?
end

Coppice::Presets.define(:scout_apm, gem: "scout_apm", constant: "ScoutApm::Agent", versions: "6.3"..."7",
  tested: true, verdict: :acts, minor_threads: true, calls: { after_in_worker: restart },
  does: "calls `ScoutApm::Agent.instance.start` in every worker",
  advice: "nothing",
  older: "`after_worker_fork`: `ScoutApm::Agent.instance.start`",
  why: "Its threads do not survive a fork, but the middleware takes the agent for started: nothing is reported.",
  source: "lib/scout_apm/agent.rb, middleware.rb")
