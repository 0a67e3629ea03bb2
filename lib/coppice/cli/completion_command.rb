# frozen_string_literal: true

require "coppice/cli/commands"
require "coppice/config/arguments"
require "coppice/config/hooks"

module Coppice
  class CLI
    # `coppice completion bash|zsh`: prints the completion of all commands, verbs, flags and their values, made from the
    # tables of this version.
    class CompletionCommand
      FILES = %w[--config-file -c --socket --map --output --control-socket].freeze # flags whose value is a path

      #: (Array[String], ?output: IO) -> void
      def initialize(arguments, output: $stdout)
        @arguments = arguments
        @output = output
      end

      # Returns 0. Raises UsageError.
      def run #: () -> Integer
        case @arguments
        when ["bash"] then @output.puts bash
        when ["zsh"] then @output.puts zsh
        else raise UsageError, "usage: coppice completion bash|zsh"
        end
        0
      end

      private

      def bash
        <<~BASH
          # In ~/.bashrc: eval "$(coppice completion bash)"
          _coppice() {
            local word="${COMP_WORDS[COMP_CWORD]}" words=""
            case "${COMP_WORDS[COMP_CWORD-1]}" in
              #{FILES.join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;
              #{values_of_flags { |flag, values| "#{flag}) words=#{quoted(values)} ;;" }}
            esac
            if [ -z "$words" ]; then
              case "$COMP_CWORD ${COMP_WORDS[1]}" in
                "1 "*) words=#{quoted(commands.map(&:name) + serve_flags)} ;;
                #{commands.map { |command| "*\" #{command.name}\") words=#{quoted(words_of(command))} ;;" }.join("\n      ")}
                *) words=#{quoted(serve_flags)} ;;
              esac
            fi
            COMPREPLY=($(compgen -W "$words" -- "$word"))
          }
          complete -o default -F _coppice coppice
        BASH
      end

      def zsh
        <<~ZSH
          #compdef coppice
          # In a folder of $fpath as _coppice, or in ~/.zshrc behind compinit: eval "$(coppice completion zsh)"
          _coppice() {
            local -a commands=(
              #{commands.map { |command| "'#{command.name}:#{escaped(command.summary)}'" }.join("\n    ")}
            )
            case "${words[CURRENT-1]}" in
              #{FILES.join('|')}) _files; return ;;
              #{values_of_flags { |flag, values| "#{flag}) compadd -- #{values.join(' ')}; return ;;" }}
            esac
            if (( CURRENT == 2 )); then
              _describe command commands
              compadd -- #{serve_flags.join(' ')}
              _files
              return
            fi
            case "${words[2]}" in
              #{commands.map { |command| "#{command.name}) #{offered_by_zsh(command)} ;;" }.join("\n    ")}
              *) compadd -- #{serve_flags.join(' ')}; _files ;;
            esac
          }
          # A file of $fpath is read as the function itself, when it is first called.
          if [[ "${funcstack[1]}" == _coppice ]]; then _coppice "$@"; else compdef _coppice coppice; fi
        ZSH
      end

      # bash offers files by itself where nothing else fits.
      def offered_by_zsh(command)
        files = command.takes_serve_flags || %w[run import].include?(command.name) ? "; _files" : ""
        words = words_of(command)
        words.empty? ? "_message 'no more words'" : "compadd -- #{words.join(' ')}#{files}"
      end

      def commands = COMMANDS.values.select(&:summary)

      def words_of(command)
        case command.name
        when "help" then Config::OPTIONS.names.map(&:to_s) + Config::HOOKS.names.map(&:to_s) + commands.map(&:name)
        when "completion" then %w[bash zsh]
        else [*verb_words(command.name), *command.flag_names, *(serve_flags if command.takes_serve_flags)]
        end
      end

      # Flags of verbs are among those of the command.
      def verb_words(name)
        Control::VERBS[name]&.arguments.to_a.flat_map { |argument| argument.words.to_a }.grep_v(/\A--/)
      end

      # Long ones, with and without "no-".
      def serve_flags
        @serve_flags ||= Config::Arguments.summary.scan(/^ +(?:-\w, )?--(\[no-\])?([\w-]+)/).flat_map do |no, name|
          no ? ["--#{name}", "--no-#{name}"] : ["--#{name}"]
        end.uniq
      end

      # Of the options that are one of a few values.
      def values_of_flags
        options = Config::OPTIONS.select { |option| option.flag && option.type.placeholder.to_s.include?("|") }
        options.map { |option| yield option.flag, option.type.placeholder.split("|").grep(/\A[a-z]+\z/) }.join("\n    ")
      end

      def quoted(words) = "\"#{words.join(' ')}\""

      def escaped(text) = text.gsub("'", "'\\\\''").gsub(":", "\\:")
    end
  end
end
