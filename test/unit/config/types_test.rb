# frozen_string_literal: true

require "test_helper"
require "coppice/config/options"
require "coppice/config/types/amounts"
require "coppice/config/types/lobby"
require "coppice/config/types/process"
require "coppice/config/types/addresses"
require "coppice/config/types/routes"

module Coppice
  module Config
    class TypesTest < TestCase
      test "a whole number has a minimum" do
        type = Types::Whole.new(minimum: 1)
        assert_equal 1, type.check(1)
        assert_refused type, 0, "must be a whole number, 1 or more, but is 0"
        assert_refused type, 1.5
        assert_refused type, "4"
        assert_refused type, nil
      end

      test "a whole number is read from text" do
        type = Types::Whole.new(minimum: 0, bytes: true)
        assert_equal 1_000_000, type.parse("1_000_000")
        assert_equal 10, type.parse("010"), "never octal"
        assert_raises(InvalidValue) { type.parse("4.5") }
        assert_raises(InvalidValue) { type.parse("-1") }
        assert_equal ["BYTES", "bytes"], [type.placeholder, type.unit]
      end

      test "the number of workers may have two ends" do
        type = Types::WorkerCount.new

        assert_equal [2..16, 4], [type.check(2..16), type.check(4..4)]
        assert_equal [:auto, 2..16], [type.parse("auto"), type.parse("2..16")]
        [0..4, 16..2, 2...16, 2.., ..4, 1.5..3, 2..2000].each do |range|
          assert_raises(InvalidValue) { type.check(range) }
        end
        assert_raises(InvalidValue) { type.parse("2..x") }
      end

      test "presets are on, off, or on with exceptions" do
        type = Types::ForkSafetyPresets.new
        assert_equal [true, false], [type.check(true), type.check(false)]
        assert_equal({ except: %i[pg redis_client] }, type.check({ except: [:pg, "redis-client"] }))
        assert_equal({ except: %i[pg] }, type.check({ except: :pg }))
        assert_refused type, { only: [:pg] }
        assert_refused type, nil
        assert_refused type, { except: [:unheard_of] }, "has no preset unheard_of (docs/fork_safety.md lists them)"
        assert_refused type, { except: ["../pg"] }, "has no preset ../pg (docs/fork_safety.md lists them)"
      end

      test "seconds may be fractions, but not too few, not infinite and no text" do
        type = Types::Seconds.new
        [3, 0.1, 2.5, 1r].each { |value| assert_equal value, type.check(value) }
        [0, 0.09, -1, -Float::INFINITY, Float::NAN, "3", nil].each { |value| assert_refused type, value }
      end

      test "seconds are no more than a year" do
        assert_equal 31_536_000, Types::Seconds.new.check(31_536_000)
        [31_536_001, 1e17, Float::INFINITY].each do |value|
          assert_refused Types::Seconds.new, value, "must be at most 31536000 seconds, which is a year, but is #{value}"
        end
      end

      test "seconds are read from text" do
        assert_equal 10, Types::Seconds.new.parse("10")
        assert_equal 0.5, Types::Seconds.new.parse("0.5")
        assert_raises(InvalidValue) { Types::Seconds.new.parse("ten") }
      end

      test "limits for paths have a path or a Regexp, and seconds" do
        type = Types::RouteTimeouts.new
        assert_equal [[:path, "/a", 2], [:regexp, "(?i-mx:b)", 0.5]], type.check([["/a", 2], [/b/i, 0.5]])
        [[["a", 2]], [[:a, 2]], [["", 2]], [["/a", 0]], [["/a", "2"]], [["/a"]], "/a"].each do |value|
          assert_refused type, value
        end
      end

      test "a boolean is true or false and nothing else" do
        type = Types::Boolean.new
        assert_equal [true, false], [type.check(true), type.check(false)]
        [nil, 0, "true"].each { |value| assert_refused type, value }
      end

      test "one of several values, also by their names" do
        type = Types::OneOf.new(:auto, true, false)
        assert_equal :auto, type.check(:auto)
        assert_equal [:auto, true, false], %w[auto true false].map { |text| type.parse(text) }
        assert_refused type, "auto", 'must be one of :auto, true, false, but is "auto"'
        assert_raises(InvalidValue) { type.parse("never") }
      end

      test "some of the workers are a number or a share of them, rounded up" do
        type = Types::WorkerShare.new
        assert_equal [0, 7, "0%", "8%", "100%"], %w[0 07 0% 8% 100%].map { |text| type.parse(text) }
        assert_equal [3, 0, 1, 9, 36], [3, "0%", "1%", "25%", "100%"].map { |share| Types::WorkerShare.of(share, 36) }
        [-1, 0.5, "08%", "010%", "%", "1000%"].each { |value| assert_refused type, value }
      end

      test "a share is a text in per cent" do
        type = Types::Percentage.new(maximum: 100)
        assert_equal %w[1% 100%], %w[1% 100%].map { |text| type.parse(text) }
        assert_equal 1/5r, Types::Percentage.fraction("20%")
        ["0%", "101%", "20", 20, 0.2, nil, "1.5%"].each { |value| assert_refused type, value }
        assert_equal "250%", Types::Percentage.new.check("250%")
      end

      test "a limit on memory is bytes or a share, of PSS unless it says private" do
        type = Types::MemoryLimit.new
        assert_equal [{ pss: 5 }, { pss: "20%" }], [5, "20%"].map { |value| type.check(value) }
        [{ pss: 5 }, { private: 5 }, { private: "5%" }].each { |limit| assert_equal limit, type.check(limit) }
        assert_equal [{ pss: 1024 }, { pss: "20%" }], %w[1024 20%].map { |text| type.parse(text) }
        assert_equal [{ pss: 1 << 30 }, { private: 5120 }], ["1G", { private: "5K" }].map { |size| type.check(size) }
        [0, -1, "101%", "much", "0M", "1.5G", nil, {}, { rss: 5 }, { pss: 5, private: 5 }, { pss: nil }].each do |value|
          assert_refused type, value
        end
        assert_equal [2, 200], [{ pss: 2048 }, { pss: "20%" }].map { |limit| Types::MemoryLimit.kib(limit, 1000) }
      end

      test "request counts may be left to the server" do
        type = Types::RequestCounts.new
        assert_equal [:auto, :auto, [5, false]], [type.check(:auto), type.parse("auto"), type.parse("5,false")]
        assert_nil type.check(false)
        assert_refused type, :never
      end

      test "a profile of the garbage collector is a name, or variables with numbers" do
        type = Types::GcProfile.new
        assert_equal [:fitted, :ruby, :ruby], [type.check(:fitted), type.check(:ruby), type.parse("ruby")]
        assert_equal({ "RUBY_GC_HEAP_GROWTH_FACTOR" => "1.1", "RUBY_GC_MALLOC_LIMIT" => "8m" },
          type.check({ RUBY_GC_HEAP_GROWTH_FACTOR: 1.1, "RUBY_GC_MALLOC_LIMIT" => "8m" }))
        ["fitted", nil, 0.1, { "RUBYOPT" => "1" }, { "RUBY_GC_MALLOC_LIMIT" => "much" },
         { "RUBY_GC_MALLOC_LIMIT" => nil },
         { "RUBY_GC_MALLOC_LIMIT" => "1\n" }].each { |value| assert_refused type, value }
        assert_raises(InvalidValue) { type.parse("tight") }
      end

      # As `ruby -w` tells for the same variables.
      test "a profile has no ratio that Ruby would ignore" do
        { [0.05, 0.1, 0.2] => true, [0.05, 0.2, 0.2] => true, [nil, 0.3, nil] => true, [nil, 0.65, nil] => true,
          [0.05, 0, 0.2] => true, [nil, nil, 1.0] => true, [nil, 0.1, nil] => false, [nil, 0.2, nil] => false,
          [0.1, 0.1, 0.2] => false, [0, 0.1, 0.2] => false, [0.05, 0.3, 0.2] => false, [0.5, nil, nil] => false,
          [0.05, 0, 0.05] => false, [nil, nil, 1.2] => false, ["1k", 0.1, 0.2] => false }.each do |ratios, fit|
          profile = GCProfile::RUBY_RATIOS.keys.map { |name| format(GCProfile::RATIO, name) }.zip(ratios).to_h.compact
          if fit then assert_equal profile.transform_values(&:to_s), Types::GcProfile.new.check(profile)
          else assert_raises(InvalidValue) { Types::GcProfile.new.check(profile) }
          end
        end
      end

      test "paths begin with a slash and are as a request line has them" do
        type = Types::Paths.new
        assert_equal ["/", "/products?page=2"], type.check(["/", "/products?page=2"])
        assert_equal %w[/ /up], type.parse("/,/up")
        [[], nil, "/", ["up"], ["/a b"], ["/\u00fc"], ["/\r\nx"], ["/a\n"], ["http://x/"], [:/]].each do |value|
          assert_refused type, value
        end
      end

      test "an optional value is nil or of its type" do
        type = Types::Optional.new(Types::SignalName.new)
        assert_nil type.check(nil)
        assert_equal :TERM, type.check("SIGTERM")
        assert_raises(InvalidValue) { type.check(:NONSENSE) }
      end

      test "a signal has a name that this system knows, or a block that answers one" do
        type = Types::SignalName.new
        assert_equal :KILL, type.check(:KILL)
        assert_equal :ABRT, type.check("SIGABRT")
        block = ->(_pid) { :QUIT }
        assert_same block, type.check(block)
        [:NONSENSE, "EXIT", 9, nil].each { |value| assert_refused type, value }
      end

      test "request counts end in a number or in false" do
        type = Types::RequestCounts.new
        assert_equal [50, 100], type.check([50, 100])
        assert_equal [50, false], type.check([50, nil])
        assert_equal [50, 100, false], type.parse("50,100,false")
        assert_predicate type.check([1]), :frozen?
        assert_equal [50], type.check(50)
        [[], 0, [0], [false, 50], ["50"], "50", nil].each { |value| assert_refused type, value }
      end

      test "a path in the home of a user that does not exist is refused" do
        [Types::FilePath.new, Types::StateDirectory.new, Types::Directory.new].each do |type|
          assert_refused type, "~nouser/x", "cannot be \"~nouser/x\": user nouser doesn't exist"
        end
        assert_refused Types::AccessLog.new, [:text, "~nouser/x"], "cannot be \"~nouser/x\": user nouser doesn't exist"
      end

      test "networks are addresses or ranges of them" do
        type = Types::Networks.new
        assert_equal ["127.0.0.1", "10.0.0.0/8"], type.check(["127.0.0.1", "10.0.0.0/8"])
        assert_equal ["::1"], type.check("::1")
        assert_equal ["::1", "fe80::/10"], type.parse("::1, fe80::/10")
        ["example.com", "10.0.0.0/99", "fe80::1%eth0", 5, nil].each { |value| assert_refused type, value }
      end

      test "networks are kept in the form that the lobby reads, and as many as it has room for" do
        type = Types::Networks.new
        forms = ["10.1.2.3/255.0.0.0", "[::1]", "fe80:0::/10"]

        assert_equal ["10.0.0.0/8", "::1", "fe80::/10"], type.check(forms)
        many = Array.new(Maximum::NETWORKS + 1) { |number| "10.0.#{number / 256}.#{number % 256}" }
        assert_equal Maximum::NETWORKS, type.check(many.drop(1)).size
        assert_refused type, many
      end

      test "a network of IPv4 in the form of IPv6 is one of IPv4, as its clients' addresses are" do
        assert_equal ["192.0.2.1", "10.0.0.0/8", "0.0.0.0/0", "::/0"],
          Types::Networks.new.check(["::ffff:192.0.2.1", "::ffff:10.1.2.3/104", "::ffff:0:0/96", "::/0"])
      end

      test "an object must respond to all methods" do
        type = Types::RespondsTo.new(:info, :warn)
        logger = Struct.new(:info, :warn).new
        assert_same logger, type.check(logger)
        assert_refused type, $stdout, "must be an object that answers info and warn, but is #{$stdout.inspect}"
      end

      test "retransmissions are a count, or true and false for one and none" do
        type = Types::Retransmissions.new
        assert_equal [1, 0, 5], [true, false, 5].map { |value| type.check(value) }
        assert_refused type, -1
      end

      test "a long value is cut in the message" do
        error = assert_raises(InvalidValue) { Types::Boolean.new.check("x" * 500) }
        assert_operator error.message.size, :<, 150
      end

      private

      def assert_refused(type, value, message = nil)
        error = assert_raises(InvalidValue, value.inspect) { type.check(value) }
        message ? assert_equal(message, error.message) : assert_includes(error.message, type.description)
      end
    end
  end
end
