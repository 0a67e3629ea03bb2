# frozen_string_literal: true

Coppice::Presets.define(:ruby_kafka, gem: "ruby-kafka", constant: "Kafka::Client",
  verdict: :advice,
  advice: "`before_fork`: `producer.deliver_messages`; `after_worker_fork`: a new client",
  why: "A copy would resend buffered messages, on its parent's connection.",
  source: "lib/kafka/async_producer.rb")
