# frozen_string_literal: true

classes = %w[Producer Consumer Admin]
used = lambda do
  classes.any? { |name| ObjectSpace.each_object(Rdkafka.const_get(name)).any? { |client| !client.closed? } }
end

Coppice::Presets.define(:rdkafka, gem: "rdkafka", constant: "Rdkafka::Config", versions: "0.29"..."1", tested: true,
  verdict: :unsafe, calls: { unsafe: used },
  does: "never promotes a worker that has a client",
  advice: "create no client while the application boots. If every worker has one, reforks stop: use it in a " \
          "`service`, or in jobs",
  older: "`Coppice::Info.no_longer_fork_safe!` when the first client is made",
  why: "librdkafka's threads do not exist in a copy, and its locks may stay locked: a client counts as closed there.",
  source: "README.md (Forking), lib/rdkafka/native_kafka.rb")
