# frozen_string_literal: true

places = %w[ActionCable::Server::StreamEventLoop ActionCable::Connection::StreamEventLoop] # since Rails 8.2; before
# It is created for the first WebSocket.
used = lambda do
  loaded = places.filter_map { |name| Coppice::ForkSafety::Preset.loaded_constant(name) }
  loaded.any? { |type| ObjectSpace.each_object(type).any? }
end

Coppice::Presets.define(:actioncable, gem: "actioncable", constant: places.first, formerly: places.last,
  versions: "7.1"..."8.2", tested: true, verdict: :unsafe, used: used, calls: { unsafe: used },
  does: "never promotes a worker that has served a WebSocket",
  advice: "nothing to broadcast. If every worker serves WebSockets, reforks stop: `service :cable, path: \"/cable\"` " \
          "gives them to a process of their own",
  older: "give WebSockets a process of their own: `service :cable, path: \"/cable\"`. To broadcast needs nothing",
  why: "Its threads do not exist in a copy, but count as running: a subscriber receives nothing.",
  source: "actioncable/lib/action_cable/server/base.rb, subscription_adapter/redis.rb of rails/rails")
