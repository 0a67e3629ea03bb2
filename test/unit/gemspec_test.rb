# frozen_string_literal: true

require "test_helper"

# What is in the gem, and what it says of itself.
class GemspecTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  SPECIFICATION = Gem::Specification.load("#{ROOT}/coppice.gemspec")
  CHECKOUT = %r{\A(?:test|bench|bin|examples|docs/(?:images|decisions)|(?:CONTRIBUTING|PROJECT_RULES)\.md)}.freeze
  BYTES = 3_200_000 # unpacked: what each deploy copies, and each image has

  test "the code, the documentation and the licence are packaged; tests and build products are not" do
    files = SPECIFICATION.files

    %w[exe/coppice ext/coppice/extconf.rb lib/coppice.rb LICENSE README.md CHANGELOG.md SECURITY.md].each do |file|
      assert_includes files, file
    end
    assert_empty(files.grep(%r{\A(?:tmp|vendor)/|\.so\z}).concat(files.grep(CHECKOUT)))
  end

  test "it is not large" do
    assert_operator SPECIFICATION.files.sum { |file| File.size(File.join(ROOT, file)) }, :<, BYTES
  end

  test "each other page for its users that a page of docs refers to is packaged" do
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

  # As paths in the gem; without those to what only a checkout has.
  def local_links(page)
    links = File.read("#{ROOT}/#{page}", encoding: "UTF-8").scan(/\]\(([^)#\s]+)/).flatten.grep_v(/\A\w+:|NNNN/)
    paths = links.map { |link| File.expand_path(link, "/#{File.dirname(page)}").delete_prefix("/") }
    paths.grep_v(/#{CHECKOUT}|\.svg\z/)
  end
end
