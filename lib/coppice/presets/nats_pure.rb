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
  does: "nothing: the library connects again in each copy",
  advice: "nothing to publish and to send requests. Subscribe in a `service`. With `reconnect: false` create a new " \
          "client in each worker",
  older: "`after_worker_fork`: a new client",
  why: "A copy has none of the subscriptions: once the process that subscribed has exited, nobody receives anything, " \
       "also in a queue group. While no server answers, each fork of a process with a client takes twice " \
       "`max_reconnect_attempts` times `reconnect_time_wait`, 40 s by default.",
  source: "lib/nats/io/client.rb (after_fork, close_connection)")
