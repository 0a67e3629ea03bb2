# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/c_program"

# The queue between a lobby and its workers (ext/coppice/shared/request_queue.c), with the rings of their answers.
class RequestQueueTest < Coppice::TestCase
  def setup
    @driver = Coppice::CProgram.new("request_queue_driver", "test/lobby/request_queue_driver.c",
                                    "ext/coppice/shared/{request_queue,answer_ring}.c")
  end

  test "each request is answered once, whichever workers sleep, and by the worker that has it" do
    assert_operator numbers_of("threads", 20_000)["withdrawn"], :>, 0
  end

  test "what a worker had that was killed at any moment is known, and nothing else is lost" do
    numbers = numbers_of("processes", 3000)

    assert_equal 3000, numbers["done"]
    assert_operator numbers["killed"], :>, 50
    assert_operator numbers["repeated"], :>, 0
  end

  private

  def numbers_of(kind, requests)
    output = @driver.run(kind, Minitest.seed.to_s, requests.to_s)
    output.scan(/(\w+)=(\d+)/).to_h { |name, number| [name, Integer(number)] }
  end
end
