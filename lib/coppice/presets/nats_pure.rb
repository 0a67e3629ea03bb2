# frozen_string_literal: true

# Subscriptions, but for those in which clients await the answers to their requests.
subscribed = lambda do
  ObjectSpace.each_object(NATS::Subscription).any? do |subscription|
    !subscription.closed && (subscription.jsi || !subscription.subject.start_with?("_INBOX."))
  end
end

# Seen with 2.7.0 (2026-11-28).
Coppice::Presets.define(:nats_pure, gem: "nats-pure", constant: "NATS::Client",
  versions: "2.4"..., tested: true, verdict: :advice, used: subscribed,
  restarts: %w[nats-pure],
  does: "nothing: the library reconnects in each copy",
  advice: "nothing to publish and to send requests. Subscribe in a `service`. With `reconnect: false` create a " \
          "client in each worker",
  older: "`after_worker_fork`: a new client",
  why: "A copy has no subscriptions: once the subscriber exits, no process receives anything. While no server " \
       "answers, a fork takes twice `max_reconnect_attempts` times `reconnect_time_wait` (40 s).",
  source: "lib/nats/io/client.rb (after_fork, close_connection)")
