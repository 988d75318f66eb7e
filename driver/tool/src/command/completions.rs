// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ferrowarp completions`: what a shell needs to complete the command line.
use crate::error::ToolError;
use crate::said::Said;
use clap_complete::Shell;
use serde_json::json;

/// Arguments.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  ferrowarp completions bash > /etc/bash_completion.d/ferrowarp\n  \
    ferrowarp completions fish > ~/.config/fish/completions/ferrowarp.fish")]
pub(crate) struct Args {
    /// Shell that reads the script
    shell: Shell,
    /// Prints JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The script for the commands of `cli`.
pub(crate) fn run(args: &Args, mut cli: clap::Command) -> Result<Said, ToolError> {
    let mut script = vec![];
    clap_complete::generate(args.shell, &mut cli, "ferrowarp", &mut script);
    let text = String::from_utf8_lossy(&script).into_owned();
    let json = json!({ "ok": true, "shell": args.shell.to_string(), "script": text });
    Ok(Said { text, json })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_completes_commands_and_their_options() {
        let cli = || {
            clap::Command::new("ferrowarp")
                .subcommand(<Args as clap::Args>::augment_args(clap::Command::new("completions")))
        };
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let said = run(&Args { shell, json: false }, cli()).unwrap();
            assert!(
                said.text.contains("completions") && said.text.contains("json"),
                "{shell}: {}",
                said.text
            );
            assert_eq!(said.json["shell"], shell.to_string());
        }
    }
}
