# frozen_string_literal: true

require_relative "difference"

module Coppice
  # Known differences between Coppice and other servers in how they read requests. differential_test.rb accepts these
  # classes of findings and no others. `rake docs` writes them into the tables of docs/http.md.
  module Differences
    ALL_PEERS = Difference::PEERS
    GET = "GET / HTTP/1.1\r\nHost: a\r\n"
    CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    NO_BODY = "0\r\n\r\n"
    private_constant :ALL_PEERS, :GET, :CHUNKED, :NO_BODY

    # Requests that peers accept and Coppice refuses.
    ONLY_THEY_ACCEPT = [
      Difference.new("no Host, two, malformed, or not the target's",
        peers: ALL_PEERS, right: :coppice,
        why: "must be refused, but for some characters of names",
        reasons: ["Host is missing, malformed or not the request target's"],
        examples: ["GET / HTTP/1.1\r\nHost: a@b\r\n\r\n"]),
      Difference.new("a target in none of the four forms; a fragment; control or non-ASCII bytes",
        peers: ALL_PEERS, right: :coppice, why: "should be refused, not repaired",
        reasons: ["the request target is malformed"],
        examples: ["GET * HTTP/1.1\r\nHost: a\r\n\r\n"]),
      Difference.new("another version, such as `HTTP/1.2` or `HTTP/2.0`",
        peers: ALL_PEERS, right: :choice,
        why: "505, but 1.2 should be served as 1.1",
        reasons: ["the HTTP version is neither 1.0 nor 1.1"],
        examples: ["GET / HTTP/1.2\r\nHost: a\r\n\r\n"]),
      Difference.new("the preface of HTTP/2",
        peers: %w[Pitchfork Falcon], right: :coppice, why: "not HTTP/1.1 (9113 3.4)",
        reasons: ["this looks like HTTP/2, but the port speaks HTTP/1.1"],
        examples: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]),
      Difference.new("no version (Pitchfork); `HTTP/1.10` (Puma); any byte as the dot (Falcon)",
        peers: ALL_PEERS, right: :coppice, why: "malformed",
        reasons: ["the HTTP version is missing or malformed"],
        examples: ["GET /\r\n", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", "GET / HTTP/1-1\r\nHost: a\r\n\r\n"]),
      Difference.new("an unregistered method",
        peers: %w[Pitchfork Falcon], right: :coppice, why: "should be 501",
        reasons: ["the method is not a registered one"],
        examples: ["get / HTTP/1.1\r\nHost: a\r\n\r\n"]),
      Difference.new("a method of more than 20 bytes",
        peers: %w[Falcon], right: :choice, why: "Coppice's limit",
        reasons: ["the method is not a token of at most 20 bytes"],
        examples: ["#{"A" * 21} / HTTP/1.1\r\nHost: a\r\n\r\n"]),
      Difference.new("a line of the head that ends with LF alone",
        peers: %w[Pitchfork], right: :choice,
        why: "may be read as CR LF, but proxies differ",
        reasons: ["a line does not end with CR LF"],
        examples: ["GET / HTTP/1.1\nHost: a\n\n"]),
      Difference.new("a folded header",
        peers: %w[Pitchfork], right: :choice, why: "must be refused or unfolded",
        reasons: ["a header is folded over several lines"],
        examples: ["#{GET}X-A: b\r\n c\r\n\r\n"]),
      Difference.new("a control character in a value",
        peers: %w[Falcon], right: :choice, why: "only CR, LF and NUL must be refused",
        reasons: ["a header value contains a control character"],
        examples: ["#{GET}X-A: \v\r\n\r\n"]),
      Difference.new(
        "Content-Type, Authorization, Host (Puma, Pitchfork) or `Content-Length: 0` (Pitchfork) twice",
        peers: ALL_PEERS, right: :coppice,
        why: "only one is meant",
        reasons: ["a header that may come once came twice"],
        examples: ["#{GET}Authorization: b\r\nAuthorization: c\r\n\r\n"]
      ),
      Difference.new("an expectation other than `100-continue`",
        peers: ALL_PEERS, right: :choice, why: "may be 417",
        reasons: ["no expectation but 100-continue is supported"],
        examples: ["#{GET}Expect: b\r\n\r\n"]),
      Difference.new("too many headers or trailers",
        peers: ALL_PEERS, right: :choice, why: "Coppice's limit",
        reasons: ["there are too many header lines", "the trailers are too large or too many"],
        examples: ["#{GET}#{"A: b\r\n" * 128}\r\n"]),
      Difference.new("Content-Length of 20 digits; an empty one (Pitchfork)",
        peers: ALL_PEERS, right: :choice, why: "Coppice's limit; an empty one must be refused",
        reasons: ["Content-Length is not a number"],
        examples: ["#{GET}Content-Length: #{"0" * 20}\r\n\r\n"]),
      Difference.new("Transfer-Encoding in HTTP/1.0; beside Content-Length (Puma, Pitchfork)",
        peers: ALL_PEERS, right: :coppice, why: "allows smuggling",
        reasons: ["Transfer-Encoding came with Content-Length or in HTTP/1.0"],
        examples: ["POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n#{NO_BODY}"]),
      Difference.new(
        "Transfer-Encoding that does not end with one `chunked`; `chunked,` (Puma)",
        peers: ALL_PEERS, right: :coppice,
        why: "must be refused; for `chunked,` see above",
        reasons: ["Transfer-Encoding does not end with one chunked"],
        examples: ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked,\r\n\r\n#{NO_BODY}",
                   "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n"]
      ),
      Difference.new("`gzip, chunked`",
        peers: ALL_PEERS, right: :coppice,
        why: "should be 501: the application would get gzip",
        reasons: ["no transfer coding but chunked is supported"],
        examples: ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n#{NO_BODY}"]),
      Difference.new("a chunk size of over 16 digits; blanks around it (Puma)",
        peers: ALL_PEERS, right: :coppice,
        why: "Coppice's limit; blanks are invalid",
        reasons: ["a chunk's size is not 1 to 16 hexadecimal digits"],
        examples: ["#{CHUNKED}#{"0" * 17}\r\n\r\n"]),
      Difference.new("a malformed chunk extension",
        peers: ALL_PEERS, right: :coppice, why: "may hide the end of a line",
        reasons: ["a chunk extension is malformed"],
        examples: ["#{CHUNKED}0;\r\n\r\n"]),
      Difference.new(
        "a chunked body's line with LF alone (Pitchfork, Falcon) or CR CR LF (Puma)",
        peers: ALL_PEERS, right: :coppice,
        why: "allows smuggling",
        reasons: ["a chunk or a line of the body does not end with CR LF"],
        examples: ["#{CHUNKED}0\n\r\n", "#{CHUNKED}0\r\nX-A: b\r\r\n\r\n", "#{CHUNKED}0;b\nc\r\n\r\n"]
      ),
      Difference.new("a malformed trailer",
        peers: ALL_PEERS, right: :coppice,
        why: "refused in headers too",
        reasons: ["a trailer line is malformed"],
        examples: ["#{CHUNKED}0\r\n X-A: b\r\n\r\n", "#{CHUNKED}0\r\nX-A: \x01\r\n\r\n"]),
      Difference.new("a trailer with a name for headers only",
        peers: ALL_PEERS, right: :coppice, why: "must not be sent",
        reasons: ["a trailer has a name that only a header may have"],
        examples: ["#{CHUNKED}0\r\nHost: b\r\n\r\n", "#{CHUNKED}0\r\nProxy-A: b\r\n\r\n"]),
    ].freeze

    # Requests that Coppice accepts and peers refuse.
    ONLY_WE_ACCEPT = [
      Difference.new("an empty line before the request",
        peers: ALL_PEERS, right: :coppice, kinds: [:only_we_accept], why: "should be ignored (9112 2.2)",
        examples: ["\r\n#{GET}\r\n"]) { |finding| finding.request.start_with?("\r\n") },
      Difference.new("methods of HTTP extensions, such as `REPORT`",
        peers: %w[Puma], right: :choice, kinds: [:only_we_accept],
        why: "left to the application (9110 9.1)",
        examples: ["REPORT / HTTP/1.1\r\nHost: a\r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("method is not supported")
      end,
      Difference.new("`CONNECT`",
        peers: %w[Puma Pitchfork], right: :choice, kinds: [:only_we_accept], why: "may be refused (9110 9.3.6)",
        examples: ["CONNECT [::1]:1 HTTP/1.1\r\nHost: [::1]:1\r\n\r\n"]) { |finding| finding.ours[:verb] == "CONNECT" },
      Difference.new("ASCII that browsers do not escape, such as quotes",
        peers: %w[Puma], right: :choice, kinds: [:only_we_accept], why: "invalid, but unambiguous (9112 3.2)",
        examples: ["GET /?\" HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| finding.target.match?(/["<>\\^`{|}]/) },
      Difference.new("a lone `%` in a target",
        peers: %w[Pitchfork], right: :choice, kinds: [:only_we_accept],
        why: "invalid (3986 2.1), but unambiguous",
        examples: ["GET /% HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| finding.target.match?(/%(?!\h\h)/) },
      Difference.new("an absolute target without a path",
        peers: %w[Pitchfork], right: :coppice, kinds: [:only_we_accept], why: "must be accepted (9112 3.2.2)",
        examples: ["GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"]) do |finding|
        finding.target.match?(%r{\A\w+://[^/]*(?:\?|\z)})
      end,
      Difference.new("chunk extensions with a value",
        peers: %w[Pitchfork], right: :coppice, kinds: [:only_we_accept], why: "must be ignored (9112 7.1.1)",
        examples: ["#{CHUNKED}0;b=\"c\"\r\n\r\n"]) { |finding| finding.request.match?(/^\h+;/) },
      Difference.new("blanks before the `;` of a chunk extension",
        peers: ALL_PEERS, right: :coppice, kinds: [:only_we_accept], why: "must be parsed (9112 7.1.1)",
        examples: ["#{CHUNKED}0 ;b\r\n\r\n"]) { |finding| finding.request.match?(/^\h+[ \t]+;/) },
      Difference.new("`Content_Length` and `Transfer_Encoding`",
        peers: %w[Pitchfork], right: :coppice, kinds: [:only_we_accept],
        why: "smuggling: Pitchfork frames by them (9110 5.1)",
        examples: ["#{GET}Content_Length: 5\r\n\r\n"]) do |finding|
        finding.request.match?(/^(?:content_length|transfer_encoding):/i)
      end,
      Difference.new("unknown trailers, such as `X-Forwarded-For`",
        peers: %w[Falcon], right: :choice, kinds: [:only_we_accept], why: "may be discarded (9110 6.5.1)",
        examples: ["#{CHUNKED}0\r\nX-Forwarded-For: b\r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("InvalidTrailer")
      end,
      Difference.new("Referer or another single-value header twice",
        peers: %w[Falcon], right: :choice, kinds: [:only_we_accept],
        why: "only the duplicates above matter (9110 5.3)",
        examples: ["#{GET}Referer: b\r\nReferer: c\r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("DuplicateHeader")
      end,
      Difference.new("blanks behind Content-Length",
        peers: %w[Falcon], right: :coppice, kinds: [:only_we_accept],
        why: "not part of the value (9110 5.5)",
        examples: ["#{GET}Content-Length: 0 \r\n\r\n"]) do |finding|
        finding.theirs[:why].include?("Invalid content length")
      end,
      Difference.new("an invalid Range",
        peers: %w[Falcon], right: :choice, kinds: [:only_we_accept],
        why: "may be ignored (9110 14.2)",
        examples: ["#{GET}Range: b\r\n\r\n"]) { |finding| finding.theirs[:why].include?("Range::ParseError") },
    ].freeze

    # Requests that both accept and read differently.
    READ_DIFFERENTLY = [
      Difference.new("names with underscores reach the application",
        peers: ALL_PEERS, right: :choice, kinds: [:fields],
        why: "`X_A` and `X-A` become one variable",
        examples: ["#{GET}X_A: b\r\n\r\n"]) { |finding| finding.names_in_head.grep(/_/).any? },
      Difference.new("`Proxy` reaches the application, as `HTTP_PROXY`",
        peers: ALL_PEERS, right: :coppice, kinds: [:fields],
        why: "programs take it for their proxy (CVE-2016-5385)",
        examples: ["#{GET}Proxy: b\r\n\r\n"]) { |finding| finding.field == "PROXY" },
      Difference.new("trailers become headers, even `X-Forwarded-For`",
        peers: %w[Pitchfork], right: :coppice, kinds: [:fields],
        why: "must not be merged unless known to be safe (9110 6.5.1)",
        examples: ["#{CHUNKED}0\r\nX-Forwarded-For: b\r\n\r\n"]) { |finding| finding.names_in_body.any? },
      Difference.new("the host of an absolute target does not replace Host",
        peers: %w[Puma Falcon], right: :coppice, kinds: [:host],
        why: "must replace it (9112 3.2.2); Falcon does so elsewhere",
        examples: ["GET http://A/ HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| !finding.target.start_with?("/", "*") },
      Difference.new("an empty port in an absolute target stays in Host",
        peers: %w[Pitchfork], right: :choice, kinds: [:host], why: "the same host (9110 4.2.3)",
        examples: ["GET http://a:/ HTTP/1.1\r\nHost: a\r\n\r\n"]) do |finding|
        finding.target.match?(%r{\A\w+://[^/?]*:(?:[/?]|\z)})
      end,
      Difference.new("an absolute target without a path gets the path \"\"",
        peers: %w[Puma], right: :coppice, kinds: [:path], why: "the same as `/` (9110 4.2.3)",
        examples: ["GET http://a HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| !finding.target.start_with?("/") },
      Difference.new("`REQUEST_URI` has only the path of an absolute target",
        peers: %w[Pitchfork], right: :choice, kinds: [:target], why: "no RFC defines it",
        examples: ["GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"]) { |finding| !finding.target.start_with?("/", "*") },
      Difference.new("all that follows Upgrade or CONNECT is the body",
        peers: %w[Falcon], right: :coppice, kinds: [:body],
        why: "not before the server agrees (9110 7.8, 9.3.6)",
        examples: ["#{GET}Connection: Upgrade\r\nUpgrade: b\r\n\r\nc"]) do |finding|
        finding.ours[:verb] == "CONNECT" || finding.ours[:fields].key?("UPGRADE")
      end,
      Difference.new("`chunked` with blanks behind it is another coding",
        peers: %w[Falcon], right: :coppice, kinds: %i[body only_they_accept],
        why: "not part of the value (9110 5.5)",
        examples: ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked \r\n\r\n#{NO_BODY}"]) do |finding|
        finding.request.match?(/^transfer-encoding:[ \t]*chunked[ \t]+\r/i)
      end,
    ].freeze

    ALL = [*ONLY_THEY_ACCEPT, *ONLY_WE_ACCEPT, *READ_DIFFERENTLY].freeze
  end
end
