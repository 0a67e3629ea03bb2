# frozen_string_literal: true

require "coppice"
require "coppice/monitor/molds/refork_condition/payback"

# Lets a server of make-believe numbers serve at a steady pace, and `refork_after :auto` decide about it.
class PaybackPlay
  STEP = 100 # requests between two looks
  PER_SECOND = 100.0
  PRICE = 4 # as memory_price
  ROLLOUT = 2.0 # seconds that a refork takes
  REQUEST_MS = 10.0
  SHARED_KIB = 100_000

  attr_reader :pauses #: Array[Float] -- seconds from one generation's being complete to the next refork

  # The block answers what is measured in a generation that has served so many requests: the workers' private memory in
  # KiB, or several fields of a measurement.
  def initialize(workers: 1, refork_ms: 500, left: 1_000_000, price: PRICE, rebuilt: 0, &measured)
    @price = price
    @always = { workers: workers, rebuilt: rebuilt, refork_ms: refork_ms, request_ms: REQUEST_MS, left: left }
    @measured = measured
    @pauses = []
  end

  # What was said at each refork while so many requests were served.
  def run(requests)
    payback = Coppice::Monitor::ReforkCondition::Payback.new(price: @price)
    now = begun_at = 0.0
    served = 0
    (requests / STEP).times.filter_map do
      now += STEP / PER_SECOND
      verdict = payback.judge(measurement(generation: @pauses.size, requests: served += STEP), now) or next
      @pauses << (now - begun_at)
      served = 0
      begun_at = now += ROLLOUT
      payback.judge(measurement(generation: @pauses.size, requests: 0), now)
      verdict
    end
  end

  def measurement(generation:, requests:)
    measured = @measured.call(generation, requests)
    measured = { waste: measured.round, total: SHARED_KIB + measured.round } unless measured.is_a?(Hash)
    measured = { waste: 0, request_ms: nil } if requests.zero?
    Coppice::Monitor::ReforkCondition::GenerationUsage.new(
      **@always, generation: generation, cold: generation.zero?, requests: requests, **measured
    )
  end
end
