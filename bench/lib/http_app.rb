# frozen_string_literal: true

require_relative "samples"

module Bench
  # One kind of request. `load`: options of the load generator, with the length of the correct response.
  HttpApp = Struct.new(:name, :description, :load, keyword_init: true) do
    #: () -> String
    def rackup = "#{name}.ru"
  end

  # All requests of the http benchmark.
  module HttpApps
    # Headers of a browser in addition to Host, Accept and Connection. Without compression: Falcon and Iodine would
    # compress, while the other servers leave that to the application.
    BROWSER = [
      "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
      "Accept-Language: en-GB,en;q=0.5", "Accept-Encoding: identity", "Referer: http://127.0.0.1/products",
      "Upgrade-Insecure-Requests: 1", "Sec-Fetch-Dest: document",
      "Cookie: visitor=Ada; theme=dark; _shop_session=b3BhcXVlLWFuZC1zaWduZWQtYnktdGhlLWFwcGxpY2F0aW9u"
    ].freeze

    TABLE = [
      HttpApp.new(name: "hello", description: "14 bytes", load: { path: "/", length: 14 }),
      HttpApp.new(name: "page", description: "a page of 20 kB with ten headers; query and cookies are read",
        load: { path: "/products?color=green&size=a4&page=2", header: BROWSER, length: 20_000 }),
      HttpApp.new(name: "json", description: "10 kB of JSON, posted, parsed and answered",
        load: { path: "/orders", header: ["Content-Type: application/json"], post: Samples::ORDER, length: 27 }),
      HttpApp.new(name: "upload", description: "10 MB posted, read in pieces of 64 kB",
        load: { path: "/", header: ["Content-Type: application/octet-stream"], post: Samples::LARGE, length: 8 }),
      HttpApp.new(name: "download", description: "a file of 10 MB",
        load: { path: "/large.bin", length: Samples::LARGE_BYTES }),
      HttpApp.new(name: "stream", description: "100 pieces of 1 kB from each, without a length",
        load: { path: "/", length: 100_000 })
    ].freeze

    NAMES = TABLE.map(&:name).freeze
  end
end
