import type { CommandShape, OptionShape } from './shape.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Where each shell looks for it, as a line to paste. */
export const installHints: Record<Shell, string> = {
  bash: 'webfarer completion bash > ~/.local/share/bash-completion/completions/webfarer',
  zsh: 'webfarer completion zsh > "${fpath[1]}/_webfarer"',
  fish: 'webfarer completion fish > ~/.config/fish/completions/webfarer.fish',
};

export function completionScript(shell: Shell, program: CommandShape, commands: CommandShape[]): string {
  const head = `# Completion of webfarer for ${shell}. Keep it:  ${installHints[shell]}\n`;
  const body = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](program, commands);
  // A compdef line must come first, or zsh does not take the file for a completion.
  return shell === 'zsh' ? `#compdef webfarer\n${head}${body}` : head + body;
}

const names = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name);
const flags = (options: readonly OptionShape[]): string[] => options.map(({ long }) => long);

function bashScript(program: CommandShape, commands: CommandShape[]): string {
  const cases = commands.map(
    ({ name, options, words }) =>
      `    ${name}) flags='${flags(options).join(' ')}'; words='${names(words).join(' ')}' ;;`,
  );
  const values = commands.flatMap(({ name, options }) => bashValues(name, options));
  return `_webfarer() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} cmd='' at=0 i flags words
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} == -* ]] || { cmd=\${COMP_WORDS[i]}; at=$i; break; }
  done
  case $cmd:$prev in
${values.join('\n')}
  esac
  case $cmd in
    '') flags='${flags(program.options).join(' ')}'; words='${names(commands).join(' ')}' ;;
${cases.join('\n')}
    *) flags=''; words='' ;;
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $words && COMP_CWORD -eq at+1 ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _webfarer webfarer
`;
}

/** After an option that takes a value: its choices, else files. */
function bashValues(command: string, options: readonly OptionShape[]): string[] {
  return options
    .filter(({ choices }) => choices.length > 0)
    .map(
      ({ long, choices }) =>
        `    ${command}:${long}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$cur")); return ;;`,
    );
}

function zshScript(program: CommandShape, commands: CommandShape[]): string {
  const list = commands.map(
    ({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(':', '\\:')}`)}`,
  );
  const cases = commands.map(({ name, options, words }) => {
    const rest = words.length > 0 ? [`'1:word:(${names(words).join(' ')})'`] : [];
    const specs = [...options.flatMap(zshOptions), ...rest, "'*:file:_files'"];
    return `    ${name}) _arguments -s \\\n      ${specs.join(' \\\n      ')} ;;`;
  });
  return `_webfarer() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then _arguments ${program.options.flatMap(zshOptions).join(' ')}
    else _describe command commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
    *) _files ;;
  esac
}
if [[ $funcstack[1] == _webfarer ]]; then _webfarer "$@"; else compdef _webfarer webfarer; fi
`;
}

function zshOptions({ long, short, summary, takesValue, choices }: OptionShape): string[] {
  const text = summary.replaceAll(/[[\]\\:]/g, '\\$&');
  const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : takesValue ? ':value:_files' : '';
  return [long, short]
    .filter((name): name is string => name !== undefined)
    .map((name) => quoted(`${name}[${text}]${value}`));
}

function fishScript(program: CommandShape, commands: CommandShape[]): string {
  const first = "-n '__fish_use_subcommand'";
  const lines = program.options.map((option) => fishOption(option, first));
  for (const { name, summary, options, words } of commands) {
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    lines.push(`complete -c webfarer -f ${first} -a ${name} -d ${quoted(summary, 'fish')}`);
    lines.push(...options.map((option) => fishOption(option, here)));
    for (const word of words)
      lines.push(`complete -c webfarer ${here} -a ${word.name} -d ${quoted(word.summary, 'fish')}`);
  }
  return `${lines.join('\n')}\n`;
}

function fishOption({ long, short, summary, takesValue, choices }: OptionShape, when: string): string {
  const names = `${short === undefined ? '' : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : '';
  return `complete -c webfarer ${when} ${names}${value} -d ${quoted(summary, 'fish')}`;
}

function quoted(text: string, shell: 'posix' | 'fish' = 'posix'): string {
  if (shell === 'fish') return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
