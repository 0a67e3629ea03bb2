# frozen_string_literal: true

require "test_helper"
require "support/conformance_corpus"
require "support/mutations"
require_relative "differences"
require_relative "finding"
require_relative "ours"
require_relative "peer_process"

module Coppice
  # Coppice and other servers read the requests of test/conformance and mutations of them. Every difference must be
  # known.
  #
  # The mutations are the same in each run, so that a failure comes from the change at hand. For more and different
  # ones: COPPICE_MUTATIONS=50000 COPPICE_MUTATIONS_SEED=7 bin/differential
  class DifferentialTest < TestCase
    SEED = Integer(ENV.fetch("COPPICE_MUTATIONS_SEED", 1))
    COUNT = Integer(ENV.fetch("COPPICE_MUTATIONS", 4000))

    # Bytes. Longer requests test limits, which differ between all servers.
    LONGEST = 8000

    PeerProcess::NAMES.each do |name|
      test "#{name} reads requests as Coppice does, except for the known differences" do
        peer = ready(name)
        unknown = findings(peer, requests).reject { |finding| known?(finding) }
        assert_empty unknown.first(10).map(&:to_s), "seed #{SEED}: #{unknown.size} unknown differences, such as"
      end

      test "#{name} still has each known difference" do
        peer = ready(name)
        known = Differences::ALL.select { |difference| difference.peers.include?(name) }
        found = findings(peer, known.flat_map(&:examples).uniq)
        assert_empty(known.reject { |difference| difference.shown_by?(found) }.map(&:what))
      end
    end

    test "a request is read in the same way whatever request was read before" do
      ours = Ours.new
      first = requests.first(500).map { |request| ours.read(request) }
      assert_equal first.reverse, requests.first(500).reverse.map { |request| ours.read(request) }
    end

    private

    def known?(finding) = Differences::ALL.any? { |difference| difference.covers?(finding) }

    def ready(name)
      peer = PeerProcess.new(name)
      missing = peer.missing
      skip "#{name}: #{missing}" if missing
      peer
    end

    def requests
      originals = ConformanceCorpus.cases.map(&:bytes).select { |bytes| bytes.bytesize < LONGEST }
      (originals + Mutations.new(SEED).of(originals, COUNT)).uniq
    end

    def findings(peer, requests)
      ours = Ours.new
      requests.zip(peer.read(requests)).flat_map do |request, theirs|
        Finding.all(peer: peer.name, request: request, ours: ours.read(request), theirs: theirs)
      end
    end
  end
end
