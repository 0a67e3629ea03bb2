# frozen_string_literal: true

used = lambda do
  ObjectSpace.each_object(WaterDrop::Producer).any? { |producer| producer.status.connected? }
end

Coppice::Presets.define(:waterdrop, gem: "waterdrop", constant: "WaterDrop::Producer", versions: "2.10"..."3",
  tested: true, verdict: :unsafe, calls: { unsafe: used },
  does: "never promotes a worker that has used a producer",
  advice: "do not produce while the application boots. If all workers produce, reforks stop: use a `service` or " \
          "jobs",
  older: "`Coppice::Info.no_longer_fork_safe!` at the first message",
  why: "librdkafka's threads do not survive a fork: a used producer raises `ProducerUsedInParentProcess` in a copy.",
  source: "lib/waterdrop/producer.rb, errors.rb")
