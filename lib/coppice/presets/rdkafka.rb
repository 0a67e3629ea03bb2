# frozen_string_literal: true

classes = %w[Producer Consumer Admin]
# WaterDrop's producers have a preset of their own.
waterdrops = lambda do
  producers = defined?(WaterDrop::Producer) ? ObjectSpace.each_object(WaterDrop::Producer) : []
  producers.to_h { |producer| [producer.instance_variable_get(:@client), true] }.compare_by_identity
end
used = lambda do
  others = waterdrops.call
  classes.any? do |name|
    ObjectSpace.each_object(Rdkafka.const_get(name)).any? { |client| !client.closed? && !others.key?(client) }
  end
end

Coppice::Presets.define(:rdkafka, gem: "rdkafka", constant: "Rdkafka::Config", versions: "0.29"..."1", tested: true,
  verdict: :unsafe, calls: { unsafe: used },
  does: "never promotes a worker that has a client",
  advice: "create no client while the application boots. If all workers have one, reforks stop: use a `service` or " \
          "jobs",
  older: "`Coppice::Info.no_longer_fork_safe!` when the first client is made",
  why: "librdkafka's threads do not survive a fork, and its locks may stay locked: a copied client counts as " \
       "closed.",
  source: "README.md (Forking), lib/rdkafka/native_kafka.rb")
