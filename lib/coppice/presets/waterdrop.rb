# frozen_string_literal: true

connected = -> { ObjectSpace.each_object(WaterDrop::Producer).select { |producer| producer.status.connected? } }
disconnect = -> { connected.call.each(&:disconnect) }

# `disconnect` waits for messages that are on their way: with a dead broker until `message.timeout.ms`.
busy = lambda do |producer|
  10.times { Kernel.sleep(0.01) if producer.queue_size.positive? }
  producer.queue_size.positive? || !producer.disconnectable?
end

Coppice::Presets.define(:waterdrop, gem: "waterdrop", constant: "WaterDrop::Producer", versions: "2.10"..."3",
  tested: true, verdict: :acts, passing: true,
  calls: { unsafe: -> { connected.call.any?(&busy) }, before_promotion: disconnect, before: disconnect },
  does: "disconnects producers before a fork, and promotes no worker while messages of its producer are on their way",
  advice: "`before_worker_exit`: `producer.close`, or the last messages of `produce_async` are lost",
  older: "`before_fork`: `producer.disconnect`",
  why: "librdkafka's threads do not survive a fork: a used producer raises `ProducerUsedInParentProcess` in a copy.",
  source: "lib/waterdrop/producer.rb, errors.rb; findings/waterdrop_raises_once_in_a_copy.sh")
