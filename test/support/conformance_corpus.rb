# frozen_string_literal: true

module Coppice
  # The requests of test/conformance, one per file: what a strict server accepts and what it refuses, and why.
  # Used by the tests of the parser (without a server) and of the whole server.
  #
  # A file has two lines of description, an empty line and the request. Line ends of the file mean nothing; bytes
  # that cannot be seen are written as \r \n \t \0 \xff, a backslash as \\, and \{3*ab} is "ababab".
  #
  #   expect: 400
  #   why: RFC 9112 5.1: no whitespace between name and colon
  #
  #   GET / HTTP/1.1\r\n
  #   Host : example.com\r\n
  #   \r\n
  module ConformanceCorpus
    FOLDER = File.expand_path("../conformance", __dir__)
    ESCAPES = { "r" => "\r", "n" => "\n", "t" => "\t", "0" => "\0", "\\" => "\\" }.freeze
    ESCAPE = /\\(?:x(?<byte>\h\h)|\{(?<count>\d+)\*(?<text>[^}]*)\}|(?<letter>[rnt0\\]))/
    LAYOUT = /\Aexpect: (?<expect>accept|\d{3})\nwhy: (?<why>.+)\n\n(?<request>.+)\z/m
    private_constant :ESCAPES, :ESCAPE, :LAYOUT

    # name: "refuse/host-missing"; verdict: :accept or the status of the answer; bytes: the request as sent
    Case = Struct.new(:name, :verdict, :why, :bytes, keyword_init: true) do
      #: () -> bool
      def accept? = verdict == :accept
    end

    # Every case, in the order of their names.
    #: () -> Array[Case]
    def self.cases
      Dir.glob("{accept,refuse}/*.http", base: FOLDER).sort.map { |path| load_case(path) }
    end

    #: (String) -> Case
    def self.load_case(path)
      layout = LAYOUT.match(File.read(File.join(FOLDER, path))) or raise ArgumentError, "#{path} is no case"
      verdict = layout[:expect] == "accept" ? :accept : Integer(layout[:expect])
      Case.new(name: path.delete_suffix(".http"), verdict: verdict, why: layout[:why],
               bytes: unescape(layout[:request].delete("\n"))).freeze
    end
    private_class_method :load_case

    #: (String) -> String
    def self.unescape(text)
      text.b.gsub(ESCAPE) do
        match = Regexp.last_match
        if match[:byte] then match[:byte].hex.chr
        elsif match[:count] then unescape(match[:text]) * Integer(match[:count])
        else ESCAPES.fetch(match[:letter])
        end
      end.freeze
    end
    private_class_method :unescape
  end
end
