# frozen_string_literal: true

require "test_helper"
require "coppice/config/loader"
require_relative "../../support/listened_addresses"

module Coppice
  module Config
    class ListenHostsTest < TestCase
      include ListenedAddresses

      test "where development is named, any port without a host is for this machine alone" do
        ["listen 3000", "listen '3000'", "listen ':3000'", "listeners [3000]"].each do |line|
          files = { "config/coppice.rb" => line }
          assert_equal local(3000), names(load(%w[-E development], files: files)), line
          assert_equal local(3000), names(load(files: files, environment: { "RAILS_ENV" => "development" })), line
          assert_equal %w[0.0.0.0:3000], names(load(%w[-E test], files: files)), line
        end
        assert_equal local(3000), names(load(%w[-E development -l 3000]))
        assert_equal [7, 7].first(local(1).size), load(%w[-E development], files:
          { "config/coppice.rb" => "listen 3000, backlog: 7" }).listen.map { |address| address.options[:backlog] }
        ["*:3000", "0.0.0.0:3000"].each do |all|
          settings = load(%w[-E development], files: { "config/coppice.rb" => "listen '#{all}'" })
          assert_equal [%w[0.0.0.0:3000], []], [names(settings), settings.notes]
        end
      end

      test "where development is named, another host does not get the trust in a proxy of a port without one" do
        files = { "config/coppice.rb" => "listen 3000, proxy_protocol: true, backlog: 7" }
        cases = ["-E development -o 0.0.0.0 -p 3000", "-E development -p 3000", "-E development",
                 "-E test -o 0.0.0.0 -p 3000"].map { |words| load(words.split, files: files) }

        assert_equal [[false, 7], *[[true, 7]] * 3],
          cases.map { |settings| settings.listen.first.options.values_at(:proxy_protocol, :backlog) }
        assert_equal ["flag -p: 0.0.0.0:3000 does not have proxy_protocol of localhost:3000 in config/coppice.rb, " \
                      "because others can reach it. Name the file's address, or listen on this one in the file"],
          cases.first.notes
      end

      test "where no environment is named, the port of the file is open, and a note says so" do
        files = { "config/coppice.rb" => "timeout 3\nlisten 3000" }

        assert_equal [%w[0.0.0.0:3000], ["config/coppice.rb:2: port 3000 is open to other machines, and the " \
                      "environment is development, because nothing names one. Name it (RACK_ENV, or -E), or write " \
                      "the host: \"localhost:3000\" or \"*:3000\""]],
          load(files: files).then { |settings| [names(settings), settings.notes] }
        assert_equal [%w[0.0.0.0:80], 1], load(%w[-l 80]).then { |settings| [names(settings), settings.notes.size] }
        [%w[-p 3000], %w[-o 0.0.0.0], %w[-E production], %w[-E development]].each do |words|
          assert_empty load(words, files: files).notes
        end
      end

      test "localhost is both of its addresses" do
        assert_equal local(3000), names(load(files: { "config/coppice.rb" => "listen 'localhost:3000'" }))
        assert_equal local(3000), names(load(%w[-E production -o localhost -p 3000]))
      end

      private

      def load(words = [], files: {}, environment: {})
        with_tmpdir do |folder|
          FileUtils.mkdir_p("#{folder}/config")
          files.each { |name, text| File.write(File.join(folder, name), text) }
          Loader.new(arguments: words, environment: environment, directory: folder).load
        end
      end
    end
  end
end
