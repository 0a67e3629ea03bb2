# frozen_string_literal: true

Coppice::Presets.define(:solid_cable, gem: "solid_cable", constant: "SolidCable", versions: "4.1"..."5", tested: true,
  verdict: :acts,
  calls: { before: -> { ActionCable.server.restart if ActionCable.server.connections.empty? } },
  does: "ends the thread that writes broadcasts before each fork, once it has written what is queued: " \
        "`ActionCable.server.restart`. The next broadcast starts it again",
  advice: "nothing to broadcast. For subscriptions see actioncable",
  older: "nothing",
  why: "That thread does not exist in a copy, but counts as started: what a copy broadcasts is queued and never sent.",
  source: "lib/solid_cable/batched_broadcaster.rb")
