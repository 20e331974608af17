//! Arguments in, exit code out; everything else is in the library.

use std::process::ExitCode;

use quarterdeck::{
    cli,
    live::connect::{DETACHED, detached},
};

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_some_and(|first| first == DETACHED) {
        // Before anything else: this process is about to become a credential plugin.
        return detached(args);
    }
    cli::main()
}
