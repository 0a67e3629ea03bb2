# frozen_string_literal: true

require "test_helper"
require "coppice"
require "coppice/presets"

module Coppice
  module ForkSafety
    class UnguardedTest < TestCase
      # In the place of a library with autoloads.
      module Library
        VERSION = "3"
        Client = Class.new
        autoload :Pending, "/nonexistent"
      end

      # What a gemspec loads of a library.
      module Gemspec
        VERSION = "3"
      end

      def unguarded?(constant, version = "3", **attributes)
        preset(constant, **attributes).unguarded?(version)
      end

      def preset(constant, versions: "1"..."2", unsafe: -> { false }, **attributes)
        Preset.new(name: :one, constant: constant, versions: versions, advice: "", calls: { unsafe: unsafe }.compact,
                   **attributes)
      end

      test "nothing guards a version that has lost the constant, or what the preset looks at in it" do
        assert unguarded?("#{self.class}::Library::Gone")
        assert unguarded?("#{self.class}::Library::Client", unsafe: -> { Library::Client.class_variable_get(:@@gone) })
        refute unguarded?("#{self.class}::Library::Client")
        refute unguarded?("#{self.class}::Library::Client", unsafe: -> { raise IOError })
      end

      test "a library that is not loaded yet has lost nothing" do
        %w[Library::Pending Library::Pending::Inner Gemspec::Client].each do |name|
          refute unguarded?("#{self.class}::#{name}"), name
        end
        refute unguarded?("Unheard::Of")
      end

      test "a preset for any version notices as well that the constant is gone" do
        assert unguarded?("#{self.class}::Library::Gone", versions: nil)
      end

      test "nothing is to be guarded in a version that needs nothing, nor by a preset that guards nothing" do
        gone = "#{self.class}::Library::Gone"

        refute unguarded?(gone, "0.9", older: "nothing")
        assert unguarded?(gone, "0.9", older: "close it")
        refute unguarded?(gone, unsafe: nil)
      end

      # libvips may be missing: the gem is there, and its classes are not.
      test "a version that the preset is for has what it looks at" do
        refute unguarded?("#{self.class}::Library::Gone", "1.5")
      end

      test "a version that nothing guards needs what an older one needs, unless that is nothing" do
        advices = { rdkafka: /\A`Coppice::Info\.no_longer_fork_safe!`/, ethon: /\Ado not use it/ }

        advices.each { |name, advice| assert_match(advice, Presets[name].advice_without_guard) }
      end

      test "a constant may have had another place" do
        client = "#{self.class}::Library::Client"
        moved = preset("#{self.class}::Library::Gone", formerly: client, unsafe: -> { false })

        assert_predicate moved, :loaded?
        refute moved.unguarded?("3")
        assert unguarded?("#{self.class}::Library::Gone", formerly: "#{self.class}::Library::Lost")
      end

      test "Action Cable is found where Rails has it since 8.2, and where it had it before" do
        %i[Server Connection].each do |place|
          loop_type = Class.new
          cable = Module.new
          cable.const_set(:Server, Module.new.tap { |scope| scope.const_set(:Base, Class.new) })
          cable.const_set(:Connection, Module.new.tap { |scope| scope.const_set(:Base, Class.new) })
          with_cable(cable) do
            assert Presets[:actioncable].unguarded?("8.2.0.alpha")
            cable.const_get(place).const_set(:StreamEventLoop, loop_type)
            refute Presets[:actioncable].unguarded?("8.2.0.alpha")
            refute_predicate Presets[:actioncable], :used?
            created = loop_type.new
            assert created && Presets[:actioncable].calls_for("8.2.0.alpha").fetch(:unsafe).call
          end
        end
      end

      def with_cable(cable)
        Object.const_set(:ActionCable, cable)
        yield
      ensure
        Object.__send__(:remove_const, :ActionCable)
      end
    end
  end
end
