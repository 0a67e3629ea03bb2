# frozen_string_literal: true

require "cgi/escape"
require "coppice/version"

module Coppice
  class Dashboard
    # The files that a browser loads. Only names in the list are read: a path from a request never reaches the disk.
    module Assets
      FOLDER = File.expand_path("assets", __dir__)
      TYPES = { ".css" => "text/css; charset=utf-8", ".js" => "text/javascript; charset=utf-8",
                ".svg" => "image/svg+xml" }.freeze

      # One file, with its content in memory, which all workers share.
      Asset = Struct.new(:type, :content, :etag, keyword_init: true)

      def self.load(name)
        content = File.read("#{FOLDER}/#{name}", encoding: Encoding::UTF_8).freeze
        modified = File.mtime("#{FOLDER}/#{name}").to_i
        Asset.new(type: TYPES.fetch(File.extname(name)), content: content,
          etag: "\"#{VERSION}-#{modified.to_s(36)}-#{content.bytesize.to_s(36)}\"").freeze
      end
      private_class_method :load

      ALL = Dir.glob("**/*{#{TYPES.keys.join(",")}}", base: FOLDER).to_h { |name| [name, load(name)] }.freeze
      PAGE = File.read("#{FOLDER}/index.html", encoding: Encoding::UTF_8).freeze
      ADDRESS = /(?<=src="|href=")(?!#)/.freeze # where one begins that is not within the page
      private_constant :ALL, :PAGE, :ADDRESS

      # nil when there is no file of this name.
      #: (String) -> Asset?
      def self.find(name) = ALL[name]

      # The page, which offers only what this dashboard can do. base: what its addresses begin with.
      #: (Array[String], base: String) -> String
      def self.page(features, base:)
        page = PAGE.sub("data-features=\"\"") { "data-features=\"#{features.join(" ")}\"" }
        page.gsub(ADDRESS) { CGI.escapeHTML(base) }
      end
    end
  end
end
