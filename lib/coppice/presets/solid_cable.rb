# frozen_string_literal: true

Coppice::Presets.define(:solid_cable, gem: "solid_cable", constant: "SolidCable", versions: "4.1"..."5", tested: true,
  verdict: :acts,
  calls: { before: -> { ActionCable.server.restart if ActionCable.server.connections.empty? } },
  does: "ends the thread that writes broadcasts before each fork, once its queue is written: " \
        "`ActionCable.server.restart`",
  advice: "nothing to broadcast. For subscriptions see actioncable",
  older: "nothing",
  why: "That thread counts as started but does not survive a fork: broadcasts of a copy are queued and never sent.",
  source: "lib/solid_cable/batched_broadcaster.rb")
