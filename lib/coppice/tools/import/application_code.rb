# frozen_string_literal: true

require "rbconfig"
require "coppice/config/config_file"

module Coppice
  module Import
    # What of an application the main part of a file loads or names, or a hook of the monitor. It is not there when the
    # file is read: in the monitor, which never loads the application, and in a cold mold before it does.
    class ApplicationCode
      LOADERS = %r{(?:\A|/)(?:environment|application)(?:\.rb)?\z}.freeze
      REQUIRES = %i[require require_relative load].freeze
      PATHS = %i[CONST COLON3].freeze
      LOADS = "it loads the application, which the monitor must not have"
      private_constant :LOADERS, :REQUIRES, :PATHS, :LOADS

      #: (Source) -> void
      def initialize(source)
        @source = source
      end

      # What the report says of the nodes of a statement; nil when they need nothing. The names of `others` have their
      # own remark.
      #: (Array[Source::Node], others: Array[String]) -> String?
      def remark(nodes, others:)
        remark_on(nodes, others) { |names| "it needs #{names} in the monitor, and before the application is loaded" }
      end

      # The same for the statements of a hook that the monitor calls.
      #: (Array[Source::Node], others: Array[String]) -> String?
      def remark_for_monitor(statements, others:)
        nodes = statements.flat_map { |statement| statement.walk.to_a }
        remark_on(nodes, others) { |names| "it needs #{names}, which the monitor has not loaded" }
      end

      private

      def remark_on(nodes, others)
        return LOADS if loads?(nodes)

        names = constants(nodes).map(&:to_s) - others
        yield names.join(", ") unless names.empty?
      end

      def loads?(nodes) = required_by(nodes).any? { |text| LOADERS.match?(text) }

      def required_by(nodes)
        requires = nodes.select { |node| node.type == :FCALL && REQUIRES.include?(node.children.first) }
        requires.flat_map(&:texts)
      end

      # Constants that neither Ruby nor the file nor a file that it requires has.
      def constants(nodes)
        names = nodes.select { |node| PATHS.include?(node.type) }.map { |node| node.children.first }
        names.uniq.reject { |name| own.include?(name) || ruby?(name) || required?(name) }
      end

      # The constants that the file defines.
      def own
        @own ||= @source.root.walk.filter_map do |node|
          case node.type
          when :CDECL then node.children.first
          when :CLASS, :MODULE then node.nodes.first.children.last
          end
        end
      end

      # Whether a constant is Ruby's own, or its library's. RubyGems and FEATURES are loaded when a file needs them.
      def ruby?(name)
        return true if name == :Gem || Config::ConfigFile::FEATURES.key?(name)
        return false unless Object.const_defined?(name)

        file, = Object.const_source_location(name)
        file.nil? || file == "ruby" || file.start_with?("<", RbConfig::CONFIG["rubylibdir"])
      end

      # Whether a file that is required bears its name: ActiveSupport and active_support/core_ext.
      def required?(name)
        @features ||= required_by(@source.root.walk).flat_map { |text| text.split("/") }
                                                    .map { |part| part.tr("_-", "").downcase }
        @features.any? { |feature| feature.start_with?(name.to_s.tr("_", "").downcase) }
      end
    end
  end
end
