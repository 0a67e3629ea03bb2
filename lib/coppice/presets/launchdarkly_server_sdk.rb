# frozen_string_literal: true

require "coppice/fork_safety/connection_copies"

# Seconds; a worker waits no longer for the vendor's server before it serves.
limit = 2

clients = Coppice::ForkSafety::ConnectionCopies.new("LaunchDarkly::LDClient",
  open: ->(_client) { true },
  detach: ->(_client) {}, # `postfork` only forgets what belongs to the parent
  reconnect: ->(client) { client.postfork(limit) })

Coppice::Presets.define(:launchdarkly_server_sdk, gem: "launchdarkly-server-sdk", constant: "LaunchDarkly::LDClient",
  versions: "8.19"..."9", tested: true, verdict: :acts, calls: clients.calls,
  does: "calls `client.postfork(2)` in every worker",
  advice: "register listeners and hooks in `after_worker_fork`",
  older: "`after_worker_fork`: `client.postfork(2)`. The default is to wait 5 s",
  why: "Its threads do not survive a fork: flags do not change, and events are not sent.",
  source: "lib/ldclient-rb/ldclient.rb (postfork)")
