# frozen_string_literal: true

module Coppice
  module Config
    # How long an option's value holds: of the server from its start to its end, as for its sockets and files and what
    # is in front of all releases; of the release until `coppice roll` brings the next one, which has a configuration
    # file of its own.
    SCOPES = %i[server release].freeze

    # One row of the catalogue of options: all that the configuration file, flags, environment, validation, help and
    # docs/configuration.md know about an option. One of `listen` or `service` has name, type, default and doc only.
    #
    #   scope         :server or :release, see SCOPES
    #   since         :pitchfork (same name and meaning there) or :coppice
    #   flag          its long flag without the value; nil when the command line cannot set it
    #   environment   the environment variable that sets it, if any
    #   default_text  describes the default where the value alone does not
    Option = Struct.new(:name, :group, :type, :scope, :default, :default_text, :flag, :environment, :since, :example,
      :doc, keyword_init: true) do
      # The flag's name follows from the option's, for every type that a text can express.
      #: (Symbol, String, Types::Type, scope: Symbol, ?flag: String?, **untyped) -> Option
      def self.describe(name, group, type, scope:, flag: default_flag(name, type), **rest)
        rest[:example] ||= "#{name} #{rest[:default].inspect}"
        option = new(name: name, group: group, type: type, scope: scope, flag: flag, since: :pitchfork, **rest)
        option.each(&:freeze).freeze
      end

      def self.default_flag(name, type)
        "--#{name.to_s.tr('_', '-')}" if type.placeholder || type.switch?
      end
      private_class_method :default_flag

      # The flag as the help shows it; nil without one.
      def usage #: () -> String?
        return unless flag

        type.switch? ? flag.sub("--", "--[no-]") : "#{flag} #{type.placeholder}"
      end

      # The first sentence, without the page that it names, as the help shows it beside the flag.
      def summary #: () -> String
        doc[/\A.+?(?= \(docs\/|[.:;] |[.:;]?\z)/]
      end

      # The default as a text, with its unit.
      def default_description #: () -> String
        default_text || [default.inspect, (type.unit unless default.nil?)].compact.join(" ")
      end
    end
  end
end
