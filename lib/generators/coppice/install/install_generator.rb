# frozen_string_literal: true

require "rails/generators"
require "coppice/tools/import"

module Coppice
  # The namespace in which Rails looks for generators.
  module Generators
    # `bin/rails generate coppice:install`: writes config/coppice.rb, translated from the configuration for Puma or
    # Unicorn that the application has, and the web line of the Procfile.
    class InstallGenerator < ::Rails::Generators::Base
      CONFIGURATION = "config/coppice.rb"
      WEB = "web: bundle exec coppice"
      OLD_WEB = /^web:.*\b(?:puma|unicorn(?:_rails)?|rails s(?:erver)?)\b.*$/.freeze

      # Servers that `rails server` prefers (Rails::Railtie).
      OTHER_SERVER = /^\s*gem[\s(]+["'](puma|falcon)["']/.freeze

      desc "Writes #{CONFIGURATION}, translated from config/puma.rb or config/unicorn.rb, and a line of the Procfile."
      source_root File.join(__dir__, "templates")
      class_option :import, type: :boolean, default: true, desc: "Translate config/puma.rb or config/unicorn.rb"

      #: () -> void
      def write_configuration
        found = options[:import] ? Import.found(destination_root) : []
        return copy_file("coppice.rb", CONFIGURATION) if found.empty?

        say "#{found.join(' and ')} found: translating #{found.first}. --no-import writes a new configuration"
        result = translated(found.first)
        create_file(CONFIGURATION, result.text)
        say result.report.join("\n")
      end

      # Another server's line is replaced, and a line of something else is left alone.
      #: () -> void
      def write_procfile
        path = File.join(destination_root, "Procfile")
        return create_file("Procfile", "#{WEB}\n") unless File.exist?(path)

        text = File.read(path)
        return say "The web line of the Procfile is left as it is" if text.match?(/^web:/) && !text.match?(OLD_WEB)

        text.match?(OLD_WEB) ? gsub_file("Procfile", OLD_WEB, WEB) : append_to_file("Procfile", "#{WEB}\n")
      end

      # The Dockerfile that `rails new` generates runs `bin/rails server`.
      #: () -> void
      def name_other_server
        path = File.join(destination_root, "Gemfile")
        server = File.read(path)[OTHER_SERVER, 1] if File.exist?(path)
        return unless server

        say "The Gemfile names #{server}: bin/rails server, also in a generated Dockerfile, starts that and not " \
            "Coppice. Remove it from the Gemfile, or set RACKUP_HANDLER=coppice"
      end

      private

      # A Thor::Error ends the generator with its message alone.
      def translated(file)
        Import.translate(Import.read(File.join(destination_root, file)), file: file)
      rescue Error => error
        raise ::Thor::Error, "#{error.message}\nMend it, or give --no-import"
      end
    end
  end
end
