# frozen_string_literal: true

used = lambda do
  ObjectSpace.each_object(WaterDrop::Producer).any? { |producer| producer.status.connected? }
end

Coppice::Presets.define(:waterdrop, gem: "waterdrop", constant: "WaterDrop::Producer", versions: "2.10"..."3",
  tested: true, verdict: :unsafe, calls: { unsafe: used },
  does: "never promotes a worker with a producer that has been used",
  advice: "do not produce while the application boots. If every worker produces, reforks stop: produce in a " \
          "`service`, or in jobs",
  older: "`Coppice::Info.no_longer_fork_safe!` at the first message",
  why: "librdkafka's threads do not exist in a copy: a used producer raises `ProducerUsedInParentProcess` there.",
  source: "lib/waterdrop/producer.rb, errors.rb")
