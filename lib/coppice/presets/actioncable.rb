# frozen_string_literal: true

places = %w[ActionCable::Server::StreamEventLoop ActionCable::Connection::StreamEventLoop] # since Rails 8.2; before
# It is created for the first WebSocket.
used = lambda do
  loaded = places.filter_map { |name| Coppice::ForkSafety::Preset.loaded_constant(name) }
  loaded.any? { |type| ObjectSpace.each_object(type).any? }
end

config = -> { Rails.application&.config if defined?(Rails.application) }
adapter = lambda do
  name = ActionCable.server.config.cable&.fetch("adapter", nil) if config.call
  name if Coppice::Config::LOCAL_CABLE_ADAPTERS.include?(name)
end
# Of what Rails has mounted.
path = lambda do
  mounted = config.call&.action_cable&.mount_path
  "#{config.call.relative_url_root}#{mounted}" if mounted && adapter.call.nil?
end

Coppice::Presets.define(:actioncable, gem: "actioncable", constant: places.first, formerly: places.last,
  versions: "7.1"..."8.2", tested: true, verdict: :unsafe, used: used,
  calls: { unsafe: used, handshakes: path, local_adapter: adapter },
  does: "never promotes a worker that has served a WebSocket. A service serves those at Rails' mount path " \
        "(docs/services.md), if the lobby accepts clients and the adapter reaches other processes",
  advice: "nothing to broadcast. If all workers serve WebSockets, reforks stop: `service :cable, path: \"/cable\"`",
  older: "give WebSockets a process of their own: `service :cable, path: \"/cable\"`. Broadcasts need nothing",
  why: "Its threads count as running but do not survive a fork: a subscriber receives nothing.",
  source: "actioncable/lib/action_cable/server/base.rb, subscription_adapter/redis.rb of rails/rails")
