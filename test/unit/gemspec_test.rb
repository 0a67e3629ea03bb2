# frozen_string_literal: true

require "test_helper"

# What is in the gem, and what it says of itself.
class GemspecTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  SPECIFICATION = Gem::Specification.load("#{ROOT}/coppice.gemspec")

  test "the code, the documentation and the licence are packaged; tests and build products are not" do
    files = SPECIFICATION.files

    %w[exe/coppice ext/coppice/extconf.rb lib/coppice.rb LICENSE README.md CHANGELOG.md SECURITY.md].each do |file|
      assert_includes files, file
    end
    assert_empty(files.grep(%r{\A(?:test|bench|bin|examples|tmp|vendor)/|\.so\z}))
  end

  test "each picture and each other page that a page of docs shows is packaged" do
    SPECIFICATION.files.grep(%r{\Adocs/.*\.md\z}).each do |page|
      local_links(page).each { |link| assert SPECIFICATION.files.include?(link), "#{link}, of #{page}" }
    end
  end

  test "there is no address that nobody has filled in" do
    metadata = SPECIFICATION.metadata
    addresses = [SPECIFICATION.homepage, *metadata.select { |name, _| name.end_with?("_uri") }.values].compact

    assert_empty(addresses.grep_v(%r{\Ahttps://\w}))
    assert_empty(metadata.values.grep_v(String))
  end

  private

  # As paths in the gem; without those to folders of a checkout, such as test, which no gem has.
  def local_links(page)
    links = File.read("#{ROOT}/#{page}", encoding: "UTF-8").scan(/\]\(([^)#\s]+)/).flatten.grep_v(/\A\w+:|NNNN/)
    paths = links.map { |link| File.expand_path(link, "/#{File.dirname(page)}").delete_prefix("/") }
    paths.grep_v(%r{\A(?:test|bench|bin|examples)/})
  end
end
